# SPDX-License-Identifier: BSD-3-Clause
"""Runs the real commands as a user does, for the tests of this folder."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SKIPPED = 77


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __str__(self):
        return f"code {self.code}\n--- stdout\n{self.out[-1500:]}\n--- stderr\n{self.err[-1500:]}"


def expect(condition, claim, outcome=""):
    """Ends the test with the claim that does not hold."""
    if not condition:
        sys.exit(f"NOT TRUE: {claim}\n{outcome}")


class Place:
    """A fresh folder to run in, with the program and the launcher."""

    def __init__(self, program, launcher):
        self.program, self.launcher = program, launcher
        self.keeper = tempfile.TemporaryDirectory(prefix="shardstone-use-")
        self.folder = pathlib.Path(self.keeper.name)

    def words(self, line, ranks=0):
        """`line` after the program's name; 0 ranks: without a launcher."""
        launch = [self.launcher, "-n", str(ranks)] if ranks else []
        return [*launch, self.program, *line.split()]

    def run(self, line, ranks=0, timeout_s=250):
        done = subprocess.run(self.words(line, ranks), cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout_s, stdin=subprocess.DEVNULL)
        return Outcome(done.returncode, done.stdout, done.stderr)

    def shell(self, line, timeout_s=250):
        """A line for bash in which $S is the program."""
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout_s, env={**os.environ, "S": self.program})
        return Outcome(done.returncode, done.stdout, done.stderr)

    def start(self, line, ranks=0, pipe_bytes=-1):
        """`pipe_bytes`: of what it says unread it is held up by so much, and by the reader's buffer (8 KiB)."""
        return subprocess.Popen(self.words(line, ranks), cwd=self.folder, text=True, pipesize=pipe_bytes,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def succeeds(self, line, ranks=0):
        outcome = self.run(line, ranks)
        expect(outcome.code == 0, f"'{line}' on {ranks} ranks ends with 0", outcome)
        return outcome

    def refuses(self, line, words, ranks=0):
        """Code 2, nothing on stdout and one line on stderr that holds the words."""
        outcome = self.run(line, ranks)
        expect(outcome.code == 2, f"'{line}' on {ranks} ranks ends with 2", outcome)
        expect(one_line_with(words, outcome.err), f"'{line}' says '{words}' in one line", outcome)
        expect(outcome.out == "", f"'{line}' prints nothing before it is refused", outcome)

    def path(self, name):
        return self.folder / name

    def files(self):
        return sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))


class SmallDisk:
    """A disk in the folder "small", for as long as a `with`; where this user may not mount one the test
    is skipped."""

    def __init__(self, place, size):
        self.folder = place.path("small")
        self.folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.folder],
                          capture_output=True, check=False).returncode != 0:
            print("no right to mount a small disk")
            sys.exit(SKIPPED)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.folder], check=True)

    def fill(self):
        with open(self.folder / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(b"x" * 4096):
                    pass
            except OSError:
                return

    def empty(self):
        (self.folder / "filler").unlink()


def without_progress(text):
    """What stderr holds but for how far a command is ("shardstone: 4 s: ...")."""
    return re.sub(r"^shardstone: \d+ s: .*\n", "", text, flags=re.MULTILINE)


def one_line_with(words, text):
    return text.count("\n") == 1 and text.endswith("\n") and re.search(words, text) is not None


def main(behaviours):
    """BEHAVIOUR SHARDSTONE MPIEXEC on the command line."""
    name, program, launcher = sys.argv[1:4]
    behaviours[name](Place(program, launcher))
    print(f"{name}: holds")
