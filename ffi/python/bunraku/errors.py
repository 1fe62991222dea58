"""Failures."""

from __future__ import annotations

import json
from typing import Any, Optional


class Error(Exception):
    """The reason why a call failed. Its text is the message, with the place if it is known."""

    def __init__(
        self,
        message: str,
        *,
        kind: str = "other",
        issue_code: Optional[str] = None,
        file: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
        logs_json: str = "[]",
    ) -> None:
        super().__init__(message)
        #: The message, in the reference's wording.
        self.message = message
        #: The kind of failure: "syntax", "evaluation", "limit" ... (see bunraku_failure in bunraku.h).
        self.kind = kind
        #: The reference's code, such as "SYNTAX_ERROR".
        self.issue_code = issue_code
        #: The place.
        self.file, self.line, self.column = file, line, column
        self._logs_json = logs_json

    @property
    def logs(self) -> list[dict[str, Any]]:
        """The log that precedes the failure."""
        return json.loads(self._logs_json)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message
