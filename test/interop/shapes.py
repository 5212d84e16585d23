"""The shapes of what goes over the wire: exact members, whole-string grammars, integers within 2^53 - 1."""

from collections.abc import Callable
from typing import Any

import pii1

REQUEST = {"v", "id", "actor", "session", "until", "exp", "reply", "items", "body"}
REPLY = {"v", "id", "actor", "queue", "session", "until", "request", "items", "ok", "failed", "body"}


def has(data: Any, required: set[str], optional: frozenset[str] = frozenset()) -> bool:
    return isinstance(data, dict) and required <= data.keys() <= required | optional


def is_request(data: Any) -> bool:
    return (
        has(data, REQUEST)
        and is_clear(data, "id", "actor", "session", "reply", "body")
        and pii1.is_int(data["exp"], 0)
        and pii1.is_int(data["items"], 1, 1_000_000_000)
    )


def is_reply(data: Any) -> bool:
    return (
        has(data, REPLY)
        and is_clear(data, "id", "actor", "session", "request", "body")
        and data["queue"] in pii1.QUEUES
        and pii1.is_int(data["items"], 1)
        and pii1.is_int(data["ok"], 0)
        and pii1.is_int(data["failed"], 0)
    )


def is_clear(data: dict[str, Any], *grammars: str) -> bool:
    version = pii1.is_int(data["v"], 1, 1) and pii1.is_int(data["until"], 0)
    return version and all(pii1.matches(name, data[name]) for name in grammars)


def is_body(queue: str, body: Any) -> bool:
    if not has(body, {"purpose", "items"}, frozenset({"reason"})) or not pii1.matches("purpose", body["purpose"]):
        return False
    if "reason" in body and not pii1.matches("reason", body["reason"]):
        return False
    required = {"token"} if queue == "detok" else {"field", "value"}
    optional = frozenset() if queue == "detok" else frozenset({"subject"})
    return is_list(body["items"]) and all(
        has(item, required, optional) and all(isinstance(text, str) for text in item.values()) for item in body["items"]
    )


def is_list(items: Any) -> bool:
    return isinstance(items, list) and len(items) > 0


def is_reply_body(queue: str, body: Any) -> bool:
    if has(body, {"error"}):
        return body["error"] in pii1.REQUEST_CODES
    return has(body, {"items"}) and isinstance(body["items"], list) and all(map(outcomes[queue], body["items"]))


def is_failure(item: Any) -> bool:
    return has(item, {"error"}) and item["error"] in pii1.ITEM_CODES


outcomes: dict[str, Callable[[Any], bool]] = {
    "detok": lambda item: (
        is_failure(item)
        or (has(item, {"value", "mask"}) and isinstance(item["value"], str) and item["mask"] in pii1.MASKS)
    ),
    "tokenize": lambda item: is_failure(item) or (has(item, {"token"}) and pii1.matches("token", item["token"])),
}


def item_fault(queue: str, item: dict[str, str]) -> str | None:
    """The code of an item that cannot be processed, whatever the vault holds; None for any other."""
    if queue == "detok":
        return None if pii1.matches("token", item["token"]) else "invalid"
    try:
        size = len(item["value"].encode("utf-8"))
    except UnicodeEncodeError:
        return "invalid"  # a lone surrogate
    if size > pii1.VALUE_BYTES:
        return "too_large"
    subject_ok = "subject" not in item or pii1.matches("subject", item["subject"])
    return None if subject_ok and pii1.matches("field", item["field"]) else "invalid"
