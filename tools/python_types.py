"""Python types of the JSON that the core hands out, written from its JSON Schema (`gossamer._native.types`).

    python tools/python_types.py         write python/gossamer/types.py

`tools/docs.py` writes and checks it too, but needs a package that can be imported. This does not: it is for changes
after which the package imports types that are not there yet.

Structures become TypedDicts, words become `Literal`, comments of the Rust code become docstrings. The result passes
`ruff format` and `ruff check` as it is.
"""

import importlib.machinery
import importlib.util
import json
import keyword
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "gossamer"

Schema: TypeAlias = "dict[str, Any] | bool"

WIDTH = 120

HEADER = '''"""What the core hands to Python, as dicts: plans, graphs, topologies, progress, manifests.

Generated from structures of the Rust crates and their comments by `tools/docs.py --write` (`make docs`): change those.
Names end in their unit; numbers without one are counts or ratios.
"""

from typing import {imports}
'''

SENTENCE = re.compile(r"(?<=\.)(?<!\bApp\.)(?<!\bFig\.)(?<!\bEq\.)\s+")
"""Between two sentences."""

PLAIN = {"integer": "int", "number": "float", "string": "str", "boolean": "bool", "null": "None"}


def module(text: str) -> str:
    """The module, of a schema that has the types under `$defs` and what functions return under `properties`."""
    schema = json.loads(text)
    definitions: dict[str, Any] = schema["$defs"]
    parts = [defined(name, definitions[name]) for name in ordered(schema["properties"], definitions)]
    # After imports, ruff has one line free above a statement, and two above a class.
    body = "\n" * parts[0].startswith("class") + "\n\n\n".join(parts) + "\n"
    wanted = ("Any", "Literal", "NotRequired", "TypeAlias", "TypedDict")
    imports = ", ".join(name for name in wanted if re.search(rf"\b{name}\b", body))
    return HEADER.format(imports=imports) + "\n" + body


def ordered(roots: Schema, definitions: dict[str, Any]) -> list[str]:
    """Names of definitions, each after those that it is made of."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in found:
            for other in names(definitions[name]):
                visit(other)
            found[name] = None

    for name in [*names(roots), *definitions]:
        visit(name)
    return list(found)


def names(schema: object) -> Iterator[str]:
    """The definitions that a schema refers to."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield referred(value)
            else:
                yield from names(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from names(value)


def referred(reference: str) -> str:
    """The name in a reference."""
    return reference.removeprefix("#/$defs/")


def defined(name: str, schema: dict[str, Any]) -> str:
    """A definition in Python."""
    if not name.isidentifier() or re.search(r"\d$", name):
        raise ValueError(f"{name}: two structures have this name, or it is none in Python; rename one for its schema")
    if "properties" in schema:
        return structure(name, schema)
    words = [(each["const"], prose(each.get("description", ""))) for each in schema.get("oneOf", []) if "const" in each]
    words = words or [(word, "") for word in schema.get("enum", [])]
    if not words:
        raise ValueError(f"{name} is neither a structure nor words: {json.dumps(schema)}")
    members = ", ".join(json.dumps(word) for word, _ in words)
    line = f"{name}: TypeAlias = Literal[{members}]"
    if len(line) > WIDTH:
        line = f"{name}: TypeAlias = Literal[\n" + "".join(f"    {json.dumps(word)},\n" for word, _ in words) + "]"
    described = [f"- `{word}`: {meaning}" for word, meaning in words if meaning]
    return f"{line}\n{docstring(name, schema, described)}"


def structure(name: str, schema: dict[str, Any]) -> str:
    """A TypedDict."""
    required = schema.get("required", [])
    keys = {key: annotation(of) for key, of in schema["properties"].items()}
    keys = {key: of if key in required else f"NotRequired[{of}]" for key, of in keys.items()}
    meanings = {key: prose(of.get("description", "")) for key, of in schema["properties"].items()}
    if missing := [key for key, meaning in meanings.items() if not meaning]:
        raise ValueError(f"{name}: {', '.join(missing)} has no comment in Rust that says what it is")
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in keys):
        lines = [f"class {name}(TypedDict):", textwrap.indent(docstring(name, schema, []), "    "), ""]
        for key, of in keys.items():
            lines += [f"    {key}: {of}", textwrap.indent(wrapped(meanings[key], WIDTH - 4), "    ")]
        return "\n".join(lines)
    # A class cannot have a keyword as a key.
    lines = [f"{name} = TypedDict(", f'    "{name}",', "    {"]
    lines += [f'        "{key}": {of},' for key, of in keys.items()]
    described = [f"- `{key}`: {meaning}" for key, meaning in meanings.items()]
    return "\n".join([*lines, "    },", ")", docstring(name, schema, described)])


def annotation(schema: Schema) -> str:
    """A type in Python."""
    if isinstance(schema, bool) or not schema.keys() - {"description", "default", "title"}:
        return "Any"
    if "$ref" in schema:
        return referred(schema["$ref"])
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    for either in ("anyOf", "oneOf"):
        if either in schema:
            return union(annotation(each) for each in schema[either])
    kind = schema.get("type")
    if isinstance(kind, list):
        return union(annotation({**schema, "type": each}) for each in kind)
    if kind == "array":
        items = schema.get("prefixItems") or [schema["items"]]
        return f"list[{union(annotation(each) for each in items)}]"
    if kind == "object" and "properties" not in schema:
        return f"dict[str, {annotation(schema.get('additionalProperties', True))}]"
    if kind in PLAIN:
        return PLAIN[kind]
    raise ValueError(f"no Python type for {json.dumps(schema)}")


def union(types: Iterator[str]) -> str:
    """Any of some types."""
    return " | ".join(dict.fromkeys(types))


def prose(text: str) -> str:
    """A comment of Rust as one paragraph of Python: without links, and null is None."""
    text = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", " ".join(text.split()))
    return re.sub(r"\bnull\b", "None", text).replace("\\", "\\\\")


def docstring(name: str, schema: dict[str, Any], described: list[str]) -> str:
    """The docstring of a definition: a sentence that fits on its line, and below it the rest."""
    sentence, *rest = SENTENCE.split(prose(schema.get("description", "")), maxsplit=1)
    if not sentence or len(sentence) > WIDTH - 13:
        raise ValueError(f"{name}: the comment in Rust must begin with a sentence that fits on a line of Python")
    if not rest and not described:
        return f'"""{sentence}"""'
    below = [textwrap.fill(text, WIDTH - 4) for text in rest]
    below += ["\n".join(textwrap.fill(text, WIDTH - 4, subsequent_indent="  ") for text in described)] * bool(described)
    return f'"""{sentence}\n\n' + "\n\n".join(below) + '\n"""'


def wrapped(text: str, width: int) -> str:
    """A docstring of a key."""
    return textwrap.fill(f'"""{text}"""', width, break_long_words=False, break_on_hyphens=False)


def schema() -> str:
    """What the extension says, without the package around it."""
    (file,) = PACKAGE.glob("_native*.so")
    loader = importlib.machinery.ExtensionFileLoader("_native", str(file))
    spec = importlib.util.spec_from_loader("_native", loader)
    assert spec is not None
    native = importlib.util.module_from_spec(spec)
    loader.exec_module(native)
    types: str = native.types()
    return types


if __name__ == "__main__":
    (PACKAGE / "types.py").write_text(module(schema()), encoding="utf-8")
