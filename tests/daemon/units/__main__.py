"""The golden units: `python -m tests.daemon.units` writes them anew."""

from __future__ import annotations

from pathlib import Path

from engram.daemon.service.units import ServiceDefinition, launchd_plist, systemd_unit, windows_task

HERE = Path(__file__).parent
STATE = "/home/kim/.local/state/engram"
#: nothing special, and a bit of everything that somebody's machine may have
PLAIN = ServiceDefinition(
    program="/home/kim/.local/bin/engram",
    arguments=("daemon", "run"),
    state=STATE,
    writes=("/home/kim/engram", STATE, "/home/kim/.cache/engram", "/home/kim/.config/engram"),
    log=f"{STATE}/daemon/stderr.log",
    key_variable="OPENAI_API_KEY",
    user="DESK\\kim",
)
ODD = ServiceDefinition(
    program="/opt/kim's tools/engram",
    arguments=("--vault", '/srv/100% "mine" & größer <\\>/$HOME', "daemon", "run"),
    state="/srv/größer/home",
    writes=('/srv/100% "mine" & größer <\\>/$HOME', "/srv/größer/home", "/tmp/cache"),
    log="/srv/größer/home/daemon/stderr.log",
    environment=(("CODEX_HOME", "/srv/a b/100%"), ("ENGRAM_HOME", "/srv/größer/home")),
    user="Kim & Söhne\\kim",
    in_session=False,
)
UNITS = {
    "plain.service": systemd_unit(PLAIN), "odd.service": systemd_unit(ODD),
    "plain.plist": launchd_plist(PLAIN), "odd.plist": launchd_plist(ODD),
    "plain.xml": windows_task(PLAIN), "odd.xml": windows_task(ODD),
}  # fmt: skip


if __name__ == "__main__":
    for name, text in UNITS.items():
        (HERE / name).write_text(text, encoding="utf-8")
