"""Environments and catalogs."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from . import _library as library
from . import values
from .errors import Error

Path = Union[str, "os.PathLike[str]"]
#: A function of the embedder: its signatures, each a `Callable[...]`, and what is called with a Call and the
#: arguments.
Function = tuple[Sequence[str], Callable[..., Any]]


class Resource:
    """A resource of a catalog."""

    def __init__(self, catalog: "Catalog", address: int) -> None:
        self._catalog, self._address = catalog, address

    @property
    def type(self) -> str:
        """Such as "File"."""
        return library.string(library.ask("resource_type", self._address)) or ""

    @property
    def title(self) -> str:
        """The title."""
        return library.string(library.ask("resource_title", self._address)) or ""

    @property
    def file(self) -> Optional[str]:
        """The manifest that declares it."""
        return library.string(library.ask("resource_file", self._address))

    @property
    def line(self) -> Optional[int]:
        """The line in it."""
        return library.ask("resource_line", self._address) or None

    @property
    def is_exported(self) -> bool:
        """Whether it is exported."""
        return library.ask("resource_is_exported", self._address)

    @property
    def is_virtual(self) -> bool:
        """Whether it is virtual."""
        return library.ask("resource_is_virtual", self._address)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name. Sensitive ones are Sensitive."""
        count = range(library.ask("resource_parameter_count", self._address))
        names = [
            library.string(library.ask("resource_parameter_name", self._address, index)) or ""
            for index in count
        ]
        return {name: self._parameter(index) for index, name in enumerate(names)}

    def _parameter(self, index: int) -> Any:
        return values.to_python(library.ask("resource_parameter", self._address, index))

    @property
    def tags(self) -> list[str]:
        """The tags."""
        count = range(library.ask("resource_tag_count", self._address))
        return [library.string(library.ask("resource_tag", self._address, index)) or "" for index in count]

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name]

    def __repr__(self) -> str:
        return f"{self.type}[{self.title}]"


class Catalog:
    """The catalog of a node. Iterates over its resources. Immutable: any number of threads can use it."""

    def __init__(self, address: Optional[int]) -> None:
        self._handle = library.Handle("catalog", address)

    def __len__(self) -> int:
        return library.ask("catalog_resource_count", self._handle.address)

    def __iter__(self) -> Iterator[Resource]:
        for index in range(len(self)):
            yield Resource(self, library.ask("catalog_resource", self._handle.address, index))

    def __contains__(self, reference: object) -> bool:
        return isinstance(reference, str) and self.get(reference) is not None

    def __getitem__(self, reference: str) -> Resource:
        found = self.get(reference)
        if found is None:
            raise KeyError(reference)
        return found

    def get(self, reference: str) -> Optional[Resource]:
        """A resource by its reference, such as "File[/etc/motd]"."""
        found = library.ask("catalog_find", self._handle.address, library.text(reference))
        return Resource(self, found) if found else None

    @property
    def edges(self) -> list[tuple[Resource, Resource]]:
        """The containment edges: container and content."""
        edge = library.Edge()
        found: list[tuple[Resource, Resource]] = []
        while library.ask("catalog_edge", self._handle.address, len(found), byref(edge)):
            found.append((Resource(self, edge.source), Resource(self, edge.target)))
        return found

    @property
    def logs(self) -> list[dict[str, Any]]:
        """The log: level, message, file, line ..."""
        return json.loads(library.string(library.ask("catalog_logs_json", self._handle.address)) or "[]")

    def to_json(self) -> str:
        """The catalog as an agent receives it. Secrets are in clear."""
        return library.make_string("catalog_to_json", self._handle.address) or ""

    def write(self, form: str, **submission: Any) -> str:
        """The catalog in a form, such as "puppetdb:9". See bunraku_catalog_write."""
        given = library.text(json.dumps(submission))
        return library.make_string("catalog_write", self._handle.address, library.text(form), given) or ""


class Call:
    """A call of a function of the embedder in progress. Valid while the function runs, on its thread."""

    def __init__(self, address: int) -> None:
        self._address = address

    @property
    def has_block(self) -> bool:
        """Whether the caller passed a lambda."""
        return library.ask("call_has_block", self._address)

    def block(self, *arguments: Any) -> Any:
        """Calls the lambda."""
        return self._answer(library.make_string("call_block", self._address, _list(arguments)))

    def function(self, name: str, *arguments: Any) -> Any:
        """Calls another function of the language."""
        return self._answer(
            library.make_string("call_function", self._address, library.text(name), _list(arguments))
        )

    def variable(self, name: str) -> Any:
        """A variable in the scope of the caller; None if it does not exist."""
        return self._answer(library.make_string("call_variable", self._address, library.text(name)))

    @staticmethod
    def _answer(text: Optional[str]) -> Any:
        return None if text is None else values.from_json(text)


