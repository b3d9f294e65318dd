# SPDX-License-Identifier: BSD-3-Clause
"""Commands in little memory, where the machine lets a test give them that."""
import pathlib
import sys
import uuid

from command import SKIPPED


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
