"""MCP protocol: one JSON-RPC message of a client -> its answer, for any transport.

Speaks both kinds of MCP: the handshake of 2024-11-05 to 2025-11-25 (`initialize` echoes a known
version) and the one of 2026-07-28, where every request says its version and nothing is
remembered. Any request is answered at any time, so one Endpoint serves all clients; of one that is
alone the name is remembered, for the access log. Guarantees: a request has exactly one answer,
whatever it holds; a notification and a response have none; what goes wrong inside is logged in one
line, without the request, and answered as an internal error: here, and in the HTTP server, stands a
broad `except`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

from engram.surfaces.qmd import mcp_tools
from engram.surfaces.qmd.mcp_given import CLIENT, client_named
from engram.surfaces.qmd.mcp_offer import TEMPLATES, TOOLS, instructions

if TYPE_CHECKING:
    from engram.model.given import Reader
    from engram.surfaces.qmd.face import Face

#: the program whose place this takes; clients choose their tools by this version
SERVER: Final = {"name": "qmd", "version": "2.8.3"}
HANDSHAKES: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN: Final = "2026-07-28"

PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS, INTERNAL = (
    -32700, -32600, -32601, -32602, -32603,
)  # fmt: skip
#: of 2026: the version of the request is not spoken here
UNSUPPORTED_VERSION: Final = -32022
#: a longer message is refused unread, bytes; a query is a few hundred
MOST_MESSAGE: Final = 4 << 20
#: more in one batch are refused: each of them is answered
_MOST_BATCH = 100

_META = "io.modelcontextprotocol/"
VERSION_KEY: Final = f"{_META}protocolVersion"
_CAPABILITIES = {"resources": {"listChanged": True}, "tools": {"listChanged": True}}
#: results that a client of 2026 is told how long to keep
_KEPT = frozenset({
    "server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read",
})  # fmt: skip

Answer = dict[str, Any]
#: lends the face for one call, to any thread
Lender = Callable[[], AbstractContextManager["Face"]]


class Refused(Exception):
    """A message that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def parse(message: bytes) -> object:
    """The JSON value of a message. Raises Refused for what is none."""
    try:
        return json.loads(message.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refused(PARSE_ERROR, "Parse error") from error


def render(answer: Answer | list[Answer]) -> bytes:
    """One line of UTF-8 without its end; half a surrogate pair becomes `?`."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def error_answer(refused: Refused, identity: object = None) -> Answer:
    """The answer that refuses."""
    error: dict[str, Any] = {"code": refused.code, "message": str(refused)}
    if refused.data is not None:
        error["data"] = refused.data
    return {"jsonrpc": "2.0", "id": identity, "error": error}


def version_of(message: object) -> object:
    """The version that a message of 2026 says it is of; None of an older one."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


class Endpoint:
    """Answers messages about one index, in any order and number."""

    def __init__(
        self,
        lend: Lender,
        complain: Callable[[str], None],
        alone: Mapping[str, str] | None = None,
    ) -> None:
        """`alone` is the environment of a server that has one client, which started it."""
        self._lend = lend
        self._complain = complain
        self._alone = alone
        self._client = CLIENT

    def respond(self, message: bytes) -> bytes | None:
        """The line that answers a line, or None. Never raises an Exception."""
        try:
            answer = self.answer(parse(message))
        except Refused as refused:
            answer = error_answer(refused)
        return None if answer is None else render(answer)

    def answer(self, message: object) -> Answer | list[Answer] | None:
        """The answer to a parsed message or batch of them; None when it asks for none."""
        if not isinstance(message, list):
            return self._one(message)
        if not 0 < len(message) <= _MOST_BATCH:
            return error_answer(Refused(INVALID_REQUEST, f"A batch holds 1 to {_MOST_BATCH}"))
        answers = [answer for one in message if (answer := self._one(one)) is not None]
        return answers or None

    def _one(self, message: object) -> Answer | None:
        identity: object = None
        try:
            if not isinstance(message, dict):
                raise Refused(INVALID_REQUEST, "Invalid Request")
            identity = _identity(message)
            method = message.get("method")
            if method is None and "id" in message and ("result" in message or "error" in message):
                return None  # a response; no request is ever sent from here
            if not isinstance(method, str) or message.get("jsonrpc") != "2.0":
                raise Refused(INVALID_REQUEST, "Invalid Request")
            if "id" not in message:
                return None
            if identity is None:
                raise Refused(INVALID_REQUEST, "Invalid Request: id must be a string or a number")
            params = message.get("params")
            if not isinstance(params, dict | None):
                raise Refused(INVALID_PARAMS, "Invalid params: expected an object")
            return {"result": self._result(method, params or {}, version_of(message)),
                    "jsonrpc": "2.0", "id": identity}  # fmt: skip
        except Refused as refused:
            return error_answer(refused, identity)
        except Exception as error:  # noqa: BLE001 - a server outlives what one call runs into
            self._complain(f"{_name_of(message)}: {type(error).__name__}")
            return error_answer(Refused(INTERNAL, "Internal error"), identity)

    def _result(self, method: str, params: Mapping[str, Any], version: object) -> Answer:
        if version is not None and version != MODERN:
            data = {"supported": [MODERN, *reversed(HANDSHAKES)], "requested": version}
            raise Refused(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        if method not in _METHODS:
            raise Refused(NOT_FOUND, "Method not found")
        result = _METHODS[method](self, params)
        if version is None and method != "server/discover":
            return result
        result = {**result, "resultType": "complete", "_meta": {f"{_META}serverInfo": SERVER}}
        return {**result, "ttlMs": 0, "cacheScope": "private"} if method in _KEPT else result

    def _initialize(self, params: Mapping[str, Any]) -> Answer:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise Refused(INVALID_PARAMS, "Invalid params: protocolVersion must be a string")
        if self._alone is not None:
            self._client = client_named(params.get("clientInfo"), self._alone)
        return {
            "protocolVersion": asked if asked in HANDSHAKES else HANDSHAKES[-1],
            "capabilities": _CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": self._instructions(),
        }

    def _discover(self, params: Mapping[str, Any]) -> Answer:
        return {
            "supportedVersions": [MODERN, *reversed(HANDSHAKES)],
            "capabilities": _CAPABILITIES,
            "instructions": self._instructions(),
        }

    def _instructions(self) -> str:
        try:
            with self._lend() as face:
                return instructions(face.status(), face.contexts())
        except mcp_tools.EXPLAINED as error:
            return f"QMD has nothing to search: {error}"

    def _ping(self, params: Mapping[str, Any]) -> Answer:
        return {}

    def _tools(self, params: Mapping[str, Any]) -> Answer:
        return {"tools": [tool.listed() for tool in TOOLS.values()]}

    def _call(self, params: Mapping[str, Any]) -> Answer:
        name, given = params.get("name"), params.get("arguments")
        if not isinstance(name, str) or not isinstance(given, dict | None):
            raise Refused(INVALID_PARAMS, "Invalid params: name is a string, arguments an object")
        if name not in TOOLS:
            raise Refused(INVALID_PARAMS, f"Tool {name[:100]} not found")
        try:
            with self._lend() as face:
                return mcp_tools.call(face, name, given or {}, self._reader(params))
        except mcp_tools.EXPLAINED as error:
            return mcp_tools.failure(str(error))

    def _reader(self, params: Mapping[str, Any]) -> Reader:
        """Who asks: by the request, as of 2026, else by the handshake."""
        meta = params.get("_meta")
        info = meta.get(f"{_META}clientInfo") if isinstance(meta, dict) else None
        named = client_named(info, self._alone)
        return self._client if named == CLIENT else named

    def _resources(self, params: Mapping[str, Any]) -> Answer:
        """None are listed: documents are found by searching, and there may be many."""
        return {"resources": []}

    def _templates(self, params: Mapping[str, Any]) -> Answer:
        return {"resourceTemplates": [dict(one) for one in TEMPLATES]}

    def _read(self, params: Mapping[str, Any]) -> Answer:
        uri = params.get("uri")
        if not isinstance(uri, str):
            raise Refused(INVALID_PARAMS, "Invalid params: uri must be a string")
        if not uri.startswith(mcp_tools.SCHEME):
            raise Refused(INVALID_PARAMS, f"Resource {uri[:200]} not found")
        try:
            with self._lend() as face:
                return mcp_tools.resource(face, uri, self._reader(params))
        except mcp_tools.EXPLAINED as error:
            return {"contents": [{"uri": uri, "text": str(error)}]}


_METHODS: Final[Mapping[str, Callable[[Endpoint, Mapping[str, Any]], Answer]]] = {
    "initialize": Endpoint._initialize,
    "server/discover": Endpoint._discover,
    "ping": Endpoint._ping,
    "tools/list": Endpoint._tools,
    "tools/call": Endpoint._call,
    "resources/list": Endpoint._resources,
    "resources/templates/list": Endpoint._templates,
    "resources/read": Endpoint._read,
}


def _identity(message: Mapping[str, Any]) -> object:
    """The id of a message when it is one that can be given back, else None."""
    identity = message.get("id")
    if isinstance(identity, str):
        return identity
    if isinstance(identity, bool) or not isinstance(identity, int | float):
        return None
    return identity if math.isfinite(identity) else None


def _name_of(message: object) -> str:
    """What to call a message in the log: its method, if it is one of ours."""
    method = message.get("method") if isinstance(message, dict) else None
    return method if isinstance(method, str) and method in _METHODS else "message"


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not JSON")
