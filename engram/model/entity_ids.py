"""Entity ids: a name and its type -> `<type>-<slug>`.

`person-jane-doe` is what extraction writes into a memory's `entities` and the stem of the page.
Names that differ in their letters never share an id; the well-known synonyms of tools do.
"""

from __future__ import annotations

from collections.abc import Mapping

from engram.model.entity import TYPES
from engram.model.ids import is_id, slug

#: other names of tools, as slugs; only those that mean nothing else
SYNONYMS: Mapping[str, str] = {
    "amazon-dynamodb": "dynamodb", "amazon-s3": "s3", "amazon-web-services": "aws",
    "apache-airflow": "airflow", "apache-kafka": "kafka", "apache-spark": "spark",
    "cpp": "c-plus-plus", "csharp": "c-sharp", "expressjs": "express", "express-js": "express",
    "gha": "github-actions",
    "golang": "go", "google-bigquery": "bigquery", "google-cloud-platform": "gcp",
    "js": "javascript", "k8s": "kubernetes", "kube": "kubernetes", "mac-os": "macos",
    "microsoft-sql-server": "sql-server", "mongo": "mongodb", "ms-sql": "sql-server",
    "mssql": "sql-server", "next-js": "nextjs", "node-js": "node", "nodejs": "node",
    "nvim": "neovim", "objc": "objective-c", "os-x": "macos", "osx": "macos",
    "postgresql": "postgres", "py": "python", "react-js": "react", "reactjs": "react",
    "sklearn": "scikit-learn", "sqlite3": "sqlite", "tailwind-css": "tailwind",
    "tailwindcss": "tailwind", "ts": "typescript", "visual-studio-code": "vscode",
    "vs-code": "vscode", "vue-js": "vue", "vuejs": "vue",
}  # fmt: skip


def entity_id(name: str, type: str) -> str:
    """`<type>-<slug>`; an unknown type becomes `other`, a leading `type-` is dropped."""
    kind = type.strip().casefold()
    kind = kind if kind in TYPES else "other"
    said = name.strip()
    if said.casefold().startswith(f"{kind}-"):
        said = said[len(kind) + 1 :] or said
    stem = slug(said)
    return f"{kind}-{SYNONYMS.get(stem, stem) if kind == 'tool' else stem}"


def type_of(identifier: str) -> str:
    """The type that an id begins with."""
    prefix, _, stem = identifier.partition("-")
    return prefix if stem and prefix in TYPES else "other"


def stem_of(identifier: str) -> str:
    """An id without its type."""
    return identifier.partition("-")[2] or identifier


def is_entity_id(text: str) -> bool:
    """Whether a text is an id as `entity_id` makes them, not a name."""
    return is_id(text) and text.partition("-")[0] in TYPES and stem_of(text) != text
