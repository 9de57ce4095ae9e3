"""Words of a statement -> its tags and the entities it clearly names.

Tags are two to five lower-case topic words, tools first, then the other content words in their
order. Entities are `type-slug` names: a known tool, a person or a company that the rule's pattern
found in its place; never a guess from capital letters alone. Same words, same tags: nothing here
depends on the order of a set.
"""

from __future__ import annotations

import re

from engram.language.stop_words import TAG
from engram.model.entity_ids import entity_id

_MOST_TAGS = 5


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


#: Names that are tools however they are written.
_TOOLS = word_set(
    """postgres postgresql mysql mariadb sqlite mongodb redis memcached elasticsearch opensearch
    clickhouse duckdb bigquery snowflake dynamodb cassandra couchdb neo4j supabase firebase
    firestore kafka rabbitmq nats celery sidekiq airflow dbt spark docker podman kubernetes k8s
    helm terraform ansible pulumi nginx caddy traefik haproxy envoy apache prometheus grafana
    datadog sentry loki jaeger opentelemetry github gitlab bitbucket jenkins circleci buildkite
    argocd aws gcp azure s3 ec2 lambda cloudflare vercel netlify heroku hetzner digitalocean python
    typescript javascript golang kotlin scala haskell elixir erlang clojure php perl c++ c# zig
    ocaml julia node nodejs deno bun npm pnpm yarn pip poetry uv conda cargo maven gradle bazel
    cmake webpack vite rollup esbuild turborepo react reactjs vue svelte sveltekit angular nextjs
    next.js nuxt remix astro jquery redux zustand tailwind bootstrap sass graphql grpc trpc openapi
    django flask fastapi rails laravel symfony express.js nestjs axum actix pytest jest vitest
    mocha cypress playwright selenium junit eslint prettier ruff black mypy pyright flake8 pylint
    biome vim neovim nvim emacs vscode intellij pycharm webstorm zed tmux zsh fish bash git linux
    ubuntu debian nixos macos windows slack jira notion confluence trello asana figma obsidian
    stripe paypal twilio sendgrid mailgun auth0 okta keycloak oauth jwt openai anthropic
    huggingface pytorch tensorflow numpy pandas sqlalchemy prisma drizzle typeorm hibernate alembic
    flyway liquibase consul minio nomad wordpress shopify unity unreal godot flutter swiftui xcode
    android ios storybook pydantic htmx whoosh pgbouncer timescaledb influxdb meilisearch algolia
    pinecone qdrant weaviate milvus langchain mapbox hugo jekyll latex zotero excel"""
)
#: Names that are also plain words: tools only with a capital, past the first word.
_CAPITAL_TOOLS = word_set(
    "Go Rust Ruby Java Swift Express Spring Fly Render Linear Lua Dart Chrome Safari Firefox Vault"
)
_SAME = {
    "postgresql": "postgres", "k8s": "kubernetes", "nvim": "neovim", "golang": "go",
    "nodejs": "node", "reactjs": "react", "next.js": "nextjs", "express.js": "express",
}  # fmt: skip

_TOKEN = re.compile(r"[^\W_](?:[\w.'/+#-]*[\w+#])?")
_SHORTEST_TAG, _LONGEST_TAG = 3, 30


def tags_of(said: str) -> tuple[str, ...]:
    """Two to five topic words (fewer when there are not more), lower case, no repeats."""
    tokens = _TOKEN.findall(said)
    tools = [tool for place, token in enumerate(tokens) if (tool := _tool(token, place))]
    topics = [token.casefold() for token in tokens if _is_topic(token)]
    names = [_SAME.get(word, word).removesuffix("'s").strip("'./") for word in [*tools, *topics]]
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST_TAGS]


def entities_of(said: str, *, person: str = "", company: str = "") -> tuple[str, ...]:
    """`person-...` and `company-...` when the rule found one, then the tools that are named."""
    found = [entity_id(person, "person")] if person else []
    if company:
        found.append(entity_id(company, "company"))
    for place, token in enumerate(_TOKEN.findall(said)):
        tool = _tool(token, place)
        if tool:
            found.append(entity_id(tool, "tool"))
    return tuple(dict.fromkeys(found))


def is_tool(word: str) -> bool:
    """Whether a word is the name of a tool however it is written."""
    return word.casefold() in _TOOLS


def _tool(token: str, place: int) -> str:
    """The canonical name of a tool, or nothing."""
    name = token.casefold()
    if name in _TOOLS:
        return _SAME.get(name, name)
    return name if place and token in _CAPITAL_TOOLS else ""


def _is_topic(token: str) -> bool:
    return (
        _SHORTEST_TAG <= len(token) <= _LONGEST_TAG
        and token.isascii()
        and not token[0].isdigit()
        and "/" not in token
        and token.casefold().removesuffix("'s") not in TAG
    )
