"""How training loops treat errors: handlers, clean-up, warnings, progress bars. No fault by themselves."""

from __future__ import annotations

import logging
import signal
import sys
import time
import traceback
from collections.abc import Callable

import torch.distributed as dist

from tests.planting.worker.hooks import training_groups

__all__ = [
    "clean_up_slowly",
    "clean_up_slowly_in_spite_of_sigterm",
    "hide_cause",
    "linger",
    "log_then_clean_up",
    "look_up_in_handler",
    "show_progress",
    "survive_bad_sample",
    "tidy_quickly",
    "warn_loudly",
]

log = logging.getLogger("trainer")


def look_up_in_handler(loop: Callable[[], None]) -> None:
    """Fail with a KeyError while handling the lost peer."""
    state: dict[str, int] = {"step": 3}
    try:
        loop()
    except RuntimeError:
        print("saving epoch", state["epoch"])
        raise


def hide_cause(loop: Callable[[], None]) -> None:
    """Replace every error by one of the trainer's own, without its cause."""
    try:
        loop()
    except RuntimeError:
        raise RuntimeError("training step failed, see the log of the trainer") from None


def linger(loop: Callable[[], None]) -> None:
    """Wait for the launcher's decision when a peer is lost."""
    try:
        loop()
    except RuntimeError:
        time.sleep(60)
        raise


def tidy_quickly(loop: Callable[[], None]) -> None:
    """Finish at once."""
    try:
        loop()
    finally:
        print("closing the summary writer", flush=True)


def clean_up_slowly(loop: Callable[[], None]) -> None:
    """Leave the group first and then take three seconds for the rest."""
    try:
        loop()
    except BaseException as error:
        _disconnect(error)
        time.sleep(3)
        raise


def _disconnect(error: BaseException) -> None:
    """Let go of the groups, so that the peers notice it at once."""
    traceback.clear_frames(error.__traceback__)
    training_groups.clear()
    dist.destroy_process_group()


def clean_up_slowly_in_spite_of_sigterm(loop: Callable[[], None]) -> None:
    """Do the same, and note a SIGTERM for later as trainers with preemption handling do."""
    signal.signal(signal.SIGTERM, lambda *_: None)
    clean_up_slowly(loop)


def log_then_clean_up(loop: Callable[[], None]) -> None:
    """Log the error before the slow clean-up."""
    try:
        loop()
    except Exception as error:
        log.exception("training failed")
        _disconnect(error)
        time.sleep(3)
        raise


def survive_bad_sample() -> None:
    """Handle an exception, log it with its traceback and go on."""
    try:
        [1, 2, 3].index(4)
    except ValueError:
        log.exception("sample 412 skipped")


def warn_loudly() -> None:
    """Say things that sound like the end and are not."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    log.warning("CUDA out of memory while warming up the cache, falling back to smaller blocks")
    log.error("Error: gradient overflow, loss scale halved to 32768.0")


def show_progress() -> None:
    """Draw a progress bar over itself, as tqdm does, without ending the line."""
    for percent in range(0, 101, 5):
        sys.stderr.write(f"\rEpoch 0: {percent:3d}%|{'█' * (percent // 10):<10}| {percent}/100 [00:01<00:02, 41.2it/s]")
    sys.stderr.flush()
