# SPDX-License-Identifier: BSD-3-Clause
"""The virtual cluster, with Slurm and without, as tests use it."""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "use"))
# pylint: disable=wrong-import-position
from command import SKIPPED, expect


class Nodes:
    """Four nodes under this name, up while they are used; ends the test as skipped where they cannot be."""

    def __init__(self, cluster, name, *options):
        self.cluster, self.name = cluster, name
        if self.call("check").returncode == SKIPPED:
            sys.exit(SKIPPED)
        said = self.call("up", "--nodes", "4", *options)
        if said.returncode == SKIPPED or "--slurm" in said.stderr:
            print(said.stderr.strip())
            sys.exit(SKIPPED)
        expect(said.returncode == 0, "the cluster comes up", said.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("down")

    def call(self, command, *words, limit_s=120):
        return subprocess.run([self.cluster, command, "--name", self.name, *words], capture_output=True, text=True,
                              check=False, timeout=limit_s, stdin=subprocess.DEVNULL)


class Slurm(Nodes):
    """With Slurm on them."""

    def __init__(self, cluster, name):
        super().__init__(cluster, name, "--slurm")

    def head(self, *words):
        return self.call("exec", "head", *words).stdout

    def wait(self, limit_s=200):
        """Until nothing of this test is queued or runs. Looks ever more seldom: two looks a second took more than 5 %
        of two cores, and called every paced study disturbed."""
        begin_s = time.monotonic()
        while self.head("squeue", "--noheader").strip():
            waited_s = time.monotonic() - begin_s
            expect(waited_s < limit_s, f"Slurm is done within {limit_s} s", self.head("squeue"))
            time.sleep(max(0.5, waited_s / 20))
