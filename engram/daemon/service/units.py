"""Service units: a `ServiceDefinition` -> the text that a service manager reads.

Pure: a frozen `ServiceDefinition` in, a systemd user unit, a launchd property list or a task of the
Windows Task Scheduler out; equal input, equal text. Every unit carries a seal, the SHA-256 of its
own text, which tells whether it was edited, and which home it serves. Guarantees: no path or
value can end its word, its line or its element, whatever it contains; no API key is ever part of a
unit, only the name of its variable. Refuses (BadInput) what the format of the service manager
cannot express: control characters, what is not UTF-8, on Windows also `%NAME%`.

Only the systemd unit was ever run; the other two are rendered as their documentation says.
"""

from __future__ import annotations

import hashlib
import html
import plistlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from engram.model.errors import BadInput

#: the name of the systemd unit and of the task, and the label of launchd's job
NAME, LABEL = "engram", "dev.engram.daemon"
#: folders shared by all users, which systemd hides from a service with a private /tmp
_TEMPORARY = ("/tmp/", "/var/tmp/")
#: a word that needs no quotes in a systemd unit
_PLAIN = re.compile(r"[A-Za-z0-9_@:+,./=-]+")
#: systemd takes these in an argument, but not in the path of a program
_NO_PROGRAM = frozenset("\"'\\$")
_UNSPEAKABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_VARIABLE_OF_WINDOWS = re.compile(r"%[^%\s]+%")
_MOVE = "give the file or folder another name, or run `engram daemon start` instead"
_SEAL = re.compile(
    r"^(?:# |<!-- )engram-unit: sha256 ([0-9a-f]{64}) home ([0-9a-f]{12})(?: -->)?\n", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class ServiceDefinition:
    """The daemon as a service manager sees it; every path is absolute.

    `program` with `arguments` is what it runs; `writes` the folders that it may write to (vaults,
    state, cache, configuration); `log` the file for its output where the manager keeps no journal;
    `environment` is for finding its files; `key_variable` the name of the variable that holds the
    API key; `user` the account on Windows. `state` tells homes apart. `in_session` is whether its
    socket lies in the folder of the login session.
    """

    program: str
    arguments: tuple[str, ...]
    state: str
    writes: tuple[str, ...]
    log: str
    environment: tuple[tuple[str, str], ...] = ()
    key_variable: str = ""
    user: str = ""
    in_session: bool = True


@dataclass(frozen=True, slots=True)
class UnitSeal:
    """The seal of a unit: whether its text is as it was written, and for which home."""

    intact: bool
    home: str


def seal_of(text: str) -> UnitSeal | None:
    """The seal of a unit; None when it has none, so that engram did not write it."""
    found = _SEAL.search(text)
    if found is None:
        return None
    return UnitSeal(_digest(text[: found.start()] + text[found.end() :]) == found[1], found[2])


def home_of(service: ServiceDefinition) -> str:
    """The value in the seal that is equal for every unit of the same home."""
    return _digest(service.state)[:12]


def _sealed(head: str, form: str, rest: str, service: ServiceDefinition) -> str:
    """A unit with its seal between its first lines and the rest."""
    seal = f"engram-unit: sha256 {_digest(head + rest)} home {home_of(service)}"
    return f"{head}{form.format(seal)}\n{rest}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _told(text: str, what: str) -> str:
    """A text as it is, or BadInput where no unit can express it."""
    if _UNSPEAKABLE.search(text):
        raise BadInput(f"{what} holds a character that no service manager takes: {text!r}", _MOVE)
    return text


# -- systemd ---------------------------------------------------------------------------------------


def systemd_unit(service: ServiceDefinition) -> str:
    """A user unit: `~/.config/systemd/user/engram.service`. Raises BadInput."""
    program = _told(service.program, "the program")
    words = [program, *(_told(one, "an argument") for one in service.arguments)]
    if not _NO_PROGRAM.isdisjoint(program):
        if "=" in program:
            raise BadInput(f"systemd cannot be told to run {program!r}", _MOVE)
        words.insert(0, "/usr/bin/env")
    start = " ".join([_word(words[0]), *(_word(word).replace("$", "$$") for word in words[1:])])
    folders = [f"ReadWritePaths={_word('-' + _told(one, 'a folder'))}" for one in service.writes]
    pairs = [
        f"Environment={_word(f'{name}={_told(value, name)}')}"
        for name, value in service.environment
    ]
    # a service with a private /tmp would not see what lies below the shared one
    hidden = any(f"{path}/".startswith(_TEMPORARY) for path in (program, *service.writes))
    lines = [*_remarks(service), *_UNIT, f"ExecStart={start}", *_SERVICE]
    lines += [*_SESSION] if service.in_session else []
    lines += [f"PrivateTmp={'no' if hidden else 'yes'}", *folders, *pairs, *_INSTALL]
    return _sealed("", "# {}", "".join(f"{line}\n" for line in lines), service)


def writes_of(unit: str) -> list[str]:
    """The folders that a systemd unit lets its service write to; none for another format."""
    words = re.findall(r'^ReadWritePaths=(?:"-(.*)"|-(.*))$', unit, re.MULTILINE)
    plain = [re.sub(r"\\(.)", r"\1", quoted) if quoted else bare for quoted, bare in words]
    return [text.replace("%%", "%") for text in plain]


def _word(text: str) -> str:
    """One word of a line: quoted where needed, specifiers escaped."""
    text = text.replace("%", "%%")
    if _PLAIN.fullmatch(text.replace("%", "")):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _remarks(service: ServiceDefinition) -> list[str]:
    lines = [
        "# Written by `engram daemon install`, removed by `engram daemon uninstall`. Once you",
        "# change it, both leave it alone; a drop-in is kept: systemctl --user edit engram",
    ]
    if service.key_variable:
        lines += [
            "# No key of a model is ever stored here; a drop-in can name a file of yours with it:",
            "#   [Service]",
            f"#   EnvironmentFile=/a/file/of/yours    (one line: {service.key_variable}=...)",
        ]
    return lines


_UNIT = (
    "[Unit]",
    "Description=engram: quiet capture of conversations into your vault",
    # five failures in five minutes are no accident; with pauses of 10 s the default never counts 5
    "StartLimitIntervalSec=300",
    "StartLimitBurst=5",
    "",
    "[Service]",
    "Type=exec",
)
_SERVICE = (
    "ExecReload=/bin/kill -HUP $MAINPID",
    "Restart=on-failure",
    "RestartSec=10",
    "TimeoutStopSec=15",
    "UMask=0077",
    "Nice=10",
    "IOSchedulingClass=idle",
    "CPUQuota=25%",
    "MemoryMax=300M",
    "NoNewPrivileges=yes",
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
    "ProtectSystem=strict",
)
#: systemd makes this folder, lets the daemon write there and removes it when the daemon ends
_SESSION = ("RuntimeDirectory=engram", "RuntimeDirectoryMode=0700")
_INSTALL = ("", "[Install]", "WantedBy=default.target")


# -- launchd ---------------------------------------------------------------------------------------


def launchd_plist(service: ServiceDefinition) -> str:
    """A launch agent: `~/Library/LaunchAgents/dev.engram.daemon.plist`. Raises BadInput."""
    job: dict[str, object] = {
        "Label": LABEL,
        "ProgramArguments": [
            _told(word, "an argument") for word in (service.program, *service.arguments)
        ],
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 30,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "Umask": 0o077,
        "StandardErrorPath": _told(service.log, "the log"),
    }
    if service.environment:
        pairs = service.environment
        job["EnvironmentVariables"] = {name: _told(value, name) for name, value in pairs}
    text = plistlib.dumps(job, sort_keys=False).decode("utf-8")
    declared, document_type, rest = text.split("\n", 2)
    return _sealed(f"{declared}\n{document_type}\n", "<!-- {} -->", rest, service)


# -- the Task Scheduler ----------------------------------------------------------------------------


def windows_task(service: ServiceDefinition) -> str:
    """A task at logon, without a window; to be stored as UTF-16. Raises BadInput."""
    program = _told(service.program, "the program")
    arguments = _told(command_line(service.arguments), "an argument")
    for text in (program, arguments):
        if _VARIABLE_OF_WINDOWS.search(text):
            raise BadInput(f"the Task Scheduler takes a part of {text!r} for a variable", _MOVE)
    said = "engram: quiet capture of conversations into your vault."
    if service.environment:
        pairs = " ".join(f"{name}={_told(value, name)}" for name, value in service.environment)
        said += f" A task has no variables of its own; set for your account: {pairs}"
    user = f"<UserId>{_element(service.user, 'the user')}</UserId>" if service.user else ""
    text = _TASK.format(
        said=_element(said, "a variable"),
        trigger=f"\n      {user}" if user else "",
        principal=f"{user}\n      " if user else "",
        program=_element(program, "the program"),
        arguments=_element(arguments, "an argument"),
    )
    head, rest = text.split("\n", 1)
    return _sealed(f"{head}\n", "<!-- {} -->", rest, service)


def command_line(words: Sequence[str]) -> str:
    """Words as one line that a Windows program splits into the same words."""
    return " ".join(map(_windows_word, words))


def _windows_word(word: str) -> str:
    # backslashes count only before a quote, and before the one that ends the word
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', word)
    if word and not re.search("[ \t]", word):
        return escaped
    return f'"{escaped}{escaped[len(escaped.rstrip(chr(92))) :]}"'


def _element(text: str, what: str) -> str:
    return html.escape(_told(text, what), quote=False)


_TASK = """\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>{said}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>{trigger}
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      {principal}<LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>8</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>{program}</Command>
      <Arguments>{arguments}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
