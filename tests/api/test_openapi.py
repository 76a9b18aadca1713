"""The published document: what the server says of itself, and that it is so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from litestar.routes import HTTPRoute

from api.app import HANDLERS, create_app
from api.openapi import text
from api.problems import PROBLEMS
from domain.refusals import SENTENCES

from .harness import Client, settings_for, sqlite_url

PUBLISHED = Path(__file__).parents[2] / "openapi" / "openapi.json"
CONTRACT = {
    "listVariants", "getVariant", "createGame", "listGames", "getGame", "findRoom", "takeSeat", "getView",
    "listActions", "sendCommand", "listEvents", "explainScores", "exportLog", "verifyLog", "arrangeHand",
}  # fmt: skip


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(text(HANDLERS))


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, o) for path, item in document["paths"].items() for method, o in item.items()]


def test_the_published_document_is_the_servers() -> None:
    assert PUBLISHED.read_text("utf-8") == text(HANDLERS), "run `make openapi`"


@pytest.mark.asyncio
async def test_the_server_serves_it(client: Client) -> None:
    assert (await client.call("GET", "/openapi.json")).json() == json.loads(PUBLISHED.read_text("utf-8"))


def test_every_route_is_described(tmp_path: Path, document: dict[str, Any]) -> None:
    app = create_app(settings_for(sqlite_url(tmp_path)))
    routes = {
        (re.sub(r":\w+}", "}", route.path), handler_method.lower())
        for route in app.routes if isinstance(route, HTTPRoute)
        for handler_method in route.methods if handler_method != "OPTIONS"
    }  # fmt: skip
    unlisted = {("/openapi.json", "get"), ("/docs", "get"), ("/docs/{name}", "get"), ("/docs/start.js", "get")}
    assert routes - unlisted == {(path, method) for path, method, _ in operations(document)}


def test_the_operations_of_the_contract_have_its_names(document: dict[str, Any]) -> None:
    ids = [o["operationId"] for _, _, o in operations(document)]
    assert len(ids) == len(set(ids))
    assert set(ids) >= CONTRACT


def test_every_error_is_declared_as_a_problem(document: dict[str, Any]) -> None:
    for path, method, o in operations(document):
        statuses = {int(status) for status in o["responses"]}
        assert statuses >= {400, 500, 503}, (path, method)
        if o["security"] != []:
            assert 401 in statuses, path
        if "requestBody" in o:
            assert statuses >= {413, 415}, path
        if "{" in path:
            assert 404 in statuses, path
        for status, answer in o["responses"].items():
            assert answer["headers"]["Request-Id"]
            if int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"]
                assert answer["content"]["application/problem+json"]["schema"] == {
                    "$ref": "#/components/schemas/Problem"}  # fmt: skip


def test_every_code_of_the_domain_is_a_problem() -> None:
    assert set(SENTENCES) <= set(PROBLEMS)
    for name, (status, title, detail) in PROBLEMS.items():
        assert status in (400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 500, 503), name
        assert title
        assert detail
    for name, status in {
        "turn.not_yours": 409, "game.paused": 409, "seat.taken": 409, "command.not_in_variant": 409,
        "meld.ambiguous": 422, "card.not_in_hand": 422, "options.invalid": 422, "sandbox.bad_position": 422,
        "auth.host_only": 403, "version.stale": 412,
    }.items():  # fmt: skip
        assert PROBLEMS[name][0] == status


def test_unions_say_which_of_them_is_meant(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, member, number in (("Command", "type", 14), ("Event", "type", 24), ("NewSeat", "kind", 3)):
        union = schemas[name]
        assert union["discriminator"]["propertyName"] == member
        mapping = union["discriminator"]["mapping"]
        assert len(mapping) == len(union["oneOf"]) == number
        for tag, reference in mapping.items():
            target = schemas[reference.rsplit("/", 1)[1]]
            assert target["properties"][member]["const"] == tag
            assert member in target["required"]


def test_requests_take_nothing_that_is_not_described(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for union in ("Command", "NewSeat"):
        for option in schemas[union]["oneOf"]:
            assert schemas[option["$ref"].rsplit("/", 1)[1]]["additionalProperties"] is False
    for name in ("CreateGame", "TakeSeat", "ArrangeHand", "Position", "Sandbox"):
        assert schemas[name]["additionalProperties"] is False


def test_cards_have_patterns(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, card, others in (
        ("DiscardCommand", "card", ("7H", "JK", "TC")), ("View", "discard", ("7H",)),
    ):  # fmt: skip
        schema = schemas[name]["properties"][card]
        pattern = schema.get("pattern") or schema["items"]["pattern"]
        assert all(re.search(pattern, other) for other in others)
        assert not re.search(pattern, "10H")


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        return own + [r for value in node.values() for r in _references(value)]
    return [r for value in node for r in _references(value)] if isinstance(node, list) else []


def test_every_reference_leads_somewhere_and_every_schema_is_used(document: dict[str, Any]) -> None:
    references = {r.removeprefix("#/components/schemas/") for r in _references(document)}
    assert references == set(document["components"]["schemas"])


def test_every_example_is_what_its_schema_says(document: dict[str, Any]) -> None:
    checked = 0
    for _, _, o in operations(document):
        contents = [o["requestBody"]["content"]] if "requestBody" in o else []
        contents += [answer["content"] for answer in o["responses"].values() if "content" in answer]
        for content in contents:
            for media_type, said in content.items():
                if not media_type.endswith("json"):
                    continue
                schema = {"components": document["components"], **said["schema"]}
                Draft202012Validator.check_schema(schema)
                for example in said.get("examples", {}).values():
                    Draft202012Validator(schema).validate(example["value"])
                    checked += 1
    assert checked > 40


def test_generated_clients_may_leave_out_what_the_contract_lets_them(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, schema in schemas.items():
        for member, found in schema.get("properties", {}).items():
            # Generators take a member with a default for one that is always there.
            assert "default" not in found, (name, member)
            # They take an object of which nothing is said for one that is always empty.
            if found.get("type") == "object":
                assert found.keys() & {"properties", "additionalProperties"}, (name, member)
    assert schemas["CreateGame"]["required"] == ["variant"]
    assert "`1`" in schemas["DrawCommand"]["properties"]["count"]["description"]
