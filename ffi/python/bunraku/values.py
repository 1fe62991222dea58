"""Values of the language, from Python and to Python."""

from __future__ import annotations

import json
from ctypes import byref, c_double, c_int64
from typing import Any, Optional

from . import _library as library

(
    _NONE,
    _UNDEF,
    _DEFAULT,
    _BOOLEAN,
    _INTEGER,
    _FLOAT,
    _STRING,
    _ARRAY,
    _HASH,
    _TYPE,
    _REGEXP,
    _SENSITIVE,
    _BINARY,
) = range(13)


class Sensitive:
    """A value that must not be shown: only unwrap() returns it."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def unwrap(self) -> Any:
        """The value, in clear."""
        return self._value

    def __repr__(self) -> str:
        return "Sensitive [value redacted]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sensitive) and self._value == other._value

    def __hash__(self) -> int:
        return hash((Sensitive, self._value))


class Rich:
    """A value without a Python equivalent: a type, a regular expression, a version, a time ... as text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        #: The value as `String` formats it with "%p".
        self.text = text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rich) and self.text == other.text

    def __hash__(self) -> int:
        return hash((Rich, self.text))


class Default:
    """The value `default`."""

    def __repr__(self) -> str:
        return "DEFAULT"


#: The value `default`.
DEFAULT = Default()


def to_python(value: Optional[int]) -> Any:
    """A value of the library as Python's own: None, bool, int, float, str, list, dict, bytes.

    What Python has no form for is a value of this module.
    """
    kind = library.ask("value_kind", value)
    if kind in (_NONE, _UNDEF):
        return None
    if kind == _DEFAULT:
        return DEFAULT
    if kind == _BOOLEAN:
        return library.ask("value_boolean", value)
    if kind == _INTEGER:
        number = c_int64()
        small = library.ask("value_integer", value, byref(number))
        return number.value if small else int(_shown(value, None))
    if kind == _FLOAT:
        fraction = c_double()
        library.ask("value_float", value, byref(fraction))
        return fraction.value
    if kind == _STRING:
        return library.string(library.ask("value_text", value)) or ""
    if kind == _BINARY:
        return library.ask("value_text", value).read() or b""
    if kind == _SENSITIVE:
        return Sensitive(to_python(library.ask("value_unwrap", value)))
    count = range(library.ask("value_count", value))
    if kind == _ARRAY:
        return [to_python(library.ask("value_element", value, index)) for index in count]
    if kind == _HASH:
        pairs = (
            (library.ask("value_key", value, index), library.ask("value_element", value, index))
            for index in count
        )
        return {_key(to_python(key)): to_python(own) for key, own in pairs}
    return Rich(_shown(value, "%p"))


def _key(value: Any) -> Any:
    """A key as Python can hash it."""
    if isinstance(value, list):
        return tuple(_key(one) for one in value)
    if isinstance(value, dict):
        return tuple((key, _key(one)) for key, one in value.items())
    return value


def _shown(value: Optional[int], form: Optional[str]) -> str:
    return library.make_string("value_to_string", value, library.text(form)) or ""


def to_data(value: Any) -> Any:
    """A value as rich data for JSON.

    Raises TypeError for what the language has no form for.
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_data(one) for one in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value) and "__ptype" not in value:
            return {key: to_data(one) for key, one in value.items()}
        flat = [to_data(one) for pair in value.items() for one in pair]
        return {"__ptype": "Hash", "__pvalue": flat}
    if isinstance(value, Sensitive):
        return {"__ptype": "Sensitive", "__pvalue": to_data(value.unwrap())}
    if isinstance(value, Default):
        return {"__ptype": "Default"}
    raise TypeError(f"the language has no form for {type(value).__name__}")


def to_json(value: Any) -> str:
    """A value as rich data."""
    return json.dumps(to_data(value), ensure_ascii=False)


def from_json(text: str) -> Any:
    """Reads a Python value from rich data."""
    value = owned(text)
    return to_python(value.address)


def owned(text: str) -> library.Handle:
    """Reads a value of the library from rich data."""
    return library.Handle("value", library.make("value_from_data", library.text(text), None, True))
