"""Manifests and templates, and types."""

from __future__ import annotations

import json
from ctypes import byref
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from . import _library as library
from . import values

_SYNTAXES = {"manifest": 0, "epp": 1, "tasks": 2}
_STRICTNESS = {"off": 0, "warning": 1, "error": 2}
_NODE, _NODES, _TEXT, _INTEGER, _FLOAT, _BOOLEAN = range(1, 7)
_CHARACTERS = 1


class Node:
    """A node of a program: a kind, fields, a place. Names are those of the reference's model."""

    def __init__(self, program: "Program", node: library.Node) -> None:
        self._program, self._node = program, node

    @property
    def kind(self) -> str:
        """Such as "ResourceExpression"."""
        return library.ask("node_kind", self._node).decode()

    @property
    def text(self) -> str:
        """The source text."""
        return library.string(library.ask("node_text", self._node)) or ""

    @property
    def line(self) -> int:
        """The line, from 1."""
        return self._span().line

    @property
    def column(self) -> int:
        """The column, from 1."""
        return self._span().column

    @property
    def parent(self) -> Optional["Node"]:
        """The parent node."""
        found = library.ask("node_parent", self._node)
        return Node(self._program, found) if found.program else None

    @property
    def children(self) -> list["Node"]:
        """The child nodes."""
        count = library.ask("node_child_count", self._node)
        return [Node(self._program, library.ask("node_child", self._node, index)) for index in range(count)]

    @property
    def fields(self) -> dict[str, Any]:
        """The fields by name: nodes, lists of nodes, texts, numbers, booleans, None."""
        found: dict[str, Any] = {}
        field = library.Field()
        while library.ask("node_field", self._node, len(found), byref(field)):
            found[field.name.decode()] = self._value(field)
        return found

    def walk(self) -> Iterator["Node"]:
        """The node and its descendants."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def _value(self, field: library.Field) -> Any:
        if field.field_type == _NODE:
            return Node(self._program, library.Node(field.node.program, field.node.number))
        if field.field_type == _NODES:
            members = (
                library.ask("node_member", self._node, field.index, index) for index in range(field.count)
            )
            return [Node(self._program, member) for member in members]
        if field.field_type == _TEXT:
            return library.string(field.text)
        if field.field_type == _INTEGER:
            literal = library.string(field.text)
            return int(literal, 0) if literal else field.integer
        if field.field_type == _FLOAT:
            return field.number
        return field.boolean if field.field_type == _BOOLEAN else None

    def _span(self) -> library.Span:
        span = library.Span()
        library.ask("node_span", self._node, _CHARACTERS, byref(span))
        return span

    def __repr__(self) -> str:
        return f"<{self.kind} {self.line}:{self.column}>"


class Program:
    """A parsed manifest or template. Immutable: any number of threads can use it."""

    def __init__(self, address: Optional[int]) -> None:
        self._handle = library.Handle("program", address)

    @property
    def body(self) -> Node:
        """The root node of the program."""
        return Node(self, library.ask("program_body", self._handle.address))

    def validate(self, strict: str = "error") -> list[dict[str, Any]]:
        """Errors and warnings: severity, issue_code, message, file, line, column.

        strict is "off", "warning" or "error".
        """
        found = library.make_string("program_validate", self._handle.address, _STRICTNESS[strict])
        return json.loads(found or "[]")

    def to_pn(self, form: str = "text") -> str:
        """The tree in Puppet's notation: "text", "pretty" or "json"."""
        return library.make_string("program_to_pn", self._handle.address, library.text(form)) or ""


def parse(source: str, path: Optional[str] = None, *, syntax: str = "manifest") -> Program:
    """Parses a text: syntax is "manifest", "epp" or "tasks". Raises Error if it is invalid."""
    given = (library.text(source), library.text(path), _SYNTAXES[syntax])
    return Program(library.make("program_parse", *given))



@dataclass(frozen=True)
class Token:
    """A token, or white space or a comment: `owner` is the number of the token that it belongs to."""

    kind: str
    text: str
    offset: int
    line: int
    column: int
    is_trivia: bool
    owner: int


def tokens(source: str, *, syntax: str = "manifest") -> list[Token]:
    """All tokens of a text, even an invalid one: `"".join(token.text for token in tokens(text))` is the text."""
    handle = library.Handle("tokens", library.make("tokens_new", library.text(source), _SYNTAXES[syntax]))
    span = library.Span()
    found = []
    for index in range(library.ask("tokens_count", handle.address)):
        token = library.ask("tokens_token", handle.address, index)
        library.ask("tokens_span", handle.address, index, _CHARACTERS, byref(span))
        text = (token.text.read() or b"").decode()
        kind = token.kind.decode()
        found.append(Token(kind, text, token.offset, span.line, span.column, token.is_trivia, token.owner))
    return found


def format(source: str, *, syntax: str = "manifest", **options: Any) -> str:
    """Formats a text according to the style guide. Raises Error if it cannot be parsed.

    options are width, indentation, align_arrows and single_quotes.
    """
    given = (library.text(source), _SYNTAXES[syntax], library.text(json.dumps(options)))
    return library.make_string("format", *given) or ""


class Type:
    """A type of the language, such as Type("Array[Integer]")."""

    def __init__(self, source: str) -> None:
        self._handle = library.Handle("type", library.make("type_parse", library.text(source), None))

    def is_instance(self, value: Any) -> bool:
        """Whether a Python value is an instance."""
        given = values.owned(values.to_json(value))
        return library.ask("type_is_instance", self._handle.address, given.address)

    def __str__(self) -> str:
        return library.make_string("type_to_string", self._handle.address) or ""

    def __repr__(self) -> str:
        return f"Type({str(self)!r})"
