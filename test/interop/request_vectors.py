"""Vectors of requests that a worker must take."""

from collections.abc import Iterator

import pii1
from fixed import ACTOR, DETOK, NOW, TOKEN, UNTIL, Vector, compact
from request_maker import request


def accept(*faults: str | None) -> Vector:
    return {"verdict": "accept", "items": list(faults) or [None]}


def good() -> Iterator[tuple[str, Vector]]:
    longest = {
        "actor": "a" * 64,
        "reply": f"reply-{'a' * 64}.{'z' * 64}",
        "session": "vault:v999999999:" + "A" * 495,
    }
    emoji = {"purpose": "p", "reason": "\U0001f468\u200d\U0001f469" * 85 + "\u00e9", "items": [{"token": TOKEN}]}
    full = {"purpose": "z" * 64, "items": [{"field": "f" * 64, "subject": "~" * 128, "value": "x"}]}
    texts = ["Zo\u00eb \u00c5ngstr\u00f6m", "Zoe\u0308", "\U0001f469\u200d\U0001f469", "nul \0 inside", "\u2028", " \t"]
    unicode_body = {"purpose": "import", "items": [{"field": "name", "value": text} for text in texts]}
    thousand = {"purpose": "p", "items": [{"field": "a", "value": ""}] * 1_000}
    yield request("detok-minimal", "One token", accept())
    yield request("tokenize-minimal", "One value, no subject", accept(), queue="tokenize")
    yield request("longest-names", "Every clear field at its longest", accept(), clear=longest)
    yield request(
        "tokenize-longest", "Purpose, field and subject at their longest", accept(), queue="tokenize", body=full
    )
    yield request(
        "reason-256-code-points", "A reason is counted in code points, not UTF-16 units", accept(), body=emoji
    )
    yield request("reason-empty", "The empty string is a reason", accept(), body=DETOK | {"reason": ""})
    yield request(
        "tokenize-unicode",
        "Values are byte-exact: no trimming, no normalization",
        accept(*[None] * 6),
        queue="tokenize",
        body=unicode_body,
        plaintext=pii1.pad_body(unicode_body),
    )
    yield request(
        "tokenize-empty-value",
        "The empty string is a value",
        accept(),
        queue="tokenize",
        body={"purpose": "p", "items": [{"field": "email", "value": ""}]},
    )
    yield request(
        "tokenize-subject",
        "An item with a subject",
        accept(),
        queue="tokenize",
        body={"purpose": "p", "items": [{"field": "email", "subject": "cust-17", "value": "x"}]},
    )
    yield request(
        "items-1000", "As many items as a request may have", accept(*[None] * 1_000), queue="tokenize", body=thousand
    )
    yield request(
        "padding-none",
        "Readers take any JSON: that writers pad to 256 bytes is not theirs to check",
        accept(),
        plaintext=compact(DETOK),
    )
    yield request("padding-leading", "JSON whitespace may stand anywhere", accept(), plaintext=b" \n" + compact(DETOK))
    yield request("until-farthest", "A day ahead, and 120 s for clocks", accept(), clear={"until": NOW + 86_520})
    yield request(
        "exp-just-past", "A deadline that passed within the 120 s for clocks", accept(), clear={"exp": NOW - 120}
    )
    yield request(
        "exp-equals-until", "The deadline may be as late as the session's end", accept(), clear={"exp": UNTIL}
    )
    yield request(
        "reply-own-name", "A reply queue of the actor with a name", accept(), clear={"reply": f"reply-{ACTOR}.host-1"}
    )


def items() -> Iterator[tuple[str, Vector]]:
    """The request is good; each of these items is answered by itself."""
    tokens = [TOKEN, TOKEN + "\n", "tok_8zzzzzzzzzzzzzzzzzzzzzzzzz", TOKEN.upper(), TOKEN[:-1], "a@example.com", ""]
    yield request(
        "item-tokens",
        "Strings that are no token, one of them with a line break at its end",
        accept(None, *["invalid"] * 6),
        body={"purpose": "p", "items": [{"token": t} for t in tokens]},
    )
    bad = [
        {"field": "Email", "value": "x"},
        {"field": "email\n", "value": "x"},
        {"field": "f" * 65, "value": "x"},
        {"field": "email", "subject": "", "value": "x"},
        {"field": "email", "subject": "a b", "value": "x"},
        {"field": "email", "subject": "cust-17\n", "value": "x"},
        {"field": "email", "subject": "s" * 129, "value": "x"},
        {"field": "email", "value": "\ud800"},
    ]
    yield request(
        "item-labels",
        "Fields and subjects outside their grammar, and a lone surrogate as a value",
        accept(None, *["invalid"] * 8),
        queue="tokenize",
        body={"purpose": "p", "items": [{"field": "email", "value": "ok"}, *bad]},
    )


def vectors() -> Iterator[tuple[str, Vector]]:
    for part in (good, items):
        yield from part()
