"""Vectors of replies that a requester must pass over, one condition each; and of hints."""

from collections.abc import Iterator
from typing import Any

import pii1
from fixed import ACTOR, ID, OTHER_ID, OTHER_KEY, TOKEN, UNTIL, WRAPPED, Vector, compact, padded, session_of
from reply_vectors import REQUEST, TOKENS, VALUE, reply


def bad() -> Iterator[tuple[str, Vector]]:
    def altered(name: str, about: str, verdict: str, after: dict[str, Any], **more: Any) -> tuple[str, Vector]:
        return reply(name, about, verdict, after=after, **more)

    yield altered("version-2", "A version that is not 1", "envelope", {"v": 2})
    yield altered("member-unknown", "A member that the contract has not", "envelope", {"extra": 1})
    yield altered("member-missing", "No counts", "envelope", {"ok": None})
    yield altered(
        "request-line-break", "A line break at the end of the digest", "envelope", {"request": REQUEST + "\n"}
    )
    yield altered("request-upper-case", "A digest in upper case", "envelope", {"request": REQUEST.upper()})
    yield reply(
        "request-other",
        "A genuine reply to other bytes under the same id",
        "ticket",
        ticket={"request": pii1.digest(b"other bytes")},
    )
    yield reply("id-other", "A genuine reply to another request", "ticket", ticket={"id": OTHER_ID})
    yield reply("items-other", "A genuine reply of another length", "ticket", ticket={"items": 2})
    yield reply("queue-other", "A genuine reply of the other queue", "ticket", ticket={"queue": "tokenize"})
    yield altered("actor-other", "A reply to another actor", "ticket", {"actor": "svc-other"})
    yield altered("session-other", "A session that is not the actor's", "session", {"session": WRAPPED[:-4] + "AAAA"})
    yield altered("until-other", "An end of the session that it was not made for", "session", {"until": UNTIL - 1})
    yield reply(
        "altered-id",
        "A reply to one request under the id of another",
        "seal",
        after={"id": OTHER_ID},
        ticket={"id": OTHER_ID},
    )
    yield reply(
        "altered-request",
        "The digest exchanged for the one that is waited for",
        "seal",
        after={"request": pii1.digest(b"other")},
        ticket={"request": pii1.digest(b"other")},
    )
    yield reply(
        "altered-items", "Another number of items, which is waited for", "seal", after={"items": 2}, ticket={"items": 2}
    )
    yield reply(
        "altered-queue",
        "The other queue, whose session even opens",
        "seal",
        after={"queue": "tokenize"},
        ticket={"queue": "tokenize"},
        session=session_of("tokenize", ACTOR, UNTIL),
    )
    yield altered("altered-ok", "Another number of good items", "seal", {"ok": 0})
    yield altered("altered-failed", "Another number of failed items", "seal", {"failed": 1})
    yield reply("altered-tag", "A tag cut to 12 bytes", "seal", tamper=lambda sealed: sealed[:-4])
    yield reply("wrong-key", "Sealed with another key", "seal", key=OTHER_KEY)
    yield reply(
        "base64-unpadded",
        "Base64 without its padding",
        "base64",
        encode=lambda sealed: pii1.to_base64(sealed).rstrip("="),
    )
    yield reply("body-not-json", "A plaintext that is no JSON", "body", plaintext=padded(b"items"))
    yield reply(
        "body-utf-8", "Bytes that are no UTF-8", "body", plaintext=padded(compact(VALUE).replace(b"a@", b"\xff@"))
    )
    yield reply("body-shorter", "Fewer outcomes than items", "body", clear={"items": 2})
    yield reply("body-other-queue", "Tokens in a reply of the detok queue", "body", body=TOKENS)
    yield reply("body-code-unknown", "A code that the catalogue has not", "body", body={"items": [{"error": "oops"}]})
    yield reply(
        "body-request-code", "A code that is said of requests only", "body", body={"items": [{"error": "malformed"}]}
    )
    yield reply(
        "body-mask-unknown",
        "A mask that the contract has not",
        "body",
        body={"items": [{"value": "x", "mask": "first4"}]},
    )
    yield reply(
        "body-token-line-break",
        "A line break at the end of a token",
        "body",
        queue="tokenize",
        body={"items": [{"token": TOKEN + "\n"}]},
    )
    yield reply("body-both", "Outcomes and a refusal at once", "body", body=VALUE | {"error": "malformed"})


def hints() -> Iterator[tuple[str, Vector]]:
    def hint(name: str, about: str, verdict: str, data: Any) -> tuple[str, Vector]:
        opened = {"opens_to": data} if verdict == "accept" else {}
        return f"hint/{name}", {"about": about, "kind": "hint", "data": data, "verdict": verdict} | opened

    yield hint("unauthenticated", "The request did not open", "accept", {"code": "unauthenticated"})
    yield hint("code-of-items", "A code that is said of items only", "envelope", {"code": "denied"})
    yield hint("member-unknown", "A code and something else", "envelope", {"code": "malformed", "id": ID})


def vectors() -> Iterator[tuple[str, Vector]]:
    yield from bad()
    yield from hints()
