"""Statements of a project's life, any number of them: what a pair has to be found among.

Plain English as people dictate it, about services, files, people, limits and habits, made of forms
and words. Statement `n` depends on nothing but `n`; no two of the first 3,000 are equal, and no two
of one form are about the same subject, so that none replaces another.
"""

from __future__ import annotations

import random

#: what stands for a name in a form
_WORDS = {
    "s": """
    billing search login invoice export import mail chat calendar map audit metrics
    archive photo video payroll stock order basket coupon refund shipping returns loyalty
    forum survey quiz ticket booking catalogue pricing tax ledger profile avatar comment
    feed alert webhook gateway proxy scheduler crawler parser compiler linker renderer
    thumbnail transcoder recommender translation spelling consent cookie session token
    device firmware sensor router printer""",
    "p": """
    service queue worker page form table report job script module panel index store client""",
    "h": """
    Anouk Bilal Chiara Dmitri Elif Fatou Goran Hanna Imre Jun Katya Liam Mona Nils Olga
    Pablo Qasim Rana Stig Tove Ugo Vera Wim Xenia Yara Zoran""",
    "c": """
    Bergen Porto Gdansk Lyon Turin Ghent Graz Malmo Cork Tartu Split Basel Bilbao Riga
    Bremen""",
    "t": """
    Redis Kafka Nginx Celery Grafana Terraform Ansible Vite Cypress Poetry Sentry Bazel
    Flink Spark Solr Minio Consul Envoy Puppet Jaeger Tempo Loki Argo Helm Packer""",
}
_CHOICES = {key: told.split() for key, told in _WORDS.items()}
_FORMS = (
    "The {s} {p} writes its logs to /var/log/{s}/{p}.log.",
    "{h} looks after the {s} {p}.",
    "The {s} {p} listens on port {n}.",
    "We use {t} for the {s} {p}.",
    "The {s} {p} times out after {m} seconds.",
    "Every change to the {s} {p} needs a review by {h}.",
    "The {s} {p} retries a failed request {k} times.",
    "Nightly tests of the {s} {p} take {m} minutes.",
    "The {s} {p} is deployed from {c} on the first Monday of the month.",
    "Users complain that the {s} {p} is slow in the evening.",
    "The contract for the {s} {p} costs {n} EUR a year.",
    "{h} wrote the manual of the {s} {p} in {c}.",
    "The {s} {p} keeps its settings in config/{s}_{p}.toml.",
    "We decided that the {s} {p} stays in one repository.",
    "The {s} {p} caches answers for {m} minutes.",
    "The release of the {s} {p} is signed with a key from {t}.",
    "The {s} {p} supports {k} languages.",
    "The backup of the {s} {p} is kept for {m} days.",
    "Anybody who touches the {s} {p} runs its tests first.",
    "The {s} {p} rejects uploads above {m} MB.",
)


def stranger(number: int) -> str:
    """The statement of this number."""
    draw = random.Random(f"stranger {number}")
    # the form goes round with the number, the subject steps on with each round
    turn, form = divmod(number, len(_FORMS))
    again, subject = divmod(turn, len(_CHOICES["s"]))
    return _FORMS[form].format(
        s=_CHOICES["s"][subject],
        p=_CHOICES["p"][(again + number) % len(_CHOICES["p"])],
        h=draw.choice(_CHOICES["h"]),
        c=draw.choice(_CHOICES["c"]),
        t=draw.choice(_CHOICES["t"]),
        n=draw.randrange(1_000, 9_999),
        m=draw.randrange(2, 99),
        k=draw.randrange(2, 12),
    )
