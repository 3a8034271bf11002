"""The job was stopped from outside, never started, lost a node, or ended well."""

from __future__ import annotations

from tests.planting.case import PlantedCase

__all__ = ["CASES"]

CASES = (
    PlantedCase(
        name="launcher_sigterm",
        family="launcher gets SIGTERM",
        cause="the launcher was sent SIGTERM; no worker is to blame",
        kind="external",
        act="SIGTERM",
        steps=5000,
    ),
    PlantedCase(
        name="launcher_sigint",
        family="launcher gets SIGINT",
        cause="the launcher was sent SIGINT; no worker is to blame",
        kind="external",
        act="SIGINT",
        steps=5000,
    ),
    PlantedCase(
        name="launcher_sigint_tee",
        family="launcher gets SIGINT",
        cause="the launcher was sent SIGINT; without @record, with --tee 3",
        kind="external",
        act="SIGINT",
        steps=5000,
        record=False,
        keep="tee",
    ),
    PlantedCase(
        name="launcher_sighup",
        family="launcher gets SIGHUP",
        cause="the launcher was sent SIGHUP, as when a terminal closes",
        kind="external",
        act="SIGHUP",
        steps=5000,
        record=False,
        keep="nothing",
    ),
    PlantedCase(
        name="busy_port",
        family="port in use",
        cause="the launcher's port is in use: no worker started",
        kind="external",
        act="busy port",
        workers=2,
    ),
    PlantedCase(
        name="missing_node",
        family="rendezvous timeout",
        cause="the second node never came: no worker started",
        kind="external",
        act="missing node",
        workers=2,
        nodes=2,
        options=("--rdzv-conf", "join_timeout=4"),
    ),
    PlantedCase(
        name="node_killed",
        family="node killed",
        cause="one node vanished with its agent and workers; the other one hosts the store",
        kind="node",
        act="kill node 1",
        logs="unknown",
        launcher="unknown",
        workers=2,
        nodes=2,
        steps=5000,
    ),
    PlantedCase(
        name="store_node_killed",
        family="node killed",
        cause="the node that hosts the store vanished with its agent and workers",
        kind="node",
        act="kill node 0",
        logs="unknown",
        launcher="unknown",
        workers=2,
        nodes=2,
        steps=5000,
    ),
    PlantedCase(
        name="healthy",
        family="healthy",
        cause="nothing failed",
        kind="none",
    ),
    PlantedCase(
        name="healthy_noisy",
        family="healthy",
        cause="nothing failed; handled warnings only",
        kind="none",
        plan=((None, 0, 2, "warn_loudly"), (None, 1, 3, "survive_bad_sample")),
        workers=2,
        keep="tee",
        record=False,
    ),
)
