"""What `engram init` copies is complete and can be read by the programs it is made for."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from engram.model.errors import ConfigError
from engram.settings.load import VAULT_KEYS, load, vault_template
from engram.settings.registry import SHARED_SPACES
from engram.settings.shipped import shared_template

VIEWS = sorted((vault_template() / "views").glob("*.base"))
#: header keys of memories, entities and conversations that the views may show
FIELDS = {
    "category", "status", "status_reason", "status_since", "created", "expires", "confidence",
    "importance", "authority", "project", "superseded_by", "conflicts", "title",
    "decision_state", "due", "priority", "type", "aliases", "source",
}  # fmt: skip


def test_the_template_is_exactly_this() -> None:
    files = {path for path in vault_template().rglob("*") if path.is_file()}
    assert {path.relative_to(vault_template()).as_posix() for path in files} == {
        ".gitignore", ".stignore", "README.md", "engram.toml", "home.md",
        "views/conversations.base", "views/decisions.base", "views/needs-review.base",
        "views/open-commitments.base", "views/people.base", "views/this-week.base",
    }  # fmt: skip


def test_the_template_of_a_shared_vault_is_exactly_this(tmp_path: Path) -> None:
    root = shared_template()
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert files == {".gitignore", "README.md", "engram.toml"}
    text = (root / "engram.toml").read_text(encoding="utf-8").replace("@ID@", "ours")
    for space in SHARED_SPACES:
        (tmp_path / "engram.toml").write_text(text.replace("@SHARES@", space), encoding="utf-8")
        header = load(tmp_path, {"ENGRAM_HOME": str(tmp_path)}).vault
        assert header is not None and (header.timezone, header.shares) == ("UTC", space)


def test_the_vault_file_waits_for_an_id_and_then_loads(tmp_path: Path) -> None:
    text = (vault_template() / "engram.toml").read_text(encoding="utf-8")
    assert text.count("@ID@") == 1
    (tmp_path / "engram.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="@ID@"):
        load(tmp_path, {"ENGRAM_HOME": str(tmp_path)})
    (tmp_path / "engram.toml").write_text(text.replace("@ID@", "my-vault"), encoding="utf-8")
    header = load(tmp_path, {"ENGRAM_HOME": str(tmp_path)}).vault
    assert header is not None
    assert (header.format, header.id, header.timezone) == (1, "my-vault", "UTC")


def test_the_example_in_the_vault_file_is_allowed(tmp_path: Path) -> None:
    shutil.copy(vault_template() / "engram.toml", tmp_path)
    file = tmp_path / "engram.toml"
    text = file.read_text(encoding="utf-8").replace("@ID@", "my-vault")
    text = text.replace("# [retention", "[retention").replace("# decision =", "decision =")
    file.write_text(text, encoding="utf-8")
    loaded = load(tmp_path, {"ENGRAM_HOME": str(tmp_path)})
    assert loaded.origins["retention.days.decision"].layer == "vault"
    assert "retention.days" in VAULT_KEYS


@pytest.mark.parametrize("path", VIEWS, ids=lambda path: path.name)
def test_a_view_is_a_valid_base_and_names_only_what_exists(path: Path) -> None:
    base = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(base) == {"filters", "formulas", "properties", "views"}
    formulas = {f"formula.{name}" for name in base["formulas"]}
    for name in base["properties"]:
        assert name in formulas or name.removeprefix("note.") in FIELDS
    for view in base["views"]:
        assert set(view) <= {"type", "name", "filters", "groupBy", "order", "sort", "limit"}
        assert view["type"] == "table"
        shown = [*view["order"], *(row["property"] for row in view["sort"])]
        shown += [view["groupBy"]["property"]] if "groupBy" in view else []
        assert set(shown) <= FIELDS | formulas
        for filters in (base["filters"], view.get("filters", {"and": []})):
            assert_filters(filters)


def assert_filters(filters: object) -> None:
    """A filter is a statement, or one of and, or, not with a list of filters below it."""
    if isinstance(filters, str):
        assert filters.count('"') % 2 == 0 and filters.count("(") == filters.count(")")
        return
    assert isinstance(filters, dict) and len(filters) == 1
    ((word, inner),) = filters.items()
    assert word in {"and", "or", "not"} and isinstance(inner, list)
    for filter_ in inner:
        assert_filters(filter_)


def test_the_home_note_links_to_views_that_exist() -> None:
    text = (vault_template() / "home.md").read_text(encoding="utf-8")
    links = re.findall(r"\[\[([^\]#|]+)(?:#([^\]|]+))?", text)
    for target, view in links:
        if not target.endswith(".base"):
            assert (vault_template() / f"{target}.md").is_file()
            continue
        base = yaml.safe_load((vault_template() / "views" / target).read_text(encoding="utf-8"))
        assert not view or view in {row["name"] for row in base["views"]}
    assert {target for target, _ in links if target.endswith(".base")} == {p.name for p in VIEWS}
