"""What exit codes and signals usually mean in a training job: the table behind `errors_core.signals`.

Owns words and nothing else. `{pid}` in a check stands for the process id of the worker.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CODES", "SIGNALS", "Meaning"]


class Meaning(NamedTuple):
    """One plain sentence, what usually brings it about, and what to look at first."""

    words: str
    causes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


SIGNALS: dict[str, Meaning] = {
    "SIGHUP": Meaning(
        "It was told that its terminal or session has gone.",
        ("the SSH session or terminal that started the job was closed", "a scheduler ended the session"),
        ("start the job in tmux or with setsid; nohup does not protect torchrun, which handles SIGHUP itself",),
    ),
    "SIGINT": Meaning(
        "It was interrupted, as by Ctrl+C.",
        ("somebody pressed Ctrl+C", "a scheduler or notebook interrupted the job"),
        ("who or what stopped the job at that time?",),
    ),
    "SIGQUIT": Meaning(
        "It was told to quit at once.",
        ("somebody pressed Ctrl+\\", "a watchdog asked for the stacks of a hung process"),
        ("the stacks that it may have printed at the end of its stderr log",),
    ),
    "SIGILL": Meaning(
        "It ran a machine instruction that this processor does not have.",
        ("a library built for a newer processor", "damaged program code or memory"),
        ("lscpu against the build flags of compiled extensions", "does it follow the machine or the program?"),
    ),
    "SIGTRAP": Meaning(
        "It ran into a breakpoint or a trap in native code.",
        ("a failed check in native code", "a debugger that went away"),
        ("the last lines of its stderr log",),
    ),
    "SIGABRT": Meaning(
        "Native code in it gave up and aborted.",
        (
            "the NCCL watchdog ended it after a collective timed out",
            "a C++ exception that nobody caught, often a CUDA error",
            "a crash while Python was shutting down after the real error",
            "damaged heap memory",
        ),
        (
            "the line with what(): in its stderr log; a Python traceback above it counts more",
            "dmesg -T | grep -i xid, for GPU faults of that time",
        ),
    ),
    "SIGBUS": Meaning(
        "Memory that was mapped from a file or from shared memory could not be reached.",
        ("shared memory is full (data loader workers)", "a mapped file was cut short", "a failing disk or memory"),
        ("df -h /dev/shm; in a container raise --shm-size", "was a data file replaced while the job ran?"),
    ),
    "SIGFPE": Meaning(
        "Native code in it made an impossible calculation, usually a whole-number division by zero.",
        ("an empty batch or a zero size that reached compiled code",),
        ("python -X faulthandler shows the Python line that led there",),
    ),
    "SIGKILL": Meaning(
        "It was killed from outside, without a chance to say why.",
        (
            "the kernel's out-of-memory killer, for the host's memory or for the container's limit",
            "the launcher, 30 seconds after a SIGTERM that it did not follow",
            "a scheduler that enforces a memory or time limit",
        ),
        (
            "dmesg -T | grep -i -E 'killed process {pid}|oom'",
            "the cgroup's memory.events (oom_kill); a container limit can kill while the host has memory left",
            "sacct -j <job> --format=JobID,State,ExitCode,MaxRSS on Slurm",
        ),
    ),
    "SIGSEGV": Meaning(
        "Native code in it touched memory that it must not touch.",
        ("a bug in a compiled extension", "libraries that do not fit together", "too deep a recursion"),
        ("the Python frames that faulthandler printed in its stderr log", "coredumpctl info {pid}"),
    ),
    "SIGPIPE": Meaning(
        "It wrote to a pipe or socket whose reader had gone.",
        ("the program that its output was piped into ended first",),
        ("what was the job's output piped into?",),
    ),
    "SIGALRM": Meaning(
        "A timer that was set in the process ran out.",
        ("a timeout built with signal.alarm", "a cluster's own watchdog"),
        ("search the code for signal.alarm and setitimer",),
    ),
    "SIGTERM": Meaning(
        "It was asked to stop.",
        (
            "the launcher stopped it because another worker had failed",
            "a scheduler ended the job: time limit, pre-emption, cancellation",
        ),
        ("a launcher line 'Sending process {pid} closing signal SIGTERM': then look at the worker that failed first",),
    ),
    "SIGXCPU": Meaning(
        "It used up the processor time that it was allowed.",
        ("a limit set with ulimit -t or by the scheduler",),
        ("ulimit -t on that machine; the limits of the queue",),
    ),
    "SIGXFSZ": Meaning(
        "It wrote a file larger than it was allowed.",
        ("a limit set with ulimit -f or a quota",),
        ("ulimit -f on that machine; the size of the last checkpoint",),
    ),
    "SIGSYS": Meaning(
        "It made a system call that the sandbox forbids.",
        ("a seccomp profile of the container",),
        ("the container's security profile",),
    ),
    "SIGUSR1": Meaning(
        "It got a user signal that it did not handle.",
        ("a scheduler's warning before the time limit or pre-emption (sbatch --signal)",),
        ("the job's --signal option; has the script a handler for it?",),
    ),
    "SIGUSR2": Meaning(
        "It got a user signal that it did not handle.",
        ("a scheduler's warning before pre-emption", "a profiler or dump request"),
        ("the scheduler's signal options; has the script a handler for it?",),
    ),
}

CODES: dict[int, Meaning] = {
    0: Meaning("It ended well."),
    1: Meaning(
        "It ended with an error, most likely a Python exception that nobody caught.",
        ("an uncaught exception", "sys.exit(1) or sys.exit with a text"),
        ("the last traceback in its stderr log", "@record around the main function keeps it in the error file"),
    ),
    2: Meaning(
        "It was called wrongly: argument parsers end with this code.",
        ("an option that the script does not know, or one that is missing", "the script file was not found"),
        ("the usage text at the top of its stderr log", "a hyphen or underscore in --local-rank"),
    ),
    120: Meaning(
        "Python could not write out its last output when it ended.",
        ("a full disk", "a pipe whose reader had gone"),
        ("df -h for the log directory",),
    ),
    124: Meaning(
        "The timeout program ended it.",
        ("a limit set with timeout(1)",),
        ("the command line that started the job",),
    ),
    125: Meaning(
        "The container or the timeout program could not start it.",
        ("a wrong option of docker, podman or timeout",),
        ("the first lines of the log",),
    ),
    126: Meaning(
        "The program was found but could not be run.",
        ("it is not executable, or built for another kind of processor",),
        ("ls -l and file on the program",),
    ),
    127: Meaning(
        "The program was not found.",
        ("a wrong PATH, or an environment that was not activated", "a shared library that is missing"),
        ("which python, on the same machine and in the same container",),
    ),
    255: Meaning(
        "It ended with -1, or the remote shell that ran it failed.",
        ("exit(-1) in the program", "an SSH connection that broke"),
        ("the last lines of its log; the state of the connection and of the node",),
    ),
}
