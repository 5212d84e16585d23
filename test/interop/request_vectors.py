"""Vectors of requests: good ones, and one condition each that a worker must refuse."""

from collections.abc import Callable, Iterator
from typing import Any

import pii1
from fixed import (
    ACTOR, BODIES, DETOK, EXP, ID, KEY, NOW, OTHER_ID, OTHER_KEY, TOKEN, TOKENIZE, UNTIL, WRAPPED, Vector,
    changed, compact, iv_of, padded, session_of,
)

Tamper = Callable[[bytes], bytes]
HINT_MALFORMED = {"verdict": "envelope", "code": "malformed", "answer": "hint"}
NO_ANSWER = {"verdict": "envelope", "code": "malformed", "answer": "none"}
UNAUTHENTICATED = {"verdict": "seal", "code": "unauthenticated", "answer": "hint"}
NO_SESSION = {"verdict": "session", "code": "unauthenticated", "answer": "hint"}
BAD_BODY = {"verdict": "body", "code": "malformed", "answer": "sealed"}


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
        "v": 1, "id": ID, "actor": ACTOR, "session": WRAPPED, "until": UNTIL, "exp": EXP,
        "reply": f"reply-{ACTOR}", "items": count,
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


def accept(*faults: str | None) -> Vector:
    return {"verdict": "accept", "items": list(faults) or [None]}


