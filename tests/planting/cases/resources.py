"""Memory, disk, file handles and ports that ran out on one worker."""

from __future__ import annotations

from tests.planting.case import PlantedCase, at

__all__ = ["CASES"]

CASES = (
    PlantedCase(
        name="memory_error",
        family="MemoryError",
        cause="MemoryError without a message on rank 1",
        plan=(at(1, "allocate_bytes"),),
        root=(1,),
    ),
    PlantedCase(
        name="allocator",
        family="MemoryError",
        cause="torch's CPU allocator refuses rank 2; without @record, with --tee 3",
        plan=(at(2, "allocate_tensor"),),
        root=(2,),
        record=False,
        keep="tee",
    ),
    PlantedCase(
        name="disk_full",
        family="disk full",
        cause="OSError 28 while rank 0 saves a checkpoint",
        plan=(at(0, "save_on_full_disk", step=None),),
        root=(0,),
    ),
    PlantedCase(
        name="file_too_large",
        family="disk full",
        cause="OSError 27 while rank 1 saves a checkpoint; without @record",
        plan=(at(1, "save_over_limit", step=None),),
        root=(1,),
        launcher="exits",
        record=False,
    ),
    PlantedCase(
        name="too_many_files",
        family="too many open files",
        cause="OSError 24 on rank 1, which then has no handle left for its error file",
        plan=(at(1, "open_shards"),),
        root=(1,),
    ),
    PlantedCase(
        name="too_many_files_bare",
        family="too many open files",
        cause="OSError 24 on rank 0; without @record, console only",
        plan=(at(0, "open_shards"),),
        root=(0,),
        record=False,
        keep="nothing",
    ),
    PlantedCase(
        name="worker_port",
        family="port in use",
        cause="rank 1 opens a store on a port that is in use",
        plan=(at(1, "report_to_busy_port", step=None),),
        root=(1,),
    ),
)
