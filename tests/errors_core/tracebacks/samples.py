"""Printouts of tracebacks as tools write them, paths and names invented."""

from __future__ import annotations

BLANK = " "  # at the end of a line

PLAIN = """\
Traceback (most recent call last):
  File "/job/train.py", line 12, in <module>
    main()
  File "/job/train.py", line 9, in main
    load(3)
  File "/env/lib/python3.11/site-packages/reader/core.py", line 40, in load
    return rows[index]
           ~~~~^^^^^^^
IndexError: list index out of range"""

CHAIN = """\
Traceback (most recent call last):
  File "/job/data.py", line 5, in read
    open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/data/a.bin'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/data.py", line 7, in read
    raise ValueError("no shard") from error
ValueError: no shard

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/job/train.py", line 30, in <module>
    main()
RuntimeError: cannot go on"""

GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "/job/train.py", line 8, in <module>
  |     raise ExceptionGroup("two", errors)
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/job/train.py", line 4, in work
    |     raise ValueError("first")
    | ValueError: first
    +---------------- 2 ----------------
    | Exception Group Traceback (most recent call last):
    |   File "/job/train.py", line 6, in work
    |     raise ExceptionGroup("inner", more)
    | ExceptionGroup: inner (1 sub-exception)
    +-+---------------- 1 ----------------
      | TypeError: second
      +------------------------------------"""

DATA_LOADER = """\
Traceback (most recent call last):
  File "/job/train.py", line 20, in <module>
    for batch in loader:
  File "/env/lib/python3.11/site-packages/torch/utils/data/dataloader.py", line 1567, in _process_data
    data.reraise()
  File "/env/lib/python3.11/site-packages/torch/_utils.py", line 794, in reraise
    raise exception
ValueError: Caught ValueError in DataLoader worker process 3.
Original Traceback (most recent call last):
  File "/job/data.py", line 3, in decode
    header["size"]
KeyError: 'size'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 374, in _worker_loop
    data = fetcher.fetch(index)
  File "/job/data.py", line 6, in __getitem__
    raise ValueError("bad sample 17")
ValueError: bad sample 17
"""

SPAWN = f"""\
Traceback (most recent call last):
  File "/job/launch.py", line 9, in <module>
    spawn(work, nprocs=4)
  File "/env/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 211, in join
    raise ProcessRaisedException(msg, error_index, failed_process.pid)
torch.multiprocessing.spawn.ProcessRaisedException:{BLANK}

-- Process 2 terminated with the following error:
Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 87, in _wrap
    fn(i, *args)
  File "/job/launch.py", line 5, in work
    raise ValueError("negative rate")
ValueError: negative rate
"""

COMPILE = """\
Traceback (most recent call last):
  File "/env/lib/python3.11/site-packages/torch/_inductor/graph.py", line 900, in call_function
    out = lowerings[target](*args)
AssertionError: cannot lower this

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/train.py", line 31, in <module>
    model(x)
  File "/env/lib/python3.11/site-packages/torch/_dynamo/eval_frame.py", line 574, in _fn
    return fn(*args, **kwargs)
torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:
AssertionError: cannot lower this

Set TORCH_LOGS="+dynamo" and TORCHDYNAMO_VERBOSE=1 for more information
"""

RAY = """\
Traceback (most recent call last):
  File "/job/driver.py", line 14, in <module>
    ray.get(futures)
  File "/env/lib/python3.10/site-packages/ray/_private/worker.py", line 2639, in get
    raise value.as_instanceof_cause()
ray.exceptions.RayTaskError(ValueError): ray::train() (pid=4711, ip=10.0.0.3)
  File "/job/driver.py", line 8, in train
    raise ValueError("bad shard 7")
ValueError: bad shard 7
"""

POOL = f'''\
multiprocessing.pool.RemoteTraceback:{BLANK}
"""
Traceback (most recent call last):
  File "/job/pool.py", line 5, in work
    {{}}["k"]
KeyError: 'k'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 125, in worker
    result = (True, func(*args, **kwds))
  File "/job/pool.py", line 7, in work
    raise ValueError("bad shard 7") from error
ValueError: bad shard 7
"""

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/job/pool.py", line 11, in <module>
    pool.map(work, [1])
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 774, in get
    raise self._value
ValueError: bad shard 7
'''

SYNTAX = """\
Traceback (most recent call last):
  File "/job/train.py", line 3, in <module>
    import config
  File "/job/config.py", line 1
    def x(:
          ^
SyntaxError: invalid syntax"""

RECURSION = """\
Traceback (most recent call last):
  File "/job/train.py", line 11, in <module>
    walk(tree)
  File "/job/train.py", line 3, in walk
    return walk(tree)
  File "/job/train.py", line 3, in walk
    return walk(tree)
  File "/job/train.py", line 3, in walk
    return walk(tree)
  [Previous line repeated 996 more times]
RecursionError: maximum recursion depth exceeded"""

RICH = """\
╭────────────────────── Traceback (most recent call last) ───────────────────────╮
│ /job/train.py:12 in <module>                                                   │
│                                                                                │
│    9                                                                           │
│   10 def main():                                                               │
│ ❱ 12 │   main()                                                                │
│   13                                                                           │
│                                                                                │
│ /env/lib/python3.11/site-packages/reader/core.py:40 in load                    │
│                                                                                │
│ ❱ 40 │   │   return rows[index]                                                │
╰────────────────────────────────────────────────────────────────────────────────╯
IndexError: list index out of range"""

NCCL = """\
Traceback (most recent call last):
  File "/job/train.py", line 5, in <module>
    dist.barrier()
torch.distributed.DistBackendError: NCCL error in: ../NCCLUtils.hpp:268, remote process exited, NCCL version 2.21.5
ncclRemoteError: A call failed possibly due to a network error.
Last error:
socketProgress: Connection closed by remote peer node-b<51017>
Exception raised from checkForNCCLErrors at ../ProcessGroupNCCL.cpp:2001 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7f4608f0897a in /env/lib/libc10.so)
frame #1: <unknown function> + 0xd3b55 (0x7f46aa in /usr/lib/libstdc++.so.6)
"""

SEGFAULT = """\
Fatal Python error: Segmentation fault

Thread 0x00007fa968000000 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 324 in wait
  File "/usr/lib/python3.11/threading.py", line 1002 in _bootstrap

Current thread 0x00007fa968a7bb80 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/job/train.py", line 57 in body
  File "/job/train.py", line 159 in <module>

Extension modules: numpy._core._multiarray_umath, torch._C (total: 2)"""

ALL = (PLAIN, CHAIN, GROUP, DATA_LOADER, SPAWN, COMPILE, RAY, POOL, SYNTAX, RECURSION, RICH, NCCL, SEGFAULT)
LINES = sorted({line for text in ALL for line in text.split("\n")})
