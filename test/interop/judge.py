"""What a worker does with a request and a requester with a reply, in the order of the contract's layers.

Each function answers a verdict: `accept` and what was opened, or the layer that refuses. `unwrap` stands for OpenBao:
it gives the plaintext of a wrapped key under a Transit key's name and associated data, or None.
"""

from collections.abc import Callable
from typing import Any

import pii1
import shapes

Unwrap = Callable[[str, str, bytes], bytes | None]
Verdict = dict[str, Any]


def refuse(layer: str, code: str | None = None, answer: str | None = None) -> Verdict:
    return {"verdict": layer} | ({"code": code, "answer": answer} if code else {})


def judge_request(queue: str, job: dict[str, str], data: Any, now: int, unwrap: Unwrap) -> Verdict:
    named = shapes.is_request(data) and job["name"] == queue and job["id"] == data["id"]
    if not named or not is_reply_queue_of(data["actor"], data["reply"]):
        return refuse("envelope", "malformed", "hint" if may_be_hinted(data) else "none")
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
    if not shapes.is_body(queue, body) or len(body["items"]) != data["items"]:
        return refuse("body", "malformed", "sealed")
    return {"verdict": "accept", "opens_to": body, "items": [shapes.item_fault(queue, item) for item in body["items"]]}


def is_reply_queue_of(actor: str, reply: str) -> bool:
    return reply.split(".")[0] == f"reply-{actor}"


def may_be_hinted(data: Any) -> bool:
    """Whoever cannot be named for certain is told nothing, or told it in their own reply queue only."""
    claim = data if isinstance(data, dict) else {}
    good = all(pii1.matches(name, claim.get(name)) for name in ("id", "actor", "reply"))
    return good and is_reply_queue_of(claim["actor"], claim["reply"])


def judge_reply(ticket: dict[str, Any], actor: str, data: Any, unwrap: Unwrap) -> Verdict:
    if not shapes.is_reply(data):
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
    if not shapes.is_reply_body(data["queue"], body) or ("items" in body and len(body["items"]) != data["items"]):
        return refuse("body")
    return {"verdict": "accept", "opens_to": body}


def judge_hint(data: Any) -> Verdict:
    known = shapes.has(data, {"code"}) and data["code"] in pii1.REQUEST_CODES
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
