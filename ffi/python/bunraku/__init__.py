"""The Puppet language as a native library.

    import bunraku

    environment = bunraku.Environment("environments")
    catalog = environment.compile("web01", {"os": {"family": "Debian"}})
    for resource in catalog:
        print(resource, resource.parameters)

The library is found by the variable BUNRAKU_LIBRARY, else beside this file, where wheels have it, else where the
system looks for libraries. Calls release Python's lock; objects may be used by any number of threads.
"""

from ._library import ask as _ask
from .environments import Call, Catalog, Environment, Resource
from .errors import Error
from .programs import Node, Program, Token, Type, format, parse, tokens
from .values import DEFAULT, Rich, Sensitive

__all__ = [
    "DEFAULT",
    "Call",
    "Catalog",
    "Environment",
    "Error",
    "Node",
    "Program",
    "Resource",
    "Rich",
    "Sensitive",
    "Token",
    "Type",
    "format",
    "parse",
    "tokens",
    "version",
]


def version() -> str:
    """The version of the library."""
    return _ask("version").decode()
