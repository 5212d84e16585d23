"""Vectors of requests that a worker must refuse before it has opened them: one condition each."""

from collections.abc import Iterator
from typing import Any

import pii1
from fixed import ACTOR, EXP, ID, OTHER_ID, OTHER_KEY, UNTIL, WRAPPED, Vector, session_of
from request_maker import request

HINT_MALFORMED = {"verdict": "envelope", "code": "malformed", "answer": "hint"}
NO_ANSWER = {"verdict": "envelope", "code": "malformed", "answer": "none"}
UNAUTHENTICATED = {"verdict": "seal", "code": "unauthenticated", "answer": "hint"}
NO_SESSION = {"verdict": "session", "code": "unauthenticated", "answer": "hint"}


def envelopes() -> Iterator[tuple[str, Vector]]:
    def bad(name: str, about: str, after: dict[str, Any], verdict: Vector = HINT_MALFORMED) -> tuple[str, Vector]:
        return request(name, about, verdict, after=after)

    yield bad("version-2", "A version that is not 1", {"v": 2})
    yield bad("version-string", "The version as a string", {"v": "1"})
    yield bad("member-unknown", "A member that the contract has not", {"extra": 1})
    yield bad("member-proto", "A member named __proto__ is as unknown as any", {"__proto__": {"v": 1}})
    yield bad("member-missing", "No session", {"session": None})
    yield request("id-upper-case", "A UUID in upper case", NO_ANSWER, clear={"id": ID.upper()})
    yield request("id-uuid-4", "A UUID of another version", NO_ANSWER, clear={"id": ID.replace("-7", "-4")})
    yield request("id-line-break", "A line break at the end", NO_ANSWER, clear={"id": ID + "\n"})
    yield request("job-id-other", "The job's id is not the request's", HINT_MALFORMED, job={"id": OTHER_ID})
    yield request("job-name-other", "The job's name is not its queue's", HINT_MALFORMED, job={"name": "tokenize"})
    yield request("actor-upper-case", "An actor outside its grammar", NO_ANSWER, clear={"actor": "Svc"})
    yield request("actor-65", "An actor of 65 characters", NO_ANSWER, clear={"actor": "a" * 65})
    yield request("actor-line-break", "A line break at the end", NO_ANSWER, clear={"actor": ACTOR + "\n"})
    yield request(
        "reply-other-actor", "The reply queue of another actor", NO_ANSWER, clear={"reply": "reply-svc-other"}
    )
    yield request(
        "reply-longer-actor",
        "The reply queue of an actor whose name begins alike",
        NO_ANSWER,
        clear={"reply": f"reply-{ACTOR}-2"},
    )
    yield request("reply-request-queue", "A queue that is no reply queue", NO_ANSWER, clear={"reply": "detok"})
    yield request("reply-line-break", "A line break at the end", NO_ANSWER, clear={"reply": f"reply-{ACTOR}\n"})
    yield bad("session-version-0", "A key version that Transit does not make", {"session": "vault:v0:AAAA"})
    yield bad("session-513", "A wrapped key of 513 characters", {"session": "vault:v1:" + "A" * 504})
    yield bad("session-line-break", "A line break at the end", {"session": WRAPPED + "\n"})
    yield request("items-0", "A request of no items", HINT_MALFORMED, clear={"items": 0})
    yield bad("items-string", "A number as a string", {"items": "1"})
    yield bad("items-true", "A boolean is no number", {"items": True})
    yield bad("until-negative", "A time before 1970", {"until": -1})
    yield bad("exp-fraction", "A time that is no integer", {"exp": EXP + 0.5})
    yield bad("until-unsafe", "An integer above 2^53 - 1", {"until": 1 << 53})
    url_safe = request(
        "base64-url",
        "The alphabet of base64url",
        HINT_MALFORMED,
        encode=lambda sealed: "-_" + pii1.to_base64(sealed)[2:],
    )
    yield url_safe
    yield request(
        "base64-line-break",
        "Base64 with a line break at its end",
        HINT_MALFORMED,
        encode=lambda sealed: pii1.to_base64(sealed) + "\n",
    )
    yield request(
        "base64-space",
        "Base64 with a space inside",
        HINT_MALFORMED,
        encode=lambda sealed: "A A" + pii1.to_base64(sealed)[3:],
    )