def _list(arguments: Sequence[Any]) -> library.Text:
    return library.text(values.to_json(list(arguments)))


class _Host:
    """Functions and listeners of the embedder, as callbacks.

    What functions raise is the message of their failure; what listeners raise is printed.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        log: Optional[Callable[[dict[str, Any]], None]],
        progress: Optional[Callable[[int], Optional[bool]]],
    ) -> None:
        self._functions = dict(functions)
        self.struct = library.Host(size=ctypes.sizeof(library.Host))
        if functions:
            self.struct.find_function = library.FIND_FUNCTION(self._found)
            self.struct.call_function = library.CALL_FUNCTION(self._called)
        if log:
            self.struct.log = library.LOG(lambda _, entry: log(json.loads(library.string(entry) or "{}")))
        if progress:
            self.struct.progress = library.PROGRESS(lambda _, steps: progress(steps) is not False)

    def _found(self, _data: int, name: library.Text, sink: int) -> bool:
        function = self._functions.get(library.string(name) or "")
        for signature in function[0] if function else ():
            library.ask("sink_add", sink, library.text(signature))
        return function is not None

    def _called(
        self, _data: int, name: library.Text, _signature: int, arguments: library.Text, call: int, sink: int
    ) -> bool:
        try:
            _, function = self._functions[library.string(name) or ""]
            result = function(Call(call), *values.from_json(library.string(arguments) or "[]"))
            library.ask("sink_write", sink, library.text(values.to_json(result)))
            return True
        except Exception as error:  # pylint: disable=broad-except
            library.ask("sink_write", sink, library.text(getattr(error, "message", None) or str(error)))
            return False


class Environment:
    """A directory environment: manifests, modules, data. Any number of threads can use it."""

    def __init__(
        self,
        environmentpath: Union[Path, Sequence[Path]] = (),
        name: str = "production",
        *,
        functions: Optional[Mapping[str, Function]] = None,
        log: Optional[Callable[[dict[str, Any]], None]] = None,
        progress: Optional[Callable[[int], Optional[bool]]] = None,
        **options: Any,
    ) -> None:
        """Loads an environment.

        log is called with each message when it is said: level, message, source and, where known, file, line ...
        progress is called about once in a thousand steps of work with their number; False ends the work.
        options are those of bunraku_environment_load: modulepath, manifest, code, settings, reload ...
        """
        directories = (
            [environmentpath] if isinstance(environmentpath, (str, os.PathLike)) else environmentpath
        )
        texts = [library.text(os.fspath(directory)) for directory in directories]
        self._host = _Host(functions or {}, log, progress)
        given = (
            (library.Text * len(texts))(*texts),
            len(texts),
            library.text(name),
            library.text(json.dumps(options)),
            byref(self._host.struct),
        )
        self._handle = library.Handle("environment", library.make("environment_load", *given))

    def compile(self, node: str, facts: Optional[Mapping[str, Any]] = None, **request: Any) -> Catalog:
        """Compiles the catalog of a node.

        request is what bunraku_environment_compile takes: trusted, classes, parameters, limits ...

        Raises Error.
        """
        own = values.owned(values.to_json(dict(facts or {})))
        given = (
            library.text(node),
            own.address,
            library.text(json.dumps({"rich_data": True, **_rich(request)})),
            None,
        )
        return Catalog(library.make("environment_compile_facts", self._handle.address, *given))

    def lookup(
        self, key: str, *, node: str, facts: Optional[Mapping[str, Any]] = None, **request: Any
    ) -> Any:
        """Looks up data as `puppet lookup` does.

        request is what bunraku_environment_lookup takes: type, merge, default ...

        Raises Error when the key is not found.
        """
        given = json.dumps({"key": key, "rich_data": True, **_rich(request)})
        texts = (library.text(node), library.text(values.to_json(dict(facts or {}))), library.text(given))
        answer = json.loads(
            library.make_string("environment_lookup", self._handle.address, *texts, None) or "{}"
        )
        if "error" in answer:
            raise Error(answer["error"]["message"], kind="lookup")
        return values.from_json(json.dumps(answer["value"]))


def _rich(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request with its data as rich data."""
    return {key: values.to_data(value) for key, value in request.items()}
