"""How a worker ends without an exception of its own, or in spite of one."""

from __future__ import annotations

import argparse
import atexit
import ctypes
import mmap
import os
import signal
import sys
import tempfile
import threading
import time
import traceback

__all__ = [
    "abort",
    "abort_at_exit",
    "bus_error",
    "double_free",
    "exit_in_thread",
    "exit_with_message",
    "get_sigterm",
    "interrupt",
    "kill_quietly",
    "leave_early",
    "leave_with_code",
    "parse_arguments",
    "print_and_leave",
    "read_null",
    "stop_at_once",
    "terminate_in_c",
]


def kill_quietly() -> None:
    """Die as under the kernel's OOM killer: SIGKILL, and not a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def read_null() -> None:
    """Read address 0 in C."""
    ctypes.string_at(0)


def bus_error() -> None:
    """Read a mapped file behind its end, as with a full /dev/shm."""
    with tempfile.TemporaryFile() as file:
        file.truncate(mmap.PAGESIZE)
        view = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        file.truncate(0)
        print(view[100])


def abort() -> None:
    """Call abort(), as a failed check in C does."""
    os.abort()


def double_free() -> None:
    """Free twice, so that the C library complains and aborts."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    block = ctypes.c_void_p(libc.malloc(24))
    libc.free(block)
    libc.free(block)


def terminate_in_c() -> None:
    """Let the C++ runtime end the process."""
    ctypes.CDLL("libstdc++.so.6")._ZSt9terminatev()


def abort_at_exit() -> None:
    """Raise, and abort while the interpreter shuts down: the exit code becomes -6."""
    atexit.register(terminate_in_c)
    raise KeyError("optimizer.param_groups.2.betas")


def leave_with_code() -> None:
    """Give up with an exit code of one's own and no text."""
    sys.exit(3)


def exit_with_message() -> None:
    """Give up with a sentence instead of a code."""
    sys.exit("train.py: the vocabulary of 32000 does not fit the checkpoint's 50257")


def print_and_leave() -> None:
    """Say why on standard output, and leave with 1."""
    print("FATAL: tokenizer v3 cannot read shards of v2, rebuild them", flush=True)
    sys.exit(1)


def get_sigterm() -> None:
    """Be sent SIGTERM by somebody who is not the launcher."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)


def leave_early() -> None:
    """Think that all is done, and leave with 0 while the others go on."""
    sys.exit(0)


def stop_at_once() -> None:
    """Leave without any clean-up."""
    os._exit(7)


def exit_in_thread() -> None:
    """Let a thread fail and take the process with it."""

    def prefetch() -> None:
        try:
            raise TimeoutError("prefetch queue: no sample for 120 s from the decoder")
        except TimeoutError:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    threading.Thread(target=prefetch, name="prefetch").start()
    time.sleep(60)


def interrupt() -> None:
    """Get the SIGINT that somebody sent to this worker alone."""
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)


def parse_arguments() -> None:
    """Meet an option that does not exist."""
    parser = argparse.ArgumentParser(prog="train.py")
    parser.add_argument("--batch-size", type=int, default=8)
    parser.parse_args(["--batch-sise", "64"])