def encodings() -> Iterator[tuple[str, Vector]]:
    verdict = {"verdict": "base64", "code": "malformed", "answer": "hint"}
    yield request(
        "base64-unpadded",
        "Base64 without its padding",
        verdict,
        encode=lambda sealed: pii1.to_base64(sealed).rstrip("="),
    )
    yield request("base64-trailing-bits", "Bits after the last byte that are not zero", verdict, encode=trailing_bits)


def trailing_bits(sealed: bytes) -> str:
    text = pii1.to_base64(sealed)
    digits, padding = text.rstrip("="), "=" * (len(text) - len(text.rstrip("=")))
    assert padding, "such bits exist only where there is padding"
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return digits[:-1] + alphabet[alphabet.index(digits[-1]) + 1] + padding


def sessions() -> Iterator[tuple[str, Vector]]:
    yield request(
        "session-other-actor",
        "A session of another actor: no key of this name opens it",
        NO_SESSION,
        session=session_of("detok", "svc-other", UNTIL),
    )
    yield request(
        "session-other-queue", "A session of the other queue", NO_SESSION, session=session_of("tokenize", ACTOR, UNTIL)
    )
    yield request(
        "session-until-later",
        "An end of the session that it was not made for",
        NO_SESSION,
        session=session_of("detok", ACTOR, UNTIL - 3_600),
    )
    yield request(
        "session-altered",
        "A wrapped key that Transit did not make",
        NO_SESSION,
        after={"session": WRAPPED[:-4] + "AAAA"},
    )


def seals() -> Iterator[tuple[str, Vector]]:
    def altered(
        name: str, about: str, after: dict[str, Any], session: dict[str, str] | None = None
    ) -> tuple[str, Vector]:
        job = {"id": after["id"]} if "id" in after else None
        return request(name, about, UNAUTHENTICATED, after=after, session=session, job=job)

    yield altered("altered-id", "Another id than was sealed", {"id": OTHER_ID})
    yield altered(
        "altered-actor",
        "Another actor, whose session even opens",
        {"actor": "svc-other", "reply": "reply-svc-other"},
        session_of("detok", "svc-other", UNTIL),
    )
    yield altered(
        "altered-until", "Another end of the session", {"until": UNTIL - 1}, session_of("detok", ACTOR, UNTIL - 1)
    )
    yield altered("altered-exp", "A later deadline", {"exp": EXP + 1})
    yield altered("altered-reply", "Another reply queue of the same actor", {"reply": f"reply-{ACTOR}.mine"})
    yield altered("altered-items", "Another number of items", {"items": 2})
    yield request("altered-queue", "Sealed for the other queue", UNAUTHENTICATED, sealed_for="tokenize")
    yield request("altered-iv", "A flipped bit in the iv", UNAUTHENTICATED, tamper=lambda s: flip(s, 0))
    yield request(
        "altered-ciphertext", "A flipped bit in the ciphertext", UNAUTHENTICATED, tamper=lambda s: flip(s, 12)
    )
    yield request("altered-tag", "A flipped bit in the tag", UNAUTHENTICATED, tamper=lambda s: flip(s, len(s) - 1))
    yield request("tag-12-bytes", "A tag cut to 12 bytes", UNAUTHENTICATED, tamper=lambda s: s[:-4])
    yield request("body-27-bytes", "Too short to hold an iv and a tag", UNAUTHENTICATED, tamper=lambda s: s[:27])
    yield request("body-empty", "No bytes at all", UNAUTHENTICATED, tamper=lambda s: b"")
    yield request("wrong-key", "Sealed with another key", UNAUTHENTICATED, key=OTHER_KEY)


def flip(sealed: bytes, at: int) -> bytes:
    return sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]


def vectors() -> Iterator[tuple[str, Vector]]:
    for part in (envelopes, encodings, sessions, seals):
        yield from part()
