"""Seals the request of a vector."""

from collections.abc import Callable
from typing import Any

import pii1
from fixed import ACTOR, BODIES, EXP, ID, KEY, NOW, UNTIL, WRAPPED, Vector, changed, compact, iv_of, padded, session_of

Tamper = Callable[[bytes], bytes]


def request(
    name: str,
    about: str,
    verdict: Vector,
    *,
    queue: str = "detok",
    body: Any = None,
    plaintext: bytes | None = None,
    clear: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    key: bytes = KEY,
    sealed_for: str | None = None,
    tamper: Tamper = lambda sealed: sealed,
    encode: Callable[[bytes], str] = pii1.to_base64,
    job: dict[str, str] | None = None,
    session: dict[str, str] | None = None,
) -> tuple[str, Vector]:
    """`clear` is changed before sealing, so the body agrees with it; `after` is changed once it is sealed."""
    content = BODIES[queue] if body is None else body
    items = content.get("items") if isinstance(content, dict) else None
    count = len(items) if isinstance(items, list) and items else 1
    data: dict[str, Any] = {
        "v": 1,
        "id": ID,
        "actor": ACTOR,
        "session": WRAPPED,
        "until": UNTIL,
        "exp": EXP,
        "reply": f"reply-{ACTOR}",
        "items": count,
    } | (clear or {})
    associated = pii1.request_aad(sealed_for or queue, data)
    text = plaintext if plaintext is not None else padded(compact(content))
    data["body"] = encode(tamper(pii1.seal(key, iv_of(name), text, associated)))
    held = session or session_of(queue, data["actor"], data["until"], data["session"])
    return f"request/{name}", {
        "about": about,
        "kind": "request",
        "queue": queue,
        "now": NOW,
        "job": {"name": queue, "id": data["id"]} | (job or {}),
        "data": changed(data, after or {}),
        "session": held,
        "verdict": verdict["verdict"],
    } | ({"opens_to": content} if verdict["verdict"] == "accept" else {}) | verdict
