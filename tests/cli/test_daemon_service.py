"""`engram daemon install` and `uninstall`, with a service manager that only takes notes."""

from __future__ import annotations

import json
import os
import plistlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.daemon.service.units import seal_of, writes_of
from engram.daemon.state.instance_lock import InstanceLock
from tests.cli.shop import Shop
from tests.golden.console import Ran, prompt_context, run

ROOT = Path(__file__).resolve().parents[2]
UNIT = Path(".config/systemd/user/engram.service")
BEGIN = ["--user daemon-reload", "--user enable engram.service", "--user restart engram.service"]
REACH = "--user show --property=Version"


class Service:
    """A shop whose service manager is a script: it notes what it is asked, and fails if told."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.notes = shop.folder / "asked"
        self.failing = shop.folder / "failing"
        script = shop.write(
            "manager",
            f'#!/bin/sh\necho "$*" >> "{self.notes}"\n'
            f'[ -e "{self.failing}" ] || exit 0\n'
            f'case "$*" in $(cat "{self.failing}")) echo "it says no" >&2; exit 3;; esac\n',
        )
        script.chmod(0o755)
        for variable in ("ENGRAM_SYSTEMCTL", "ENGRAM_LAUNCHCTL", "ENGRAM_SCHTASKS"):
            shop.environment[variable] = str(script)

    def fails(self, pattern: str) -> None:
        """From now on, what matches a pattern of the shell fails; nothing does with ''."""
        self.failing.write_text(pattern)

    def asked(self) -> list[str]:
        """What the manager was asked since the last time."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return lines

    def install(self, *more: str) -> Ran:
        return self.shop.run("daemon", "install", "--command", "/opt/engram", *more)

    def uninstall(self, *more: str) -> Ran:
        return self.shop.run("daemon", "uninstall", *more)

    @property
    def unit(self) -> Path:
        return self.shop.folder / UNIT


@pytest.fixture
def service(shop: Shop) -> Service:
    return Service(shop)


