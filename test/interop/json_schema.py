"""As much of JSON Schema as the schemas of the contract use, with patterns searched by Python's own `re`."""

import re
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}
KNOWN = {
    "$schema",
    "title",
    "description",
    "type",
    "const",
    "enum",
    "pattern",
    "not",
    "maxLength",
    "minimum",
    "maximum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "minItems",
    "anyOf",
}


def is_valid(schema: dict[str, Any], data: Any) -> bool:
    assert schema.keys() <= KNOWN, schema.keys() - KNOWN
    if "type" in schema and (isinstance(data, bool) or not isinstance(data, TYPES[schema["type"]])):
        return False
    if "const" in schema and data != schema["const"] or "enum" in schema and data not in schema["enum"]:
        return False
    if "anyOf" in schema and not any(is_valid(choice, data) for choice in schema["anyOf"]):
        return False
    if "not" in schema and is_valid(schema["not"], data):
        return False
    if isinstance(data, str):
        return is_valid_text(schema, data)
    if isinstance(data, (int, float)):
        return bool(schema.get("minimum", data) <= data <= schema.get("maximum", data))
    if isinstance(data, list):
        return bool(len(data) >= schema.get("minItems", 0)) and all(
            is_valid(schema.get("items", {}), item) for item in data
        )
    return not isinstance(data, dict) or is_valid_object(schema, data)


def is_valid_text(schema: dict[str, Any], text: str) -> bool:
    return len(text) <= schema.get("maxLength", len(text)) and bool(re.search(schema.get("pattern", ""), text))


def is_valid_object(schema: dict[str, Any], data: dict[str, Any]) -> bool:
    properties: dict[str, Any] = schema.get("properties", {})
    closed = schema.get("additionalProperties") is False
    if not set(schema.get("required", [])) <= data.keys() or (closed and not data.keys() <= properties.keys()):
        return False
    return all(is_valid(property_, data[name]) for name, property_ in properties.items() if name in data)
