"""Vectors of requests that open under their session and that a worker must refuse all the same: one condition each."""

from collections.abc import Iterator
from typing import Any

from fixed import DETOK, NOW, TOKEN, TOKENIZE, UNTIL, Vector, compact, padded
from request_maker import request

BAD_BODY = {"verdict": "body", "code": "malformed", "answer": "sealed"}


def times_and_sizes() -> Iterator[tuple[str, Vector]]:
    malformed = {"verdict": "time", "code": "malformed", "answer": "sealed"}
    yield request("until-too-far", "A session of more than a day and 120 s", malformed, clear={"until": NOW + 86_521})
    yield request("exp-after-until", "A deadline after the session's end", malformed, clear={"exp": UNTIL + 1})
    yield request(
        "exp-past",
        "A deadline that passed 121 s ago",
        {"verdict": "time", "code": "expired", "answer": "sealed"},
        clear={"exp": NOW - 121},
    )
    yield request(
        "items-1001",
        "More items than a request may have",
        {"verdict": "size", "code": "too_large", "answer": "sealed"},
        clear={"items": 1_001},
    )


def bodies() -> Iterator[tuple[str, Vector]]:
    def bad(name: str, about: str, plaintext: bytes, queue: str = "detok", **clear: Any) -> tuple[str, Vector]:
        return request(name, about, BAD_BODY, queue=queue, plaintext=plaintext, clear=clear)

    def shaped(name: str, about: str, body: Any, queue: str = "detok") -> tuple[str, Vector]:
        return request(name, about, BAD_BODY, queue=queue, body=body)

    yield bad("body-not-json", "A plaintext that is no JSON", padded(b"purpose=export"))
    yield bad("body-no-plaintext", "A plaintext of no bytes", b"")
    yield bad("body-nul-padding", "Zeros in place of spaces", compact(DETOK) + b"\0" * 8)
    yield bad("body-utf-8", "Bytes that are no UTF-8", padded(compact(TOKENIZE).replace(b"a@", b"\xff@")), "tokenize")
    yield bad("body-utf-16", "JSON in UTF-16", compact(DETOK).decode().encode("utf-16-le"))
    yield bad("body-bom", "JSON after a byte order mark", b"\xef\xbb\xbf" + compact(DETOK))
    yield bad("body-nan", "A word that only some JSON parsers take", padded(b'{"purpose":NaN,"items":[{"token":""}]}'))
    yield bad("body-fewer-items", "Fewer items than the clear field says", padded(compact(DETOK)), items=2)
    yield shaped("body-array", "JSON of another type", [DETOK])
    yield shaped("body-no-items", "An empty list of items", DETOK | {"items": []})
    yield shaped("body-member-unknown", "A member that the contract has not", DETOK | {"extra": 1})
    yield shaped("body-purpose-missing", "No purpose", {"items": DETOK["items"]})
    yield shaped("body-purpose-line-break", "A line break at the end of the purpose", DETOK | {"purpose": "export\n"})
    yield shaped("body-purpose-65", "A purpose of 65 characters", DETOK | {"purpose": "p" * 65})
    yield shaped("body-reason-null", "null where a member may be absent", DETOK | {"reason": None})
    yield shaped("body-reason-257", "A reason of 257 characters", DETOK | {"reason": "r" * 257})
    yield shaped("body-reason-control", "A control character in the reason", DETOK | {"reason": "a\u0085b"})
    yield shaped("body-reason-line-break", "A line break at the end of the reason", DETOK | {"reason": "a\n"})
    yield shaped("body-reason-surrogate", "A lone surrogate in the reason", DETOK | {"reason": "\udc00"})
    yield shaped("body-token-number", "A token that is no string", DETOK | {"items": [{"token": 1}]})
    yield shaped(
        "body-item-unknown", "A member that an item has not", DETOK | {"items": [{"token": TOKEN, "mask": ""}]}
    )
    yield shaped("body-other-queue", "The body of a tokenize request on the detok queue", TOKENIZE)
    yield shaped(
        "body-subject-null",
        "null where a member may be absent",
        TOKENIZE | {"items": [{"field": "email", "subject": None, "value": "x"}]},
        "tokenize",
    )


def vectors() -> Iterator[tuple[str, Vector]]:
    for part in (times_and_sizes, bodies):
        yield from part()