def good() -> Iterator[tuple[str, Vector]]:
    longest = {
        "actor": "a" * 64, "reply": f"reply-{'a' * 64}.{'z' * 64}",
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
    yield request("tokenize-longest", "Purpose, field and subject at their longest", accept(), queue="tokenize", body=full)
    yield request("reason-256-code-points", "A reason is counted in code points, not UTF-16 units", accept(), body=emoji)
    yield request("reason-empty", "The empty string is a reason", accept(), body=DETOK | {"reason": ""})
    yield request("tokenize-unicode", "Values are byte-exact: no trimming, no normalization", accept(*[None] * 6),
                  queue="tokenize", body=unicode_body, plaintext=pii1.pad_body(unicode_body))
    yield request("tokenize-empty-value", "The empty string is a value", accept(), queue="tokenize",
                  body={"purpose": "p", "items": [{"field": "email", "value": ""}]})
    yield request("tokenize-subject", "An item with a subject", accept(), queue="tokenize",
                  body={"purpose": "p", "items": [{"field": "email", "subject": "cust-17", "value": "x"}]})
    yield request("items-1000", "As many items as a request may have", accept(*[None] * 1_000), queue="tokenize",
                  body=thousand)
    yield request("padding-none", "Readers take any JSON: that writers pad to 256 bytes is not theirs to check",
                  accept(), plaintext=compact(DETOK))
    yield request("padding-leading", "JSON whitespace may stand anywhere", accept(), plaintext=b" \n" + compact(DETOK))
    yield request("until-farthest", "A day ahead, and 120 s for clocks", accept(), clear={"until": NOW + 86_520})
    yield request("exp-just-past", "A deadline that passed within the 120 s for clocks", accept(),
                  clear={"exp": NOW - 120})
    yield request("exp-equals-until", "The deadline may be as late as the session's end", accept(), clear={"exp": UNTIL})
    yield request("reply-own-name", "A reply queue of the actor with a name", accept(),
                  clear={"reply": f"reply-{ACTOR}.host-1"})


def items() -> Iterator[tuple[str, Vector]]:
    """The request is good; each of these items is answered by itself."""
    tokens = [TOKEN, TOKEN + "\n", "tok_8zzzzzzzzzzzzzzzzzzzzzzzzz", TOKEN.upper(), TOKEN[:-1], "a@example.com", ""]
    yield request("item-tokens", "Strings that are no token, one of them with a line break at its end",
                  accept(None, *["invalid"] * 6), body={"purpose": "p", "items": [{"token": t} for t in tokens]})
    bad = [
        {"field": "Email", "value": "x"}, {"field": "email\n", "value": "x"}, {"field": "f" * 65, "value": "x"},
        {"field": "email", "subject": "", "value": "x"}, {"field": "email", "subject": "a b", "value": "x"},
        {"field": "email", "subject": "cust-17\n", "value": "x"}, {"field": "email", "subject": "s" * 129, "value": "x"},
        {"field": "email", "value": "\ud800"},
    ]
    yield request("item-labels", "Fields and subjects outside their grammar, and a lone surrogate as a value",
                  accept(None, *["invalid"] * 8), queue="tokenize",
                  body={"purpose": "p", "items": [{"field": "email", "value": "ok"}, *bad]})


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
    yield request("reply-other-actor", "The reply queue of another actor", NO_ANSWER, clear={"reply": "reply-svc-other"})
    yield request("reply-longer-actor", "The reply queue of an actor whose name begins alike", NO_ANSWER,
                  clear={"reply": f"reply-{ACTOR}-2"})
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
    url_safe = request("base64-url", "The alphabet of base64url", HINT_MALFORMED,
                       encode=lambda sealed: "-_" + pii1.to_base64(sealed)[2:])
    yield url_safe
    yield request("base64-line-break", "Base64 with a line break at its end", HINT_MALFORMED,
                  encode=lambda sealed: pii1.to_base64(sealed) + "\n")
    yield request("base64-space", "Base64 with a space inside", HINT_MALFORMED,
                  encode=lambda sealed: "A A" + pii1.to_base64(sealed)[3:])


def encodings() -> Iterator[tuple[str, Vector]]:
    verdict = {"verdict": "base64", "code": "malformed", "answer": "hint"}
    yield request("base64-unpadded", "Base64 without its padding", verdict,
                  encode=lambda sealed: pii1.to_base64(sealed).rstrip("="))
    yield request("base64-trailing-bits", "Bits after the last byte that are not zero", verdict, encode=trailing_bits)


def trailing_bits(sealed: bytes) -> str:
    text = pii1.to_base64(sealed)
    digits, padding = text.rstrip("="), "=" * (len(text) - len(text.rstrip("=")))
    assert padding, "such bits exist only where there is padding"
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return digits[:-1] + alphabet[alphabet.index(digits[-1]) + 1] + padding


def sessions() -> Iterator[tuple[str, Vector]]:
    yield request("session-other-actor", "A session of another actor: no key of this name opens it", NO_SESSION,
                  session=session_of("detok", "svc-other", UNTIL))
    yield request("session-other-queue", "A session of the other queue", NO_SESSION,
                  session=session_of("tokenize", ACTOR, UNTIL))
    yield request("session-until-later", "An end of the session that it was not made for", NO_SESSION,
                  session=session_of("detok", ACTOR, UNTIL - 3_600))
    yield request("session-altered", "A wrapped key that Transit did not make", NO_SESSION,
                  after={"session": WRAPPED[:-4] + "AAAA"})


def seals() -> Iterator[tuple[str, Vector]]:
    def altered(name: str, about: str, after: dict[str, Any], session: dict[str, str] | None = None):
        job = {"id": after["id"]} if "id" in after else None
        return request(name, about, UNAUTHENTICATED, after=after, session=session, job=job)

    yield altered("altered-id", "Another id than was sealed", {"id": OTHER_ID})
    yield altered("altered-actor", "Another actor, whose session even opens", {
        "actor": "svc-other", "reply": "reply-svc-other"}, session_of("detok", "svc-other", UNTIL))
    yield altered("altered-until", "Another end of the session", {"until": UNTIL - 1},
                  session_of("detok", ACTOR, UNTIL - 1))
    yield altered("altered-exp", "A later deadline", {"exp": EXP + 1})
    yield altered("altered-reply", "Another reply queue of the same actor", {"reply": f"reply-{ACTOR}.mine"})
    yield altered("altered-items", "Another number of items", {"items": 2})
    yield request("altered-queue", "Sealed for the other queue", UNAUTHENTICATED, sealed_for="tokenize")
    yield request("altered-iv", "A flipped bit in the iv", UNAUTHENTICATED, tamper=lambda s: flip(s, 0))
    yield request("altered-ciphertext", "A flipped bit in the ciphertext", UNAUTHENTICATED, tamper=lambda s: flip(s, 12))
    yield request("altered-tag", "A flipped bit in the tag", UNAUTHENTICATED, tamper=lambda s: flip(s, len(s) - 1))
    yield request("tag-12-bytes", "A tag cut to 12 bytes", UNAUTHENTICATED, tamper=lambda s: s[:-4])
    yield request("body-27-bytes", "Too short to hold an iv and a tag", UNAUTHENTICATED, tamper=lambda s: s[:27])
    yield request("body-empty", "No bytes at all", UNAUTHENTICATED, tamper=lambda s: b"")
    yield request("wrong-key", "Sealed with another key", UNAUTHENTICATED, key=OTHER_KEY)


def flip(sealed: bytes, at: int) -> bytes:
    return sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :]


