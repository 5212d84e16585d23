"""Fixed keys, times and identities of the vectors, and how their parts are sealed. Fixed ivs: for test vectors only."""

import hashlib
import json
from typing import Any

import pii1

Vector = dict[str, Any]

NOW = 1_790_000_000
UNTIL = NOW + pii1.DAY
EXP = NOW + 120
ID = "01a0c5d8-3d00-7abc-9def-0123456789ab"
OTHER_ID = "01a0c5d8-3d01-7abc-8def-0123456789ab"
ACTOR = "svc-export"
KEY = hashlib.sha256(b"session key of the vectors").digest()
OTHER_KEY = hashlib.sha256(b"another session key").digest()
WRAPPED = "vault:v1:" + pii1.to_base64(hashlib.sha512(b"wrapped session key").digest()[:60])
TOKEN = "tok_7zzzzzzzzzzzzzzzzzzzzzzzzz"
OTHER_TOKEN = "tok_0123456789abcdefghjkmnpqrs"

DETOK = {"purpose": "export", "items": [{"token": TOKEN}]}
TOKENIZE = {"purpose": "import", "items": [{"field": "email", "value": "a@example.com"}]}
BODIES = {"detok": DETOK, "tokenize": TOKENIZE}


def iv_of(name: str) -> bytes:
    return hashlib.sha256(f"iv of {name}".encode()).digest()[:12]


def session_of(queue: str, actor: str, until: int, wrapped: str = WRAPPED, key: bytes = KEY) -> dict[str, str]:
    """What OpenBao holds: `ciphertext` unwraps to `plaintext` under this key name and associated data only."""
    return {
        "transit_key": f"queue-{queue}-{actor}",
        "associated_data": pii1.to_base64(pii1.session_aad(queue, actor, until)),
        "ciphertext": wrapped,
        "plaintext": pii1.to_base64(key),
    }


def changed(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`data` with other members; None takes a member away."""
    return {name: value for name, value in (data | changes).items() if value is not None}


def compact(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


def padded(text: bytes) -> bytes:
    return text + b" " * (-len(text) % 256)
