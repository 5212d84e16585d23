"""Writes the test vectors: `make_vectors.py DIRECTORY`. The same source gives the same bytes."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import record_vectors
import refused_body_vectors
import refused_reply_vectors
import refused_request_vectors
import reply_vectors
import request_vectors
from fixed import Vector

SOURCES = (
    request_vectors,
    refused_request_vectors,
    refused_body_vectors,
    reply_vectors,
    refused_reply_vectors,
    record_vectors,
)


def text_of(vector: Vector) -> str:
    """One member a line, and one a line of `data`: a change shows where it is."""
    lines = []
    for name, value in vector.items():
        text = nested(value) if name == "data" else json.dumps(value)
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def nested(data: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"    {json.dumps(name)}: {json.dumps(value)}" for name, value in data.items()) + "\n  }"


def main(directory: Path) -> None:
    written: set[str] = set()
    for kind in ("request", "reply", "hint", "record"):
        shutil.rmtree(directory / kind, ignore_errors=True)
        (directory / kind).mkdir(parents=True)
    for source in SOURCES:
        for name, vector in source.vectors():
            assert name not in written, name
            written.add(name)
            (directory / f"{name}.json").write_text(text_of(vector), encoding="utf-8")
    print(f"{len(written)} vectors")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
