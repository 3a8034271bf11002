"""Run one command and print its wall time, CPU time, greatest memory and exit status: a script of its own.

Linux counts the memory of a process from that of the process that started it, so this one has to be small: it is run
as `python -I -S stopwatch.py FILE COMMAND...` and imports next to nothing. FILE gets what the command prints.
"""

import os
import sys
import time

output, command = sys.argv[1], sys.argv[2:]
actions = [(os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
begin = time.perf_counter()
process = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
_, status, usage = os.wait4(process, 0)
wall = time.perf_counter() - begin
unit = 1 if sys.platform == "darwin" else 1024
print(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, os.waitstatus_to_exitcode(status))
