"""Seals the reply of a vector; and the replies that a requester must take."""

from collections.abc import Callable, Iterator
from typing import Any

import pii1
from fixed import (
    ACTOR,
    EXP,
    ID,
    KEY,
    OTHER_TOKEN,
    TOKEN,
    UNTIL,
    WRAPPED,
    Vector,
    changed,
    compact,
    iv_of,
    padded,
    session_of,
)

REQUEST = pii1.digest(b"the body bytes of a request")
VALUE = {"items": [{"value": "a@example.com", "mask": "full"}]}
TOKENS = {"items": [{"token": TOKEN}]}


def reply(
    name: str,
    about: str,
    verdict: str,
    *,
    queue: str = "detok",
    body: Any = None,
    plaintext: bytes | None = None,
    clear: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    ticket: dict[str, Any] | None = None,
    key: bytes = KEY,
    encode: Callable[[bytes], str] = pii1.to_base64,
    tamper: Callable[[bytes], bytes] = lambda sealed: sealed,
    session: dict[str, str] | None = None,
) -> tuple[str, Vector]:
    """`clear` is changed before sealing, so the body agrees with it; `after` is changed once it is sealed."""
    content = body if body is not None else VALUE if queue == "detok" else TOKENS
    items = content.get("items", [])
    failed = sum("error" in item for item in items)
    data: dict[str, Any] = {
        "v": 1,
        "id": ID,
        "actor": ACTOR,
        "queue": queue,
        "session": WRAPPED,
        "until": UNTIL,
        "request": REQUEST,
        "items": len(items) or 1,
        "ok": len(items) - failed,
        "failed": failed if items else 1,
    } | (clear or {})
    text = plaintext if plaintext is not None else padded(compact(content))
    data["body"] = encode(tamper(pii1.seal(key, iv_of(name), text, pii1.reply_aad(data))))
    asked = {
        "queue": queue,
        "id": ID,
        "request": REQUEST,
        "items": data["items"],
        "reply": f"reply-{ACTOR}",
        "exp": EXP,
    }
    return f"reply/{name}", {
        "about": about,
        "kind": "reply",
        "actor": ACTOR,
        "ticket": asked | (ticket or {}),
        "data": changed(data, after or {}),
        "session": session or session_of(queue, ACTOR, UNTIL),
        "verdict": verdict,
    } | ({"opens_to": content} if verdict == "accept" else {})


def good() -> Iterator[tuple[str, Vector]]:
    masked = {
        "items": [
            {"value": "", "mask": "full"},
            {"value": "****6789", "mask": "last4"},
            {"value": "z***@example.com", "mask": "email"},
            {"value": "[redacted]", "mask": "redact"},
            {"value": "Zo\u00eb \U0001f469\u200d\U0001f469 \0\u2028", "mask": "full"},
        ]
    }
    errors = {"items": [{"error": code} for code in pii1.ITEM_CODES] + VALUE["items"]}
    yield reply("detok-value", "One value", "accept")
    yield reply(
        "detok-masks", "A value of each mask, an empty one and characters of many planes", "accept", body=masked
    )
    yield reply("detok-errors", "Each code of an item, and one value", "accept", body=errors)
    yield reply("tokenize-token", "One token", "accept", queue="tokenize")
    yield reply(
        "tokenize-errors",
        "A token and a failure",
        "accept",
        queue="tokenize",
        body={"items": [{"token": OTHER_TOKEN}, {"error": "denied"}]},
    )
    for code in pii1.REQUEST_CODES:
        yield reply(
            f"refused-{code.replace('_', '-')}", "The request was refused as a whole", "accept", body={"error": code}
        )
    yield reply(
        "refused-1001",
        "Refused for its number of items, which the reply repeats",
        "accept",
        body={"error": "too_large"},
        clear={"items": 1_001, "failed": 1_001},
    )
    yield reply(
        "padding-none",
        "Readers take any JSON: that writers pad is not theirs to check",
        "accept",
        plaintext=compact(VALUE),
    )


def vectors() -> Iterator[tuple[str, Vector]]:
    yield from good()
