"""Vectors of records: a value under its own data key. No producer meets one; a second reader of the vault does."""

import hashlib
from collections.abc import Iterator

import pii1
from fixed import OTHER_TOKEN, TOKEN, Vector, iv_of

DEK = hashlib.sha256(b"data key of the vectors").digest()
LABEL = {"tenant": "acme", "field": "email", "subject": "cust-17", "token": TOKEN}


def record(
    name: str,
    about: str,
    verdict: str,
    value: str = "a@example.com",
    *,
    plaintext: bytes | None = None,
    label: dict[str, str] | None = None,
    dek: bytes = DEK,
    cut: int | None = None,
) -> tuple[str, Vector]:
    """`label` and `dek` are what it is opened with. It was sealed with DEK, and with LABEL unless it is a good one."""
    opened_with = LABEL | (label or {})
    sealed_with = opened_with if verdict == "accept" else LABEL
    text = pii1.pad_record(value.encode()) if plaintext is None else plaintext
    ciphertext = pii1.seal(DEK, iv_of(name), text, pii1.record_aad(sealed_with))[:cut]
    return f"record/{name}", {
        "about": about,
        "kind": "record",
        "dek": pii1.to_base64(dek),
        "label": opened_with,
        "ciphertext": pii1.to_base64(ciphertext),
        "verdict": verdict,
    } | ({"opens_to": value} if verdict == "accept" else {})


def good() -> Iterator[tuple[str, Vector]]:
    yield record("value", "A value", "accept")
    yield record("value-empty", "The empty string is a value: 32 bytes of padding", "accept", "")
    yield record("value-31", "31 bytes fill one block with their 0x80", "accept", "x" * 31)
    yield record("value-32", "32 bytes need a second block", "accept", "x" * 32)
    yield record("value-33", "33 bytes fit in the second block", "accept", "x" * 33)
    yield record("value-nul-end", "A value that ends in zeros keeps them", "accept", "a\0\0")
    yield record("value-80-end", "UTF-8 whose last byte is 0x80", "accept", "a\u4000")
    yield record(
        "value-unicode",
        "Characters of many planes, not normalized",
        "accept",
        "Zo\u00eb Zoe\u0308 \U0001f469\u200d\U0001f469",
    )
    yield record("subject-absent", "No subject: its line of the AAD is empty", "accept", label={"subject": ""})
    yield record(
        "longest-label",
        "Field and subject at their longest",
        "accept",
        label={"tenant": "t" * 64, "field": "f" * 64, "subject": "~" * 128},
    )


def bad() -> Iterator[tuple[str, Vector]]:
    yield record("moved-tenant", "The label of another tenant", "seal", label={"tenant": "other"})
    yield record("moved-field", "The label of another field", "seal", label={"field": "phone"})
    yield record("moved-subject", "The label of another subject", "seal", label={"subject": "cust-18"})
    yield record("moved-token", "The token of another row", "seal", label={"token": OTHER_TOKEN})
    yield record(
        "labels-swapped", "Field and subject exchanged", "seal", label={"field": "cust-17", "subject": "email"}
    )
    yield record("dek-other", "Another data key", "seal", dek=hashlib.sha256(b"another data key").digest())
    yield record("dek-31-bytes", "A data key of 31 bytes", "key", dek=DEK[:31])
    yield record("tag-12-bytes", "A tag cut to 12 bytes", "seal", cut=-4)
    yield record("ciphertext-27-bytes", "Too short to hold an iv and a tag", "seal", cut=27)
    yield record("padding-missing", "A value without its 0x80", "padding", plaintext=b"x" * 32)
    yield record("padding-zeros", "Zeros alone", "padding", plaintext=b"\0" * 32)
    yield record("padding-nothing", "No plaintext at all", "padding", plaintext=b"")
    yield record("padding-not-zero", "Something after the 0x80", "padding", plaintext=b"x\x80" + b"\0" * 29 + b"\x01")
    yield record("text-utf-8", "A value that is no UTF-8", "text", plaintext=pii1.pad_record(b"\xff"))


def vectors() -> Iterator[tuple[str, Vector]]:
    yield from good()
    yield from bad()