def everything(folder: Path) -> dict[str, bytes | None]:
    """All that lies below a folder: files with their bytes, folders without."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_installed_the_manager_is_told_and_the_unit_is_the_persons_alone(service: Service) -> None:
    ran = service.install()
    assert ran.code == 0 and ran.out == f"installed and started: {service.unit}\n"
    assert "loginctl enable-linger" in ran.err and "OPENAI_API_KEY" in ran.err
    assert service.asked() == [REACH, *BEGIN]
    assert service.unit.stat().st_mode & 0o777 == 0o600
    text = service.unit.read_text()
    folder = service.shop.folder.resolve()
    assert f"\nExecStart=/opt/engram --vault {folder / 'vault'} daemon run\n" in text
    # state, cache and settings lie in the home
    assert writes_of(text) == [str(folder / "vault"), str(folder / "home")]
    assert f"\nEnvironment=ENGRAM_HOME={folder / 'home'}\n" in text


def test_twice_is_as_once(service: Service) -> None:
    service.install()
    service.asked()
    before, written = everything(service.shop.folder), service.unit.stat()
    ran = service.install()
    assert ran.code == 0 and "is installed already" in ran.out
    assert service.unit.stat() == written
    # a daemon that runs is not restarted for nothing
    assert service.asked() == [REACH, "--user enable --now engram.service"]
    assert everything(service.shop.folder) == before


def test_uninstalled_everything_is_as_before(service: Service) -> None:
    before = everything(service.shop.folder)
    service.install()
    runtime = service.shop.folder / "home" / "daemon"
    for name in ("log.jsonl", "log.jsonl.1", "pulse.json", "paused.json", "lock"):
        (runtime / name).write_text("")
    ran = service.uninstall()
    assert ran.code == 0 and f"removed {service.unit}\n" in ran.out
    assert service.asked()[-4:] == [
        REACH, "--user disable --now engram.service", "--user daemon-reload",
        "--user reset-failed engram.service",
    ]  # fmt: skip
    (service.shop.folder / ".config").rmdir()
    assert everything(service.shop.folder) == before
    ran = service.uninstall()
    assert ran.code == 0 and ran.out == "there is nothing of the daemon here\n"
    assert service.asked() == []


def test_a_dry_run_tells_and_does_nothing(service: Service) -> None:
    before = everything(service.shop.folder)
    ran = service.install("--dry-run")
    assert ran.code == 0 and str(service.unit) in ran.err
    seal = seal_of(ran.out)
    assert seal is not None and seal.intact
    said = json.loads(service.install("--dry-run", "--json").out)
    assert said["unit"] == ran.out and said["file"] == str(service.unit) and said["changed"]
    assert everything(service.shop.folder) == before
    service.install()
    assert service.unit.read_text() == ran.out
    before = everything(service.shop.folder)
    service.asked()
    assert f"would remove {service.unit}" in service.uninstall("--dry-run").out
    assert everything(service.shop.folder) | {"asked": None} == before | {"asked": None}
    assert service.asked() == []


def test_a_unit_that_a_person_changed_is_left_alone(service: Service) -> None:
    service.install()
    service.unit.write_text(service.unit.read_text().replace("Nice=10", "Nice=19"))
    service.asked()
    changed = service.unit.read_bytes()
    for ran in (service.install(), service.install("--dry-run"), service.uninstall()):
        assert (ran.code, ran.out) == (3, "")
        assert "was changed by hand" in ran.err and "--force" in ran.err
    assert service.unit.read_bytes() == changed and service.asked() == []
    assert service.install("--force").code == 0
    assert "Nice=10" in service.unit.read_text()


def test_a_unit_of_somebody_else_is_left_alone(service: Service) -> None:
    service.unit.parent.mkdir(parents=True)
    service.unit.write_text("[Service]\nExecStart=/opt/other\n")
    for ran in (service.install(), service.uninstall()):
        assert ran.code == 3 and "was not written by engram" in ran.err
    assert service.uninstall("--force").code == 0
    assert not service.unit.exists()


def test_a_daemon_of_another_home_is_left_alone(service: Service) -> None:
    service.install()
    other = service.shop.environment | {"ENGRAM_HOME": str(service.shop.folder / "other")}
    run(["trust", "vault"], service.shop.folder, other)
    for verb in ("install", "uninstall"):
        ran = run(["daemon", verb], service.shop.folder, other)
        assert ran.code == 3 and "another ENGRAM_HOME" in ran.err


def test_a_symlink_in_its_place_is_refused(service: Service) -> None:
    target = service.shop.write("dotfiles/engram.service", "mine")
    service.unit.parent.mkdir(parents=True)
    service.unit.symlink_to(target)
    for ran in (service.install("--force"), service.uninstall("--force")):
        assert ran.code == 1 and "is a symlink" in ran.err
    assert target.read_text() == "mine"


# -- where there is no manager ---------------------------------------------------------------------


def test_without_a_manager_nothing_is_written_and_the_hint_helps(service: Service) -> None:
    before = everything(service.shop.folder)
    service.shop.environment["ENGRAM_SYSTEMCTL"] = "/nowhere/systemctl"
    ran = service.install()
    assert ran.code == 1 and "no systemd user manager here" in ran.err
    assert "hint: `engram daemon start`" in ran.err
    assert everything(service.shop.folder) == before


def test_a_manager_that_nobody_started_is_told_in_its_words(service: Service) -> None:
    service.fails("*show*")
    ran = service.install()
    assert ran.code == 1 and "it says no" in ran.err and "engram daemon start" in ran.err
    assert not service.unit.exists()


def test_a_manager_that_refuses_is_told_in_its_words(service: Service) -> None:
    service.fails("*restart*")
    ran = service.install()
    assert ran.code == 1
    assert "`systemctl --user restart engram.service` failed: it says no" in ran.err


def test_without_a_manager_everything_is_removed_nevertheless(service: Service) -> None:
    service.install()
    wanted = service.unit.parent / "default.target.wants" / "engram.service"
    wanted.parent.mkdir()
    wanted.symlink_to(service.unit)
    service.shop.environment["ENGRAM_SYSTEMCTL"] = "/nowhere/systemctl"
    ran = service.uninstall()
    assert ran.code == 0 and "the service manager was not asked" in ran.err
    assert not os.path.lexists(wanted) and not service.unit.parent.exists()


def test_a_drop_in_of_the_person_stays(service: Service) -> None:
    service.install()
    drop_in = service.shop.write(f"{UNIT}.d/override.conf", "[Service]\nNice=19\n")
    # it may hold a key
    assert "no key" not in service.install().err
    ran = service.uninstall()
    assert ran.code == 0 and f"{drop_in.parent} is yours and stays" in ran.err
    assert drop_in.exists()


def test_without_a_vault_there_is_nothing_to_keep(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for more in ([], ["--vault", "folder"]):
        ran = run(["daemon", "install", "--dry-run", *more], tmp_path)
        assert ran.code == 1 and "is no vault that is registered here" in ran.err


def test_it_captures_into_the_vault_that_commands_use_here(service: Service) -> None:
    shop = service.shop
    folder = shop.folder.resolve()
    assert f"--vault {folder / 'vault'} daemon run" in service.install("--dry-run").out
    shop.run("init", "second")
    unit = service.install("--dry-run", "--vault", "second").out
    assert f"--vault {folder / 'second'} daemon run" in unit
    # it keeps the others as well
    assert f"ReadWritePaths=-{folder / 'vault'}\n" in unit
    shop.run("config", "set", "vault", str(folder / "vault"))
    assert "ExecStart=/opt/engram daemon run\n" in service.install("--dry-run").out


# -- the other systems -----------------------------------------------------------------------------


def test_launchd_is_asked_as_it_wants_to_be(service: Service) -> None:
    service.fails("bootout*")
    path = service.shop.folder / "Library" / "LaunchAgents" / "dev.engram.daemon.plist"
    ran = service.install("--for", "launchd")
    assert ran.code == 0 and "nobody has tried engram with launchd" in ran.err
    domain = f"gui/{os.getuid()}"
    job = f"{domain}/dev.engram.daemon"
    assert service.asked() == [
        f"print {domain}", f"bootout {job}", f"enable {job}", f"bootstrap {domain} {path}"
    ]  # fmt: skip
    assert plistlib.loads(path.read_bytes())["ProgramArguments"] == [
        "/opt/engram", "--vault", str(service.shop.folder.resolve() / "vault"), "daemon", "run",
    ]  # fmt: skip
    assert service.uninstall("--for", "launchd").code == 0
    assert service.asked() == [f"print {domain}", f"bootout {job}"]
    assert not path.exists()


def test_folders_that_macos_guards_are_told_of(service: Service) -> None:
    service.shop.run("init", "Documents/notes")
    said = service.install("--for", "launchd").err
    folder = service.shop.folder.resolve()
    assert said.count("macOS asks") == 1 and f"{folder / 'Documents' / 'notes'}: it has to" in said
    assert "macOS asks" not in service.install().err


def test_the_task_scheduler_is_asked_as_it_wants_to_be(service: Service) -> None:
    path = service.shop.folder / "home" / "daemon" / "task.xml"
    assert service.install("--for", "windows").code == 0
    assert service.asked()[1:] == [f"/Create /TN engram /XML {path} /F", "/Run /TN engram"]
    assert path.read_bytes().startswith(b"\xff\xfe<\x00?\x00")
    assert "is installed already" in service.install("--for", "windows").out
    assert service.uninstall("--for", "windows").code == 0
    assert service.asked()[-2:] == ["/End /TN engram", "/Delete /TN engram /F"]
    assert not path.exists()


def test_no_value_of_a_key_is_in_a_unit(service: Service) -> None:
    service.shop.environment |= {
        "OPENAI_API_KEY": "sk-value", "MY_KEY": "sk-other", "ENGRAM_LLM_KEY_VARIABLE": "MY_KEY",
    }  # fmt: skip
    for manager in ("systemd", "launchd", "windows"):
        out = service.install("--for", manager, "--dry-run").out
        assert "MY_KEY" in out and "sk-" not in out


# -- a daemon that truly runs ----------------------------------------------------------------------


def test_uninstalled_a_running_daemon_is_ended_and_leaves_nothing(service: Service) -> None:
    shop = service.shop
    before = everything(shop.folder)
    service.install()
    instance_lock = InstanceLock(shop.folder / "home")
    environment = prompt_context(shop.folder) | shop.environment
    words = [sys.executable, "-m", "engram", "daemon", "run"]
    with subprocess.Popen(
        words, cwd=shop.folder, env=environment | {"PYTHONPATH": str(ROOT)}
    ) as it:
        try:
            until(lambda: instance_lock.holder() == it.pid)
            # to a manager that knows nothing of it, it was started by hand
            service.fails("*is-active*")
            assert "was started by hand" in service.install().err
            assert service.uninstall().code == 0
            assert it.wait(10) == 0
        finally:
            it.kill()
    (shop.folder / ".config").rmdir()
    after = everything(shop.folder)
    ours = {name for name in after if name not in before and name.partition("/")[0] != "vault"}
    assert {name for name in ours if not name.startswith("home/cache/")} == {"asked", "failing"}


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens soon, unless something is wrong."""
    give_up = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.02)
