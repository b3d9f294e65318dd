# SPDX-License-Identifier: BSD-3-Clause
"""Runs of `shardstone train`, small ones, what they leave behind, and which options they test."""
import functools
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["SHARDSTONE_BINARY"]
MPIEXEC = os.environ.get("SHARDSTONE_MPIEXEC", "mpiexec")
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="train_options_"))
SYMBOLS = 16


def shell(arguments, ranks=1):
    """Exit code, stdout, stderr of the program on so many ranks."""
    command = [PROGRAM] + arguments
    if ranks > 1:
        command = [MPIEXEC, "-n", str(ranks)] + command
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, check=False)
    return done.returncode, done.stdout, done.stderr


@functools.cache
def text(seed=1):
    """A folder of token shards."""
    folder = FOLDER / f"text-{seed}"
    code, _, errors = shell(["data", "synthetic", "--out", str(folder), "--order", "1", "--symbols",
                             str(SYMBOLS), "--tokens", "20000", "--seed", str(seed)])
    assert code == 0, errors
    return str(folder)


class Run:
    """One training: what it printed, its record and its trace."""

    def __init__(self, output, record, trace):
        self.output = output
        self.tables = {table["name"]: {column["name"]: column.get("numbers", column.get("texts"))
                                       for column in table["columns"]}
                       for table in record["derived"] + record["samples"]}
        self.trace = trace
        self.configuration = record["configuration"]

    def steps(self, column):
        return self.tables["steps"][column]

    def memory(self, name):
        """Measured bytes of a class on rank 0; 0 where there is no such class."""
        memory = self.tables["memory"]
        return dict(zip(memory["class"], memory["measured_bytes"])).get(name, 0)

    def parameters(self):
        return self.memory("weights") // 4

    def sent(self):
        return sum(self.tables["bytes"]["sent_bytes"])

    def hashes(self):
        """Of losses, gradients and parameters."""
        found = re.search(r"XXH3 +losses (\w+) +gradients (\w+) +parameters (\w+)", self.output)
        assert found, self.output
        return found.groups()

    def progress_lines(self):
        return len(re.findall(r"^ +\d+ +\d+\.\d{4} +\d", self.output, re.MULTILINE))

    def events(self, category, phase="X", rank=0):
        """Times in us at which events of this kind and phase begin, or with "e" end."""
        return [event["ts"] for event in self.trace
                if event.get("cat") == category and event["ph"] == phase and event["pid"] == rank]


BASE = {"--model": "nano", "--global-batch": "8", "--sequence": "32", "--steps": "4",
        "--eval-sequences": "4", "--bucket-size": "20K", "--warmup": "1", "--reproducible": None}


def command_of(changes):
    """A command line: BASE with options changed, or left out where they are False."""
    options = dict(BASE)
    options.update(changes)
    if "--data" not in options:
        options["--data"] = text()
    words = ["train"]
    for name, value in options.items():
        if value is False:
            continue
        words += [name] if value is None else [name, str(value)]
    return words


@functools.cache
def _train(ranks, changes, code):
    names = {kind: FOLDER / f"run-{_train.cache_info().misses}.{kind}" for kind in ("json", "trace")}
    options = dict(changes)
    options.setdefault("--json", names["json"])
    options.setdefault("--trace", names["trace"])
    ended, output, errors = shell(command_of(options), ranks)
    assert ended == code, f"{options} ended with {ended}: {errors}{output}"
    record = json.loads(pathlib.Path(options["--json"]).read_text())
    trace = json.loads(pathlib.Path(options["--trace"]).read_text())
    return Run(output, record, trace)


def train(changes=None, ranks=1, code=0):
    """A training that ends with `code`; the same one runs once."""
    return _train(ranks, tuple(sorted((changes or {}).items(), key=str)), code)


def dry_run(changes):
    """What --dry-run prints."""
    code, output, errors = shell(command_of({"--dry-run": None, "--gflop-rate": "10",
                                             "--memory-rate": "10", **changes}))
    assert code == 0, errors
    return output


TESTED = set()


def acts(*options):
    """Marks the test of these options."""
    TESTED.update(options)
    return lambda test: test


def _same_until_updated(a, b):
    return a.steps("loss")[0] == b.steps("loss")[0] and a.hashes()[2] != b.hashes()[2]


class Options(unittest.TestCase):
    def assert_changes_update(self, options, standard=None, common=None):
        """What acts in the optimizer alone: the first loss stays, the weights at the end do not.
        `standard`: giving the default changes nothing."""
        common = common or {}
        plain, changed = train(common), train({**common, **options})
        self.assertTrue(_same_until_updated(plain, changed), f"{options} changed no weight")
        if standard:
            self.assertEqual(plain.hashes(), train({**common, **standard}).hashes(), standard)
