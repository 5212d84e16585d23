"""Checks test vectors, whoever made them: `check_vectors.py DIRECTORY`. Exit code 1 if one differs; each is named."""

import json
import sys
from pathlib import Path
from typing import Any

import judge
import pii1


def verdict_of(vector: dict[str, Any]) -> dict[str, Any]:
    match vector["kind"]:
        case "request":
            return judge.judge_request(
                vector["queue"], vector["job"], vector["data"], vector["now"], unwrapping(vector["session"])
            )
        case "reply":
            return judge.judge_reply(vector["ticket"], vector["actor"], vector["data"], unwrapping(vector["session"]))
        case "hint":
            return judge.judge_hint(vector["data"])
        case "record":
            dek, ciphertext = pii1.from_base64(vector["dek"]), pii1.from_base64(vector["ciphertext"])
            assert dek is not None and ciphertext is not None
            return judge.judge_record(dek, vector["label"], ciphertext)
        case kind:
            raise ValueError(kind)


def unwrapping(session: dict[str, str]) -> judge.Unwrap:
    """An OpenBao that holds one wrapped key."""

    def unwrap(name: str, wrapped: str, associated: bytes) -> bytes | None:
        asked = (name, wrapped, pii1.to_base64(associated))
        held = (session["transit_key"], session["ciphertext"], session["associated_data"])
        return pii1.from_base64(session["plaintext"]) if asked == held else None

    return unwrap


def main(directory: Path) -> int:
    files = sorted(directory.rglob("*.json"))
    wrong = 0
    for file in files:
        vector = json.loads(file.read_text(encoding="utf-8"))
        expected = {name: vector[name] for name in ("verdict", "code", "answer", "opens_to", "items") if name in vector}
        actual = verdict_of(vector)
        if actual != expected:
            wrong += 1
            print(f"{file}: expected {json.dumps(expected)[:300]}, not {json.dumps(actual)[:300]}", file=sys.stderr)
    print(f"{len(files)} vectors, {wrong} wrong")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