def times_and_sizes() -> Iterator[tuple[str, Vector]]:
    malformed = {"verdict": "time", "code": "malformed", "answer": "sealed"}
    yield request("until-too-far", "A session of more than a day and 120 s", malformed, clear={"until": NOW + 86_521})
    yield request("exp-after-until", "A deadline after the session's end", malformed, clear={"exp": UNTIL + 1})
    yield request("exp-past", "A deadline that passed 121 s ago",
                  {"verdict": "time", "code": "expired", "answer": "sealed"}, clear={"exp": NOW - 121})
    yield request("items-1001", "More items than a request may have",
                  {"verdict": "size", "code": "too_large", "answer": "sealed"}, clear={"items": 1_001})


def bodies() -> Iterator[tuple[str, Vector]]:
    def bad(name: str, about: str, plaintext: bytes, queue: str = "detok", **clear: Any) -> tuple[str, Vector]:
        return request(name, about, BAD_BODY, queue=queue, plaintext=plaintext, clear=clear)

    def shaped(name: str, about: str, body: Any, queue: str = "detok") -> tuple[str, Vector]:
        return request(name, about, BAD_BODY, queue=queue, body=body)

    yield bad("body-not-json", "A plaintext that is no JSON", padded(b"purpose=export"))
    yield bad("body-no-plaintext", "A plaintext of no bytes", b"")
    yield bad("body-nul-padding", "Zeros in place of spaces", compact(DETOK) + b"\0" * 8)
    yield bad("body-utf-8", "Bytes that are no UTF-8", padded(compact(TOKENIZE).replace(b"a@", b"\xff@")), "tokenize")
    yield bad("body-utf-16", "JSON in UTF-16", compact(DETOK).decode().encode("utf-16-le"))
    yield bad("body-bom", "JSON after a byte order mark", b"\xef\xbb\xbf" + compact(DETOK))
    yield bad("body-nan", "A word that only some JSON parsers take", padded(b'{"purpose":NaN,"items":[{"token":""}]}'))
    yield bad("body-fewer-items", "Fewer items than the clear field says", padded(compact(DETOK)), items=2)
    yield shaped("body-array", "JSON of another type", [DETOK])
    yield shaped("body-no-items", "An empty list of items", DETOK | {"items": []})
    yield shaped("body-member-unknown", "A member that the contract has not", DETOK | {"extra": 1})
    yield shaped("body-purpose-missing", "No purpose", {"items": DETOK["items"]})
    yield shaped("body-purpose-line-break", "A line break at the end of the purpose", DETOK | {"purpose": "export\n"})
    yield shaped("body-purpose-65", "A purpose of 65 characters", DETOK | {"purpose": "p" * 65})
    yield shaped("body-reason-null", "null where a member may be absent", DETOK | {"reason": None})
    yield shaped("body-reason-257", "A reason of 257 characters", DETOK | {"reason": "r" * 257})
    yield shaped("body-reason-control", "A control character in the reason", DETOK | {"reason": "a\u0085b"})
    yield shaped("body-reason-line-break", "A line break at the end of the reason", DETOK | {"reason": "a\n"})
    yield shaped("body-reason-surrogate", "A lone surrogate in the reason", DETOK | {"reason": "\udc00"})
    yield shaped("body-token-number", "A token that is no string", DETOK | {"items": [{"token": 1}]})
    yield shaped("body-item-unknown", "A member that an item has not", DETOK | {"items": [{"token": TOKEN, "mask": ""}]})
    yield shaped("body-other-queue", "The body of a tokenize request on the detok queue", TOKENIZE)
    yield shaped("body-subject-null", "null where a member may be absent", TOKENIZE | {
        "items": [{"field": "email", "subject": None, "value": "x"}]}, "tokenize")


def vectors() -> Iterator[tuple[str, Vector]]:
    for part in (good, items, envelopes, encodings, sessions, seals, times_and_sizes, bodies):
        yield from part()
