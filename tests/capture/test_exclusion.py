"""What `capture.exclude` keeps out: by path, folder and project, however these are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.capture.exclusion import Exclusion, excluded


@pytest.mark.parametrize(
    ("glob", "path", "project", "out"),
    [
        ("acme", "", "acme", True),
        ("client-*", "", "client-x", True),
        ("acme", "/home/kim/ACME/a.jsonl", "", True),
        ("acme", "/home/kim/acme-2/a.jsonl", "shop", False),
        ("/home/kim/private/**", "/home/kim/private/deep/er/a.jsonl", "", True),
        ("/home/kim/private/", "/home/kim/private/a.jsonl", "", True),
        ("~/private", "/home/kim/private/a.jsonl", "", True),
        ("private/notes", "/home/kim/private/notes/a.md", "", True),
        ("*.md", "/home/kim/a.md", "", True),
        ("/home/kim/acme", "/home/kim/.claude/projects/-home-kim-acme/s.jsonl", "", True),
        ("/home/kim/acme/**", "/home/kim/.claude/projects/-home-kim-acme-api/s.jsonl", "", True),
        ("~/w/acme", "/home/kim/.claude/projects/-home-kim-w-acme/s.jsonl", "", True),
        ("/home/kim/acme", "/home/kim/.claude/projects/-home-kim-shop/s.jsonl", "shop", False),
        ("C:/work/acme", "C:/Users/kim/.claude/projects/C--work-acme/s.jsonl", "", True),
        ("C:\\work\\**", "C:\\work\\acme\\a.md", "", True),
        ("caf\u00e9", "/w/cafe\u0301/a.md", "", True),
        ("", "/w/a.md", "shop", False),
        ("/", "/w/a.md", "shop", False),
        ("**", "/w/a.md", "", True),
    ],
)
def test_globs_exclude_projects_folders_files_and_working_folders(
    glob: str, path: str, project: str, out: bool
) -> None:
    assert excluded(path, project, [glob]) is out


def test_nothing_is_excluded_without_globs() -> None:
    assert not excluded("/home/kim/a.jsonl", "shop", [])


@pytest.mark.parametrize(
    ("glob", "folder", "project"),
    [
        ("acme-corp", "/home/kim/Acme Corp/app", ""),
        ("acme-corp", "", "Acme Corp"),
        ("Acme Corp", "", "Acme Corp"),
        ("Acme Corp", "/home/kim/acme-corp/app", ""),
        ("*/ACME corp/**", "/home/kim/Acme Corp", ""),
    ],
)
def test_a_folder_and_a_project_are_known_by_name_and_by_slug(
    glob: str, folder: str, project: str
) -> None:
    assert Exclusion([glob])(folder, project)
    assert not Exclusion([glob])("/home/kim/acme", "acme")


def test_links_lead_to_what_is_excluded(tmp_path: Path) -> None:
    real, link = tmp_path / "real" / "acme", tmp_path / "link"
    real.mkdir(parents=True)
    link.symlink_to(real)
    for glob in (f"{real}/**", f"{link}/**", str(link), str(real)):
        for folder in (real, link, real / "deep", link / "deep"):
            assert Exclusion([glob])(str(folder), "")
        assert not Exclusion([glob])(str(tmp_path / "real"), "")
