"""Failure of one request to a model, with what to do next."""

from __future__ import annotations


class RequestFailure(Exception):
    """One request brought no answer.

    `reason` is one of `engram.llm.REASONS`. `transient`: the same request may succeed later.
    `retry_after`: seconds that the provider asks to wait. `parameter`: it refuses this one, ask
    without it. `form`: it does not know this form of request, ask in another. `charged`: the
    request may have been processed, and billed, although no answer came.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        parameter: str = "",
        form: bool = False,
        charged: bool = False,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.transient = transient
        self.retry_after = retry_after
        self.parameter = parameter
        self.form = form
        self.charged = charged
