# SPDX-License-Identifier: BSD-3-Clause
"""The reason why a job was aborted is never lost: abort_test.py TIMES FAILING_RANK MPIEXEC

Runs jobs in which one rank fails in every way, TIMES in all: each time the reason is on the launcher's
stderr and in the failure log, and the job ends soon with its code.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

# What fails, the exit codes that may come of it (a launcher may add its own bits for a signal), words.
WAYS = [("input", {2}, "planted input"), ("disk", {6}, "planted full disk"),
        ("lost", {5}, "planted lost rank"), ("bug", {70}, "planted bug"),
        ("memory", {2}, "not enough memory"), ("fault", None, "killed by SIGSEGV"),
        ("abort", None, "by SIGABRT")]


def main():
    times, program, launcher = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    lost = []
    slowest_s = 0.0
    with tempfile.TemporaryDirectory(prefix="shardstone-abort-") as folder:
        log = os.path.join(folder, "r.json.failures.jsonl")
        for turn in range(times):
            how, codes, words = WAYS[turn % len(WAYS)]
            ranks = 2 + turn % 3
            rank = turn // 3 % ranks
            begin = time.monotonic()
            done = subprocess.run([launcher, "-n", str(ranks), program, str(rank), how, "r.json"],
                                  cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            slowest_s = max(slowest_s, time.monotonic() - begin)
            complaints = complaints_about(done, log, rank, words, codes)
            if complaints:
                lost.append(f"turn {turn}, {how} on rank {rank} of {ranks}: {complaints}\n{done.stderr}")
    print(f"{times - len(lost)} of {times} aborts said why; the slowest took {slowest_s:.1f} s")
    if lost:
        sys.exit("NOT TRUE: no reason is lost\n" + "\n".join(lost[:5]))


def complaints_about(done, log, rank, words, codes):
    complaints = []
    if words not in done.stderr:
        complaints.append(f"'{words}' is not on stderr")
    if codes is not None and done.returncode not in codes or done.returncode == 0:
        complaints.append(f"the code is {done.returncode}")
    if not os.path.exists(log):
        return complaints + ["no failure log"]
    with open(log, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    os.unlink(log)
    if not any(line["rank"] == rank and words in line["reason"] and line["phase"] == "step 7"
               for line in lines):
        complaints.append(f"the log lacks it: {lines}")
    return complaints


main()
