"""What a worker does with a request and a requester with a reply, in the order of the contract's layers.

Each function answers a verdict: `accept` and what was opened, or the layer that refuses. `unwrap` stands for OpenBao: it
gives the plaintext of a wrapped key under a Transit key's name and associated data, or None.
"""

from collections.abc import Callable
from typing import Any

import pii1

Unwrap = Callable[[str, str, bytes], bytes | None]
Verdict = dict[str, Any]

REQUEST = {"v", "id", "actor", "session", "until", "exp", "reply", "items", "body"}
REPLY = {"v", "id", "actor", "queue", "session", "until", "request", "items", "ok", "failed", "body"}


def refuse(layer: str, code: str | None = None, answer: str | None = None) -> Verdict:
    return {"verdict": layer} | ({"code": code, "answer": answer} if code else {})


def judge_request(queue: str, job: dict[str, str], data: Any, now: int, unwrap: Unwrap) -> Verdict:
    if not is_request(data) or job["name"] != queue or job["id"] != data["id"]:
        return refuse("envelope", "malformed", "hint")
    if data["reply"].split(".")[0] != "reply-" + data["actor"]:
        return refuse("envelope", "malformed", "none")
    actor, until = data["actor"], data["until"]
    key = unwrap(f"queue-{queue}-{actor}", data["session"], pii1.session_aad(queue, actor, until))
    if key is None:
        return refuse("session", "unauthenticated", "hint")
    if len(data["body"]) > pii1.BODY_CHARACTERS:
        return refuse("size", "too_large", "sealed")
    sealed = pii1.from_base64(data["body"])
    if sealed is None:
        return refuse("base64", "malformed", "hint")
    plaintext = pii1.unseal(key, sealed, pii1.request_aad(queue, data))
    if plaintext is None:
        return refuse("seal", "unauthenticated", "hint")
    if until > now + pii1.DAY + pii1.CLOCK_SKEW or data["exp"] > until:
        return refuse("time", "malformed", "sealed")
    if now > data["exp"] + pii1.CLOCK_SKEW:
        return refuse("time", "expired", "sealed")
    if data["items"] > pii1.MOST_ITEMS or len(sealed) > pii1.MEBIBYTE:
        return refuse("size", "too_large", "sealed")
    body = parsed(plaintext)
    if not is_body(queue, body) or len(body["items"]) != data["items"]:
        return refuse("body", "malformed", "sealed")
    return {"verdict": "accept", "opens_to": body, "items": [item_fault(queue, item) for item in body["items"]]}


def judge_reply(ticket: dict[str, Any], actor: str, data: Any, unwrap: Unwrap) -> Verdict:
    if not is_reply(data):
        return refuse("envelope")
    said = [data[name] for name in ("queue", "id", "request", "items", "actor")]
    if said != [ticket["queue"], ticket["id"], ticket["request"], ticket["items"], actor]:
        return refuse("ticket")
    sealed = pii1.from_base64(data["body"])
    if sealed is None:
        return refuse("base64")
    name, bound = f"queue-{data['queue']}-{actor}", pii1.session_aad(data["queue"], actor, data["until"])
    key = unwrap(name, data["session"], bound)
    if key is None:
        return refuse("session")
    plaintext = pii1.unseal(key, sealed, pii1.reply_aad(data))
    if plaintext is None:
        return refuse("seal")
    body = parsed(plaintext)
    if not is_reply_body(data["queue"], body) or len(body.get("items", said)) not in (data["items"], len(said)):
        return refuse("body")
    if "items" in body and len(body["items"]) != data["items"]:
        return refuse("body")
    return {"verdict": "accept", "opens_to": body}


def judge_hint(data: Any) -> Verdict:
    known = has(data, {"code"}) and data["code"] in pii1.REQUEST_CODES
    return {"verdict": "accept", "opens_to": data} if known else refuse("envelope")


def judge_record(dek: bytes, label: dict[str, str], ciphertext: bytes) -> Verdict:
    if len(dek) != 32:
        return refuse("key")
    plaintext = pii1.unseal(dek, ciphertext, pii1.record_aad(label))
    if plaintext is None:
        return refuse("seal")
    value = pii1.unpad_record(plaintext)
    if value is None:
        return refuse("padding")
    try:
        return {"verdict": "accept", "opens_to": value.decode("utf-8")}
    except UnicodeDecodeError:
        return refuse("text")


def parsed(plaintext: bytes) -> Any:
    try:
        return pii1.parse_body(plaintext)
    except (ValueError, RecursionError):
        return None


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
    "detok": lambda item: is_failure(item)
    or (has(item, {"value", "mask"}) and isinstance(item["value"], str) and item["mask"] in pii1.MASKS),
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
