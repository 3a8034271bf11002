"""A worker that stops taking part, or takes part wrongly."""

from __future__ import annotations

from tests.planting.case import EVERY, PlantedCase, at

__all__ = ["CASES"]

CASES = (
    PlantedCase(
        name="hang",
        family="silent hang",
        cause="rank 1 stopped taking part and left nothing; the others timed out",
        plan=(at(1, "sleep_long"),),
        root=(1,),
        logs="alone",
        launcher="unknown",
        timeout=3.0,
    ),
    PlantedCase(
        name="hang_four_plain",
        family="silent hang",
        cause="rank 3 of 4 stopped taking part and left nothing; without @record",
        plan=(at(3, "sleep_long"),),
        root=(3,),
        logs="alone",
        launcher="unknown",
        workers=4,
        record=False,
        timeout=3.0,
    ),
    PlantedCase(
        name="hang_two_nodes",
        family="silent hang",
        cause="rank 2 of 2 x 2 stopped taking part and left nothing",
        plan=(at(2, "sleep_long"),),
        root=(2,),
        logs="alone",
        launcher="unknown",
        workers=2,
        nodes=2,
        timeout=3.0,
    ),
    PlantedCase(
        name="barrier",
        family="monitored_barrier",
        cause="rank 2 never reached the barrier; rank 0 names it",
        plan=(at(2, "sleep_long"), at(EVERY, "wait_for_everybody")),
        root=(2,),
        launcher="unknown",
        movable=False,
    ),
    PlantedCase(
        name="barrier_bare",
        family="monitored_barrier",
        cause="rank 1 of 4 never reached the barrier; rank 0 names it; without @record, console only",
        plan=(at(1, "sleep_long"), at(EVERY, "wait_for_everybody")),
        root=(1,),
        workers=4,
        record=False,
        keep="nothing",
        movable=False,
    ),
    PlantedCase(
        name="forced_kill",
        family="a worker that ignores SIGTERM",
        cause="ValueError on rank 0; rank 2 ignored SIGTERM and was killed after the grace period",
        plan=(at(2, "ignore_sigterm"), at(0, "parse_labels")),
        root=(0,),
        options=("--shutdown-timeout", "3"),
    ),
    PlantedCase(
        name="forced_kill_plain",
        family="a worker that ignores SIGTERM",
        cause="os._exit(7) on rank 1; rank 0 ignored SIGTERM and was killed after the grace period; without @record",
        plan=(at(0, "ignore_sigterm"), at(1, "stop_at_once")),
        root=(1,),
        logs="unknown",
        record=False,
        options=("--shutdown-timeout", "3"),
    ),
    PlantedCase(
        name="wrong_size",
        family="shape mismatch",
        cause="rank 1 takes part in an all_reduce with more elements than the others; rank 0 is aborted by gloo, "
        "which does not say whose data did not fit",
        plan=(at(1, "reduce_wrong_shape"),),
        root=(1,),
        kind="unknown",
        whole="unknown",
        logs="unknown",
        launcher="unknown",
        timeout=3.0,
    ),
)
