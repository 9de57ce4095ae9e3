"""Messages: both handshakes, errors with their codes, and one answer to whatever is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd.mcp_offer import TOOLS
from engram.surfaces.qmd.mcp_protocol import HANDSHAKES, MODERN, SERVER, VERSION_KEY
from tests.qmd.mcp_shelf import Desk

METHODS = [
    "initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list",
    "resources/templates/list", "resources/read",
]  # fmt: skip
ENVELOPE = {VERSION_KEY: MODERN, "io.modelcontextprotocol/clientCapabilities": {}}


def error_of(machine: Desk, message: object) -> int:
    answer = machine.endpoint.answer(message)
    assert isinstance(answer, dict) and "result" not in answer
    code: int = answer["error"]["code"]
    return code


# -- handshakes --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_version_of_the_handshake_is_given_back(version: str) -> None:
    result = Desk().ask("initialize", protocolVersion=version, capabilities={})["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"] == SERVER == {"name": "qmd", "version": "2.8.3"}
    assert result["capabilities"] == {
        "resources": {"listChanged": True},
        "tools": {"listChanged": True},
    }
    assert len(result["instructions"]) > 500


@pytest.mark.parametrize("version", ["1999-01-01", "2030-01-01", MODERN, ""])
def test_another_version_is_answered_with_the_newest_of_the_handshake(version: str) -> None:
    result = Desk().ask("initialize", protocolVersion=version)["result"]
    assert result["protocolVersion"] == HANDSHAKES[-1]


def test_a_handshake_without_a_version_is_none() -> None:
    assert Desk().ask("initialize")["error"]["code"] == -32602


def test_a_client_of_2026_discovers_and_then_asks() -> None:
    machine = Desk()
    found = machine.ask("server/discover", _meta=ENVELOPE)["result"]
    assert found["supportedVersions"] == [MODERN, *reversed(HANDSHAKES)]
    assert found["_meta"] == {"io.modelcontextprotocol/serverInfo": SERVER}
    assert (found["resultType"], found["ttlMs"], found["cacheScope"]) == ("complete", 0, "private")
    listed = machine.ask("tools/list", _meta=ENVELOPE)["result"]
    assert (listed["resultType"], listed["ttlMs"]) == ("complete", 0)
    called = machine.ask("tools/call", name="status", _meta=ENVELOPE)["result"]
    assert called["resultType"] == "complete"
    assert "ttlMs" not in called


def test_a_version_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    answer = Desk().ask("tools/list", _meta={VERSION_KEY: "2031-01-01"})
    assert answer["error"]["code"] == -32022
    assert answer["error"]["data"]["requested"] == "2031-01-01"
    assert MODERN in answer["error"]["data"]["supported"]


def test_an_older_client_sees_nothing_of_2026() -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "ping"):
        result = Desk().ask(method, _meta={"progressToken": 1})["result"]
        assert not {"resultType", "ttlMs", "_meta", "cacheScope"} & set(result)


# -- requests ----------------------------------------------------------------------------------


def test_nothing_has_to_come_first() -> None:
    assert Desk().ask("ping") == {"result": {}, "jsonrpc": "2.0", "id": 7}


def test_resources_are_not_listed_but_have_a_template() -> None:
    assert Desk().ask("resources/list")["result"] == {"resources": []}
    (template,) = Desk().ask("resources/templates/list")["result"]["resourceTemplates"]
    assert (template["name"], template["uriTemplate"]) == ("document", "qmd://{+path}")


def test_a_resource_is_read_with_numbers_and_a_missing_one_is_a_text() -> None:
    read = Desk().ask("resources/read", uri="qmd://kitchen/stew.md")["result"]["contents"]
    assert read == [
        {
            "uri": "qmd://kitchen/stew.md",
            "name": "kitchen/stew.md",
            "title": "Bean stew",
            "mimeType": "text/markdown",
            "text": "1: # Bean stew\n2: \n3: Soak the beans overnight.\n4: ",
        }
    ]
    missing = Desk().ask("resources/read", uri="qmd://kitchen/no%20stew.md")["result"]["contents"]
    assert missing == [
        {"uri": "qmd://kitchen/no%20stew.md", "text": "Document not found: kitchen/no stew.md"}
    ]


@pytest.mark.parametrize(
    "params, code",
    [
        ({"uri": "file:///etc/passwd"}, -32602),
        ({"uri": 1}, -32602),
        ({}, -32602),
    ],
)
def test_only_our_own_resources_are_read(params: dict[str, Any], code: int) -> None:
    machine = Desk()
    assert machine.ask("resources/read", **params)["error"]["code"] == code
    assert machine.index_sync.calls == []


@pytest.mark.parametrize(
    "message, code",
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "nonsense/method"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "prompts/list"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search"}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": float("inf"), "method": "ping"}, -32600),
        ({}, -32600),
        (3, -32600),
        (None, -32600),
        ("ping", -32600),
        ([], -32600),
        ([1] * 101, -32600),
    ],
)
def test_what_is_wrong_has_its_code(message: object, code: int) -> None:
    assert error_of(Desk(), message) == code


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "status"}},
        {"jsonrpc": "2.0", "method": "nobody/knows", "params": 3},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
        {"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "no"}},
        [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
    ],
)
def test_who_asks_nothing_is_told_nothing(message: object) -> None:
    machine = Desk()
    assert machine.endpoint.answer(message) is None
    assert machine.index_sync.calls == []


def test_a_batch_is_answered_one_by_one() -> None:
    ping = {"jsonrpc": "2.0", "id": "a", "method": "ping"}
    answer = Desk().endpoint.answer([ping, {"jsonrpc": "2.0", "method": "note"}, 3])
    assert isinstance(answer, list)
    assert [one["id"] for one in answer] == ["a", None]


@pytest.mark.parametrize(
    "identity", [0, -1, 1.5, 2**80, "", "ä", "x" * 500, "2.0"]
)  # an id is given back as it came
def test_an_id_is_given_back(identity: object) -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": identity, "method": "ping"}).encode()
    said = Desk().endpoint.respond(line)
    assert said is not None
    assert json.loads(said)["id"] == identity


def test_a_bug_is_an_internal_error_and_one_line_in_the_log() -> None:
    machine = Desk(broken=ZeroDivisionError("garden/secret.md"))
    answer = machine.ask("tools/call", name="status")
    assert answer["error"] == {"code": -32603, "message": "Internal error"}
    assert machine.complaints == ["tools/call: ZeroDivisionError"]
    assert machine.ask("ping")["result"] == {}


# -- bytes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense", b"{", b"", b"\xff\xfe{}", b"\xef\xbb\xbf{}", b'{"a": NaN}', b"[" * 200_000,
        b'{"id": ' + b"9" * 6000 + b"}", b'"\xed\xa0\x80"', "{}".encode("utf-16"),
    ],
)  # fmt: skip
def test_what_is_no_json_is_a_parse_error(line: bytes) -> None:
    said = Desk().endpoint.respond(line)
    assert said is not None
    assert json.loads(said) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32700, "message": "Parse error"},
    }


def test_half_a_surrogate_does_not_stop_an_answer() -> None:
    line = rb'{"jsonrpc":"2.0","id":"\ud800","method":"tools/call","params":{"name":"query",'
    said = Desk().endpoint.respond(line + rb'"arguments":{"query":"\udfff x"}}}')
    assert said is not None
    assert json.loads(said.decode("utf-8"))["id"] == "?"


def test_an_answer_is_one_line() -> None:
    line = json.dumps({"jsonrpc": "2.0", "id": "a\nb\u2028\r", "method": "tools/list"}).encode()
    said = Desk().endpoint.respond(line)
    assert said is not None
    assert b"\n" not in said and b"\r" not in said


# -- anything ----------------------------------------------------------------------------------

numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=20)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
arguments = st.dictionaries(
    st.sampled_from(sorted({one.name for tool in TOOLS.values() for one in tool.arguments})), values
)
calls = st.fixed_dictionaries(
    {"name": st.sampled_from([*TOOLS, "search"]) | values, "arguments": arguments | values}
)
envelopes = st.fixed_dictionaries(
    {}, optional={"_meta": st.just(ENVELOPE) | st.dictionaries(st.just(VERSION_KEY), values)}
)
params = st.one_of(
    calls,
    envelopes,
    st.tuples(calls, envelopes).map(lambda both: {**both[0], **both[1]}),
    st.fixed_dictionaries({"uri": st.text().map("qmd://".__add__) | values}),
    st.fixed_dictionaries({"protocolVersion": st.sampled_from(HANDSHAKES) | values}),
    values,
)
requests = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": st.sampled_from(METHODS), "id": numbers | st.text()},
    optional={"params": params},
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "method": st.sampled_from(METHODS) | values,
        "id": values,
        "params": params,
        "result": values,
    },
)


def check_answer(answer: Any, identity: object) -> None:
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == identity
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        assert answer["error"]["code"] in (-32700, -32600, -32601, -32602, -32022)
        assert answer["error"]["message"]
    else:
        assert isinstance(answer["result"], dict)


@given(requests)
def test_any_request_has_one_answer(request: dict[str, Any]) -> None:
    machine = Desk()
    said = machine.endpoint.respond(json.dumps(request).encode())
    assert said is not None
    check_answer(json.loads(said), request["id"])
    assert machine.complaints == []


@given(messages | values | st.lists(messages | requests, max_size=4))
def test_any_value_is_answered_or_passed_over(message: Any) -> None:
    machine = Desk()
    said = machine.endpoint.respond(json.dumps(message).encode())
    assert machine.complaints == []
    if said is None:
        assert isinstance(message, (dict, list))
        return
    answers = json.loads(said)
    for answer in answers if isinstance(answers, list) else [answers]:
        check_answer(answer, answer["id"])


@given(st.binary(max_size=200))
def test_any_bytes_are_answered_or_passed_over(line: bytes) -> None:
    said = Desk().endpoint.respond(line)
    if said is not None:
        check_answer(json.loads(said), json.loads(said)["id"])
