"""Compares the JSON Schemas of the contract with this implementation: `check_schemas.py SCHEMAS VECTORS`.

Each vector's envelope, and what is inside where its key opens it, must be valid by both or by neither.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import json_schema
import judge
import pii1
import shapes

# JSON Schema has no words for a lone surrogate: the schema's description says it.
EXCEPT = "body-reason-surrogate"

Case = tuple[str, Any, bool]


def cases(vector: dict[str, Any]) -> Iterator[Case]:
    data: Any = vector.get("data")
    match vector["kind"]:
        case "hint":
            yield "hint", data, judge.judge_hint(data)["verdict"] == "accept"
        case "request":
            queue = vector["queue"]
            yield "request", data, shapes.is_request(data)
            if opens(vector):
                body = opened(vector, pii1.request_aad(queue, data))
                yield f"{queue}-body", body, shapes.is_body(queue, body)
        case "reply":
            yield "reply", data, shapes.is_reply(data)
            if opens(vector):
                queue, body = data["queue"], opened(vector, pii1.reply_aad(data))
                yield f"{queue}-reply-body", body, shapes.is_reply_body(queue, body)


def opens(vector: dict[str, Any]) -> bool:
    return vector["verdict"] in ("accept", "body")


def opened(vector: dict[str, Any], aad: bytes) -> Any:
    key, sealed = pii1.from_base64(vector["session"]["plaintext"]), pii1.from_base64(vector["data"]["body"])
    assert key is not None and sealed is not None
    return judge.parsed(pii1.unseal(key, sealed, aad) or b"")


def main(schemas: Path, vectors: Path) -> int:
    loaded = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in schemas.glob("*.json")}
    compared, wrong = 0, 0
    for file in sorted(vectors.rglob("*.json")):
        for schema, data, expected in cases(json.loads(file.read_text(encoding="utf-8"))):
            compared += 1
            if json_schema.is_valid(loaded[schema], data) != expected and file.stem != EXCEPT:
                wrong += 1
                print(f"{file}: {schema} should {'' if expected else 'not '}be valid", file=sys.stderr)
    print(f"{compared} compared, {wrong} wrong")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
