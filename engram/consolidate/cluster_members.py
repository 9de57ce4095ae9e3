"""What a model said about loose clusters in earlier runs -> which of their memories one page tells.

A loose cluster that no model was asked about stays whole and is to be asked about; of one that was,
those are left that belong together, or nothing. Where no model was asked, or none gave a usable
answer, the strict clusters stand. An answer counts for equal texts, prompt and model. Pure.
"""

from __future__ import annotations

from engram.consolidate.clusters import Cluster, clusters_of, members_of
from engram.consolidate.context import PassContext
from engram.consolidate.entity_book import EntityBook
from engram.consolidate.summary_question import PROMPT
from engram.consolidate.summary_sources import LEAST_SOURCES, is_told
from engram.model.cluster_verdict import ClusterKey, ClusterVerdict
from engram.model.model_request import prompt_of
from engram.model.pair_verdict import text_digest


class ReadClusters:
    """The clusters of one run, and what a model said of them. Raises ConfigError for no prompt."""

    def __init__(self, context: PassContext) -> None:
        self._context = context
        self._book = EntityBook(context)
        self._strict = clusters_of(context)
        self._loose: list[Cluster] = []
        self._learnt: dict[ClusterKey, ClusterVerdict] = {}
        if context.model is not None:
            version, _ = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
            self._asked_as = text_digest(f"{version} {context.asked_as}")
            self._loose = clusters_of(context, loose=True)

    def unread(self) -> list[Cluster]:
        """The loose clusters that the model was not asked about, the most alike first."""
        found = [one for one in self._loose if self._verdict(one) is None]
        return sorted(found, key=lambda one: -one.likeness)

    def learn(self, cluster: Cluster, verdict: ClusterVerdict) -> None:
        """Know what was answered about a cluster."""
        key = self._key(cluster)
        self._learnt[key] = verdict
        if self._context.verdicts is not None:
            self._context.verdicts.learn_cluster(key, verdict)

    def told(self) -> list[Cluster]:
        """The clusters that a page may tell, as far as anything is known of them."""
        found, read = [], set[str]()
        for cluster in self._loose:
            verdict = self._verdict(cluster)
            if verdict is None or verdict.belongs is None:
                continue
            read.update(one.id for one in cluster.memories)
            names = {one.id for one in cluster.memories if text_digest(one.text) in verdict.belongs}
            if len(names) >= LEAST_SOURCES:
                found.append(members_of(cluster, names, self._book))
        strict = (one for one in self._strict if not any(m.id in read for m in one.memories))
        return [*found, *strict]

    def _verdict(self, cluster: Cluster) -> ClusterVerdict | None:
        key, kept = self._key(cluster), self._context.verdicts
        return self._learnt.get(key) or (kept.cluster(key) if kept is not None else None)

    def _key(self, cluster: Cluster) -> ClusterKey:
        texts = sorted({text_digest(one.text) for one in cluster.memories if is_told(one)})
        return ClusterKey(tuple(texts), self._asked_as)
