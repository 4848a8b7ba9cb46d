"""JSON Schemas of the tools, without what costs tokens and says nothing."""

from pydantic import BaseModel

Schema = dict[str, object]

_DROPPED = {"title", "$defs", "description"}


def slim(model: type[BaseModel]) -> Schema:
    """The model's schema with definitions inlined and titles, nulls and empty defaults gone.

    An argument that may be null may as well be left out, so null is accepted but not shown.
    A default is told where it is a text or a number that says something.
    """
    whole = model.model_json_schema(by_alias=True)
    definitions = whole.get("$defs", {})
    required = list(whole.get("required", []))
    properties = {name: _field(field, definitions) for name, field in whole["properties"].items()}
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def _field(field: Schema, definitions: dict[str, Schema]) -> Schema:
    told = field.get("description")
    shape = _shape(field, definitions)
    if isinstance(told, str):
        shape["description"] = told
    return shape


def _shape(field: Schema, definitions: dict[str, Schema]) -> Schema:
    reference = field.get("$ref")
    if isinstance(reference, str):
        return _shape(definitions[reference.rsplit("/", 1)[1]], definitions)
    choices = field.get("anyOf")
    if isinstance(choices, list):
        return _shape(
            next(choice for choice in choices if choice.get("type") != "null"), definitions
        )
    shape = {key: value for key, value in field.items() if key not in _DROPPED}
    if not shape.get("default") or isinstance(shape["default"], list | dict):
        shape.pop("default", None)
    items = shape.get("items")
    if isinstance(items, dict):
        shape["items"] = _shape(items, definitions)
    return shape


def or_error(model: type[BaseModel]) -> Schema:
    """The schema of an answer, or of the error in its place: clients validate both."""
    whole: Schema = model.model_json_schema(by_alias=True)
    definitions = whole.pop("$defs", {})
    text = {"type": "string"}
    error = {
        "type": "object",
        "properties": {"code": text, "message": text, "hint": text},
        "required": ["code", "message", "hint"],
    }
    told = {"type": "object", "properties": {"error": error}, "required": ["error"]}
    return {"type": "object", "anyOf": [whole, told], "$defs": definitions}
