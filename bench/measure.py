"""Run one command line; print its wall-clock seconds, peak memory in KiB, exit status.

A program of its own, small on purpose: a child's peak memory counts that of the
process that started it, so a driver that holds much would be measured as well.
Started as `python -I -S measure.py STDERR_FILE COMMAND...`; standard library only.
"""

import os
import sys
import time


def main() -> None:
    """Start the command with its output thrown away, wait, report."""
    errors, command = sys.argv[1], sys.argv[2:]
    files = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    began = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=files)
    _, status, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - began
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    print(seconds, peak, os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
