"""Settings -> the providers to ask, in order: cloud, LM Studio, Ollama (seed 003's chain).

A provider is asked only when the user named a model for it: a key in the environment, which may
be there for other programs, starts nothing. The key comes from one environment variable, and goes
to `llm.base_url` alone. Vectors come from one more endpoint, where a model is named for it. Vaults
set none of this.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from engram.model.settings import LlmSettings

CLOUD, LM_STUDIO, OLLAMA = "cloud", "lmstudio", "ollama"
EMBEDDING = "embedding"
_OPENAI = "api.openai.com"
_LOOPBACK = re.compile(r"127(?:\.\d{1,3}){3}", re.ASCII)
#: sent where no key is needed: the client requires one
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Provider:
    """One endpoint that speaks the API of OpenAI, and the model to ask there.

    `key` is empty where one is needed and there is none. `local` providers cost no money.
    """

    name: str
    base_url: str
    model: str
    key: str = field(repr=False)
    local: bool = False

    @property
    def of_openai(self) -> bool:
        """Whether it is OpenAI itself, where a key is needed and accounts have projects."""
        return urlsplit(self.base_url).hostname == _OPENAI

    @property
    def on_this_machine(self) -> bool:
        """Whether the endpoint is this machine: no proxy of the environment is used then."""
        host = urlsplit(self.base_url).hostname or ""
        return host in ("localhost", "::1") or _LOOPBACK.fullmatch(host) is not None


def providers(settings: LlmSettings, environment: Mapping[str, str]) -> tuple[Provider, ...]:
    """The providers with a model, in the order in which they are asked; none by default."""
    found = []
    if settings.model:
        key = environment.get(settings.key_variable, "").strip()
        if not key and urlsplit(settings.base_url).hostname != _OPENAI:
            key = NO_KEY  # local servers often need none
        found.append(Provider(CLOUD, settings.base_url, settings.model, key))
    for name, url, model in (
        (LM_STUDIO, settings.lmstudio_url, settings.lmstudio_model),
        (OLLAMA, settings.ollama_url, settings.ollama_model),
    ):
        if model:
            found.append(Provider(name, url, model, NO_KEY, local=True))
    return tuple(found)


def embedding_provider(settings: LlmSettings, environment: Mapping[str, str]) -> Provider:
    """The endpoint that makes vectors, for settings that name a model for it.

    It is given the key only where it is the endpoint that the key is for.
    """
    url = settings.embedding_url
    key = environment.get(settings.key_variable, "").strip() if url == settings.base_url else ""
    if not key and urlsplit(url).hostname != _OPENAI:
        key = NO_KEY
    found = Provider(EMBEDDING, url, settings.embedding_model, key)
    return replace(found, local=found.on_this_machine)
