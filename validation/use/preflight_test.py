# SPDX-License-Identifier: BSD-3-Clause
"""What is seen before anything runs: preflight_test.py BEHAVIOUR SHARDSTONE MPIEXEC

A machine that will not do is named at once, not after hours.
"""
import os
import pathlib
import sys
import uuid

from command import expect, main, one_line_with

SKIPPED = 77
LARGE_SWEEP = "collectives --algorithm ring -b 384M -e 384M -n 6 --in-place yes"
LARGE_TRAINING = "train --model gpt2-350m --steps 1 --global-batch 2"


def skip(why):
    print(why)
    sys.exit(SKIPPED)


class MemoryGroup:
    """A memory cgroup of so many bytes, of whichever version is here; where there may be none, the
    test is skipped."""

    def __init__(self, limit_bytes):
        for top, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            self.folder = pathlib.Path(top) / f"shardstone-{uuid.uuid4().hex}"
            try:
                self.folder.mkdir()
                (self.folder / limit).write_text(str(limit_bytes))
                self.limit = limit
                return
            except OSError:
                if self.folder.is_dir():
                    self.folder.rmdir()
        skip("no right to make a memory cgroup")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.rmdir()

    def run(self, place, line):
        """A line of the shell; nothing of it is left in the group afterwards."""
        return place.shell(f"echo $$ > {self.folder}/cgroup.procs && {line}")


def group_limit_is_named(place):
    """In a group of 1 GiB what needs more is refused, as is what does not start at all."""
    with MemoryGroup(1 << 30) as group:
        name = f"{group.limit} of cgroup /.*{group.folder.name}"
        for line in (LARGE_SWEEP, LARGE_TRAINING):
            outcome = group.run(place, f"{place.launcher} -n 2 $S {line}")
            expect(outcome.code == 2, f"'{line}' in 1 GiB ends with 2", outcome)
            expect(one_line_with(name, outcome.err), f"'{line}' says which limit it is", outcome)


def limits_of_the_shell_are_named(place):
    for line in (LARGE_SWEEP, LARGE_TRAINING):
        for limit, name in (("-v", "RLIMIT_AS"), ("-d", "RLIMIT_DATA")):
            outcome = place.shell(f"ulimit {limit} 1000000; $S {line}")
            expect(outcome.code == 2, f"'{line}' under ulimit {limit} ends with 2", outcome)
            expect(one_line_with(name, outcome.err), f"'{line}' under ulimit {limit} names it", outcome)


def what_slurm_gave_is_named(place):
    os.environ["SLURM_MEM_PER_NODE"] = "1024"
    place.refuses(LARGE_SWEEP, r"SLURM_MEM_PER_NODE", 2)
    place.refuses(LARGE_TRAINING, r"SLURM_MEM_PER_NODE", 2)


BEHAVIOURS = {f.__name__: f for f in (group_limit_is_named, limits_of_the_shell_are_named, what_slurm_gave_is_named)}

if __name__ == "__main__":
    main(BEHAVIOURS)
