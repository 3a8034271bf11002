"""Exit codes and signals: names, plain words and the first thing to check.

Numbers are those of Linux on every machine where this runs: they describe the machine that the job died on.
Slurm's `0:9` notation belongs to the reader of scheduler output, the words to `errors_core.exit_table`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.exit_table import CODES, SIGNALS, Meaning

if TYPE_CHECKING:
    import signal

__all__ = ["ExitMeaning", "SignalException", "exit_status", "explain_exitcode", "signal_name"]

# fmt: off
_FIRST_31 = (
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV",
    "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN",
    "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
)
# fmt: on
_RTMIN, _RTMAX = 34, 64


class SignalException(Exception):  # noqa: N818 - the name is torch's
    """Raised in an agent when it gets a death signal; `sigval` says which."""

    def __init__(self, msg: str, sigval: signal.Signals) -> None:
        super().__init__(msg)
        self.sigval = sigval

    def __reduce__(self) -> tuple[type[SignalException], tuple[str, signal.Signals]]:
        return type(self), (self.args[0], self.sigval)


@dataclass(frozen=True, slots=True)
class ExitMeaning:
    """What an exit code says. `signal` and `name` are `None` unless it stands for a signal; `words` is one sentence.

    `checks` may hold `{pid}`: `checks_for` fills it in.
    """

    exitcode: int
    signal: int | None
    name: str | None
    words: str
    usual_causes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()

    def checks_for(self, pid: int | None) -> tuple[str, ...]:
        """Return the checks with the worker's process id in them (`None`: it is not known)."""
        return tuple(check.replace("{pid}", "<pid>" if pid is None else str(pid)) for check in self.checks)


def signal_name(exitcode: int) -> str | None:
    """Return the name of the signal that a negative exit code stands for, `None` for any other number."""
    return _name_of(-exitcode)


def exit_status(exception: BaseException) -> int | None:
    """Return what the process ends with (0 to 255) when a `SystemExit` is not caught, `None` for other exceptions."""
    if not isinstance(exception, SystemExit):
        return None
    if exception.code is None:
        return 0
    return exception.code & 0xFF if isinstance(exception.code, int) else 1


def explain_exitcode(exitcode: int) -> ExitMeaning:
    """Say what an exit code means: negative is a signal, 128 + n a signal that a shell or container reports."""
    name = signal_name(exitcode)
    if name is not None:
        return _explain_signal(exitcode, -exitcode, name, f"Died by signal {-exitcode} ({name}).")
    if exitcode in CODES:
        return ExitMeaning(exitcode, None, None, *CODES[exitcode])
    name = _name_of(exitcode - 128)
    if name is not None:
        number = exitcode - 128
        lead = f"Exit code {exitcode} is how a shell or a container reports death by signal {number} ({name})."
        return _explain_signal(exitcode, number, name, lead)
    if exitcode < 0:
        return ExitMeaning(exitcode, None, None, f"Died by signal {-exitcode}, which has no name on Linux.")
    words = f"It ended by its own choice with exit code {exitcode}, which has no common meaning."
    checks = (f"search the code for exit({exitcode})", "the last lines of its logs")
    return ExitMeaning(exitcode, None, None, words, (), checks)


def _name_of(number: int) -> str | None:
    """Return the name of a Linux signal; those between SIGRTMIN and SIGRTMAX are counted from the nearer end."""
    if 1 <= number <= len(_FIRST_31):
        return _FIRST_31[number - 1]
    if not _RTMIN <= number <= _RTMAX:
        return None
    above, below = number - _RTMIN, _RTMAX - number
    base, sign, distance = ("SIGRTMIN", "+", above) if above <= below else ("SIGRTMAX", "-", below)
    return f"{base}{sign}{distance}" if distance else base


def _explain_signal(exitcode: int, number: int, name: str, lead: str) -> ExitMeaning:
    meaning = SIGNALS.get(name, Meaning("", (), ("who sends this signal on that machine?",)))
    words = f"{lead[:-1]}: {meaning.words[0].lower()}{meaning.words[1:]}" if meaning.words else lead
    return ExitMeaning(exitcode, number, name, words, meaning.causes, meaning.checks)
