"""Wire contract version 1 of pii-vault-workers: byte layouts and grammars.

Written from docs/contract/README.md and sharing no code with the TypeScript implementation, so that the two
check each other.
"""

import base64
import hashlib
import json
import re
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

QUEUES = ("detok", "tokenize")
MASKS = ("full", "last4", "email", "redact")
ITEM_CODES = (
    "not_found",
    "denied",
    "erased",
    "expired",
    "corrupt",
    "key_retired",
    "invalid",
    "too_large",
    "unavailable",
)
REQUEST_CODES = ("unauthenticated", "malformed", "expired", "too_large", "conflict", "unavailable")

MEBIBYTE = 1 << 20
MOST_ITEMS = 1_000
BODY_CHARACTERS = -(-MEBIBYTE // 3) * 4
VALUE_BYTES = 65_536
CLOCK_SKEW = 120
DAY = 86_400
SAFE_INTEGER = (1 << 53) - 1

# Always with fullmatch: in `re`, `$` also matches before a final line break.
GRAMMARS = {
    "id": re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
    "actor": re.compile(r"[a-z0-9-]{1,64}"),
    "session": re.compile(r"(?=.{1,512}\Z)vault:v[1-9][0-9]{0,8}:[A-Za-z0-9+/]+={0,2}"),
    "reply": re.compile(r"reply-[a-z0-9-]{1,64}(\.[a-z0-9-]{1,64})?"),
    "body": re.compile(r"[A-Za-z0-9+/]*={0,2}"),
    "request": re.compile(r"[0-9a-f]{64}"),
    "token": re.compile(r"tok_[0-7][0-9a-hjkmnp-tv-z]{25}"),
    "field": re.compile(r"[a-z][a-z0-9_]{0,63}"),
    "subject": re.compile(r"[!-~]{1,128}"),
    "purpose": re.compile(r"[a-z0-9_.-]{1,64}"),
    # Code points; no control characters (Cc) and no surrogates (Cs).
    "reason": re.compile("[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{0,256}"),
}


def matches(grammar: str, text: Any) -> bool:
    return isinstance(text, str) and GRAMMARS[grammar].fullmatch(text) is not None


def is_int(number: Any, least: int, most: int = SAFE_INTEGER) -> bool:
    return type(number) is int and least <= number <= most


def aad(*lines: object) -> bytes:
    return "\n".join(["pii1", *map(str, lines)]).encode()


def session_aad(queue: str, actor: str, until: int) -> bytes:
    return aad("session", queue, actor, until)


def request_aad(queue: str, r: dict[str, Any]) -> bytes:
    return aad("request", queue, r["id"], r["actor"], r["until"], r["exp"], r["reply"], r["items"])


def reply_aad(r: dict[str, Any]) -> bytes:
    return aad("reply", r["queue"], r["id"], r["actor"], r["request"], r["items"], r["ok"], r["failed"])


def record_aad(label: dict[str, str]) -> bytes:
    return aad("record", label["tenant"], label["field"], label["subject"], label["token"])


def seal(key: bytes, iv: bytes, plaintext: bytes, associated: bytes) -> bytes:
    """iv (12 bytes) ‖ ciphertext ‖ tag (16 bytes)"""
    return iv + AESGCM(key).encrypt(iv, plaintext, associated)


def unseal(key: bytes, sealed: bytes, associated: bytes) -> bytes | None:
    if len(sealed) < 12 + 16:
        return None
    try:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], associated)
    except InvalidTag:
        return None


def pad_body(content: Any) -> bytes:
    # A lone surrogate has no UTF-8 form; the backslash form is its JSON escape.
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    return text + b" " * (-len(text) % 256)


def parse_body(plaintext: bytes) -> Any:
    """The JSON inside; raises ValueError. Decoded first: json.loads of bytes would also take UTF-16 and a BOM."""

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(plaintext.decode("utf-8"), parse_constant=refuse)


def pad_record(value: bytes) -> bytes:
    return value + b"\x80" + b"\0" * (-(len(value) + 1) % 32)


def unpad_record(plaintext: bytes) -> bytes | None:
    value = plaintext.rstrip(b"\0")
    return value[:-1] if value.endswith(b"\x80") else None


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def from_base64(text: str) -> bytes | None:
    """Strict: what does not come out of encoding again was not encoded that way."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if to_base64(data) == text else None


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
