"""The load that the jobs of a dump put on their machine, as it was."""

from __future__ import annotations

from xce_plugins.slurm.chains import Merged


class Load:
    """The load of the jobs of a dump, as it was."""

    def __init__(self) -> None:
        self.first = self.last_submit = self.last_end = -1
        self.work = 0
        self.largest = 0
        self._steps: list[tuple[int, int]] = []

    def add(self, job: Merged, cpus: list[int]) -> None:
        """Take in a job, with the CPUs of each of its parts."""
        size, submit = sum(cpus), job.first.submit
        self.first = submit if self.first < 0 else min(self.first, submit)
        self.last_submit = max(self.last_submit, submit)
        self.last_end = max(self.last_end, submit)
        self.largest = max(self.largest, size)
        for part, count in zip(job.members, cpus, strict=True):
            for row in part:
                self.work += row.run * count
                if row.run:
                    self.last_end = max(self.last_end, row.start + row.run)
                    self._steps += ((row.start, count), (row.start + row.run, -count))

    def peak(self) -> int:
        """Most CPUs in use at once; a job that starts where another ends does not overlap it."""
        in_use = most = 0
        for _, change in sorted(self._steps):
            in_use += change
            most = max(most, in_use)
        return most
