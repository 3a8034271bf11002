"""The same failure on many ranks: one common cause, no single culprit."""

from __future__ import annotations

from tests.planting.case import EVERY, PlantedCase, at

__all__ = ["CASES"]

CASES = (
    PlantedCase(
        name="usage_all",
        family="argparse error on all ranks",
        cause="every rank got an option that does not exist",
        plan=(at(EVERY, "parse_arguments", step=None),),
        root=(0, 1, 2),
        kind="common",
    ),
    PlantedCase(
        name="usage_all_bare",
        family="argparse error on all ranks",
        cause="every rank got an option that does not exist; console only",
        plan=(at(EVERY, "parse_arguments", step=None),),
        root=(0, 1),
        kind="common",
        workers=2,
        record=False,
        keep="nothing",
    ),
    PlantedCase(
        name="module_missing_all",
        family="the same ModuleNotFoundError on all ranks",
        cause="ModuleNotFoundError on every rank",
        plan=(at(EVERY, "import_kernels", step=None),),
        root=(0, 1, 2, 3),
        kind="common",
        workers=4,
    ),
    PlantedCase(
        name="module_missing_all_tee",
        family="the same ModuleNotFoundError on all ranks",
        cause="ModuleNotFoundError on every rank; without @record, with --tee 3",
        plan=(at(EVERY, "import_kernels", step=None),),
        root=(0, 1, 2),
        kind="common",
        record=False,
        keep="tee",
    ),
    PlantedCase(
        name="module_missing_two_nodes",
        family="the same ModuleNotFoundError on all ranks",
        cause="ModuleNotFoundError on every rank of both nodes",
        plan=(at(EVERY, "import_kernels", step=None),),
        root=(0, 1, 2, 3),
        kind="common",
        workers=2,
        nodes=2,
    ),
    PlantedCase(
        name="one_node_all",
        family="the same error on all ranks of one node",
        cause="FileNotFoundError on both ranks of the second node; the first node only lost its peers",
        plan=(at(2, "read_node_cache"), at(3, "read_node_cache")),
        root=(2, 3),
        kind="common",
        workers=2,
        nodes=2,
    ),
    PlantedCase(
        name="one_node_all_plain",
        family="the same error on all ranks of one node",
        cause="FileNotFoundError on both ranks of the first node; without @record, with --tee 3",
        plan=(at(0, "read_node_cache"), at(1, "read_node_cache")),
        root=(0, 1),
        kind="common",
        workers=2,
        nodes=2,
        record=False,
        keep="tee",
    ),
    PlantedCase(
        name="checkpoint_all",
        family="checkpoint truncated on all",
        cause="every rank loads a checkpoint whose end is missing",
        plan=(at(EVERY, "load_truncated", step=None),),
        root=(0, 1, 2),
        kind="common",
    ),
    PlantedCase(
        name="checkpoint_all_bare",
        family="checkpoint truncated on all",
        cause="every rank loads a checkpoint whose end is missing; without @record, console only",
        plan=(at(EVERY, "load_truncated", step=None),),
        root=(0, 1),
        kind="common",
        workers=2,
        record=False,
        keep="nothing",
    ),
)
