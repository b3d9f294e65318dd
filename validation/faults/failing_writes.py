# SPDX-License-Identifier: BSD-3-Clause
"""Every system call by which an output is written fails once, or from then on, in the real commands:

    failing_writes.py SHARDSTONE FAILING_CALLS.so [TRIES] [SEED]

TRIES: so many of them by chance; without, all. Each time the old or the new file is whole at every
output's name, the reason is said with the file, the exit code tells, nothing crashes, nothing else is
left, and what can be written is. Prints a table of tries and losses; code 1 when there is a loss.
"""
import errno
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

OLD = "old\n"
REASONS = {errno.ENOSPC: "No space left on device", errno.EIO: "Input/output error"}
LOST, REFUSED = 6, 2
# Line, outputs. RECORD is a record that is there.
COMMANDS = {
    "collectives": ("collectives --op all_reduce --algorithm ring -b 8 -e 32 -n 6 --json r.json --hdf5 r.h5",
                    ("r.json", "r.h5")),
    "train": ("train --model nano --steps 2 --global-batch 1 --json r.json --hdf5 r.h5 --trace t.trace",
              ("r.json", "r.h5", "t.trace")),
    "accuracy": ("collectives --accuracy --op all_reduce --algorithm ring --types fp32 --elements 64 --runs 2 "
                 "--json r.json --hdf5 r.h5", ("r.json", "r.h5")),
    "report": ("report RECORD --out page.html", ("page.html",)),
    "bundle": ("bundle RECORD --out b.zip", ("b.zip",)),
    "convert": ("convert RECORD --to jsonl --out .", ("record.jsonl",)),
    "draw": ("draw ring --ranks 4 --output ring.svg", ("ring.svg",)),
}


class Try:
    """One run with one failing call."""

    def __init__(self, lab, command, at, reason, stays):
        self.lab, self.command, self.at, self.reason, self.stays = lab, command, at, reason, stays
        self.line, self.outputs = COMMANDS[command]

    def __str__(self):
        how = "and all after it" if self.stays else "once"
        return f"{self.command}: call {self.at} fails {how} ({REASONS[self.reason]})"

    def run(self):
        """Complaints; None where the run makes no such call."""
        with tempfile.TemporaryDirectory(prefix="shardstone-faults-") as name:
            self.folder = pathlib.Path(name)
            for output in self.outputs:
                (self.folder / output).write_text(OLD)
            done = self.lab.start(self.line, self.folder, {
                "FAIL_BELOW": name, "FAIL_AT": str(self.at), "FAIL_WITH": str(self.reason),
                "FAIL_ON": "yes" if self.stays else "",
                "FAIL_LOG": str(self.lab.log)})
            calls = self.lab.calls()
            if len(calls) < self.at:
                return None
            return [f"{each} (the call: {calls[self.at - 1]}; code {done.returncode}) {done.stderr[-400:]}"
                    for each in self.complaints(done)]

    def complaints(self, done):
        kept = [output for output in self.outputs if self.text(output) == OLD.encode()]
        if done.returncode not in (0, LOST, REFUSED):
            yield "it does not end in order"
        if done.returncode == 0 and kept:
            yield f"it ends well, and {kept} is not written"
        if done.returncode != 0 and REASONS[self.reason] not in done.stderr:
            yield "the reason is not said"
        if done.returncode != 0 and str(self.folder) not in done.stderr and not any(
                output in done.stderr for output in self.outputs):
            yield "the file is not named"
        if done.returncode == LOST and not self.stays and len(kept) > 1:
            yield f"one call fails, and none of {kept} is written"
        for output in set(self.outputs) - set(kept):
            if not self.lab.is_whole(self.folder / output):
                yield f"{output} is neither old nor new"
        allowed = {*self.outputs, *(f"{self.outputs[0]}{e}" for e in (".failures.jsonl", ".journal")
                                    if done.returncode != 0)}
        left = {entry.name for entry in self.folder.iterdir()} - allowed
        if left:
            yield f"{sorted(left)} is left"

    def text(self, output):
        path = self.folder / output
        return path.read_bytes() if path.exists() else b""


class Lab:
    def __init__(self, program, library, folder):
        self.program, self.library, self.log = program, library, folder / "calls"
        self.record = folder / "record.json"
        line = COMMANDS["accuracy"][0].replace("r.json --hdf5 r.h5", "record.json")
        done = self.start(line, folder, {}, force="")
        assert done.returncode == 0, done.stderr

    def start(self, line, folder, environment, force=" --force"):
        words = (line.replace("RECORD", str(self.record)) + force).split()
        preload = {"LD_PRELOAD": self.library} if environment else {}
        return subprocess.run([self.program, *words], cwd=folder, capture_output=True, text=True,
                              timeout=200, check=False, env={**os.environ, **preload, **environment})

    def calls(self):
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines

    def is_whole(self, path):
        if path.suffix in (".json", ".h5", ".zip"):
            return subprocess.run([self.program, "verify", str(path)], capture_output=True,
                                  check=False).returncode in (0, 1)  # 1: a check failed, by timing
        text = path.read_text()
        if path.suffix == ".trace":
            return bool(json.loads(text))
        ends = {".html": "</html>", ".svg": "</svg>", ".jsonl": "}"}
        return ends[path.suffix] in text[-2000:]




def all_tries(lab):
    """Counted in a run in which nothing fails."""
    for command, (line, outputs) in COMMANDS.items():
        with tempfile.TemporaryDirectory(prefix="shardstone-faults-") as name:
            for output in outputs:
                (pathlib.Path(name) / output).write_text(OLD)
            done = lab.start(line, name, {"FAIL_BELOW": name, "FAIL_AT": "0", "FAIL_LOG": str(lab.log)})
            calls = len(lab.calls())
            assert done.returncode in (0, 1) and calls > 0, f"{command}: {done.returncode} {done.stderr}"
        for at in range(1, calls + 1):
            for reason in REASONS:
                for stays in (False, True):
                    yield Try(lab, command, at, reason, stays)


def main():
    program, library = sys.argv[1:3]
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 30)
    with tempfile.TemporaryDirectory(prefix="shardstone-faults-") as name:
        lab = Lab(program, library, pathlib.Path(name))
        tries = list(all_tries(lab))
        print(f"{len(tries)} tries of {len(COMMANDS)} commands; seed {seed}")
        if len(sys.argv) > 3 and int(sys.argv[3]) > 0:
            tries = random.Random(seed).sample(tries, min(len(tries), int(sys.argv[3])))
        table = {command: [0, 0] for command in COMMANDS}
        losses = []
        for attempt in tries:
            complaints = attempt.run()
            if complaints is None:
                continue
            table[attempt.command][0] += 1
            table[attempt.command][1] += bool(complaints)
            losses += [f"{attempt}: {each}" for each in complaints]
    print(f"{'command':<14}{'tries':>8}{'losses':>8}")
    for command, (tried, lost) in table.items():
        print(f"{command:<14}{tried:>8}{lost:>8}")
    if losses:
        sys.exit("NOT TRUE: nothing is lost\n" + "\n".join(losses[:20]))


main()
