# SPDX-License-Identifier: BSD-3-Clause
"""A command that takes long says what it does, and when it will stop: silence_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import re
import signal
import subprocess
import threading
import time

from command import ROOT, expect, main
from studies import STUDY, write_study

PROGRESS = r"^shardstone: \d+ s: "
DGX = ROOT / "jobs/clusters/dgx-h100-rails.toml"
SILENCE_S = 7.0  # "about 5 s" on a machine that does other things as well
LONG_S = SILENCE_S + 0.5  # so that another word must come; no command here has a row to show by then


class Heard:
    """A job whose output, no terminal, is read as it comes."""

    def __init__(self, place, line, ranks):
        self.line, self.lines = line, []
        self.job = subprocess.Popen(place.words(line, ranks), cwd=place.folder, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.job.stdout:
            self.lines.append((time.monotonic(), line))

    def text(self):
        return "".join(line for _, line in self.lines)

    def wait_for(self, pattern, limit_s):
        end_s = time.monotonic() + limit_s
        while time.monotonic() < end_s:
            if re.search(pattern, self.text(), re.MULTILINE):
                return True
            time.sleep(0.05)
        return False

    def end(self, limit_s=60):
        try:
            code = self.job.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.job.kill()
            expect(False, f"'{self.line}' ends within {limit_s} s after the signal", self.text())
        self.reader.join(10)
        return code


def is_never_mute(place, line, ranks):
    """Its longest silence, from its first word on."""
    heard = Heard(place, line, ranks)
    expect(heard.wait_for(PROGRESS, 30), f"'{line}' says how far it is", heard.text())
    time.sleep(LONG_S)
    times = [at for at, _ in heard.lines] + [time.monotonic()]
    longest_s = max(after - before for before, after in zip(times, times[1:]))
    expect(longest_s < SILENCE_S, f"'{line}' is silent for {longest_s:.1f} s", heard.text())
    return heard


def stops(place, heard, ranks, after, which=signal.SIGINT):
    """At once it says when it will stop; with nothing measured it leaves nothing."""
    heard.job.send_signal(which)
    answer = rf"^shardstone: {which.name}: stopping after {after}.*\(a second one stops it at once\)$"
    expect(heard.wait_for(answer, 3), f"'{heard.line}' says at once when it stops", heard.text())
    code = heard.end()
    # MPICH's launcher, asked to end its job, may give 0 for it whatever the ranks end with.
    expect(code == 130 or (ranks > 0 and code == 0), f"'{heard.line}' ends with {code}", heard.text())
    for said in (rf"^shardstone: {which.name}: stopping", r"^shardstone: .*stopped by SIG"):
        count = len(re.findall(said, heard.text(), re.MULTILINE))
        expect(count == 1, f"'{heard.line}' says '{said}' {count} times", heard.text())


def leaves_nothing(place, heard):
    left = [name for name in place.files() if not name.endswith(".failures.jsonl")]
    expect(left == [], f"'{heard.line}' leaves nothing: {left}", heard.text())


def nothing_yet(place, line, ranks, after, which=signal.SIGINT):
    heard = is_never_mute(place, line + " --json r.json", ranks)
    stops(place, heard, ranks, after, which)
    expect(re.search("^shardstone: stopped by SIGINT or SIGTERM.*: nothing was .*no record is written", heard.text(),
                     re.MULTILINE), f"'{heard.line}' says that there is nothing", heard.text())
    leaves_nothing(place, heard)


def pipelines(place):
    nothing_yet(place, "study pipeline --micro-batches 16 --channels 512 --steps 200", 2, "this round")


def overlaps(place):
    nothing_yet(place, "overlap --model small --global-batch 15 --rounds 10000", 3, "this round")


def batch_sizes(place):
    nothing_yet(place, "study batch-size --model tiny", 2, "this step", signal.SIGTERM)


def equivalence(place):
    nothing_yet(place, "validate equivalence --steps 200 --only tp=2", 2, "this training")


def numerics(place):
    nothing_yet(place, "validate numerics --part gradients --model tiny --gradient-steps 100000", 2, "this step")


def what_keeps_nothing(place):
    """Ends at once, a calibration after the size in progress; of three ranks one says so. Without --cluster a sweep
    begins with a calibration."""
    for line, ranks in (("calibrate -o m.toml", 2),
                        ("collectives --op all --algorithm auto -b 64M -e 64M --json r.json", 3),
                        ("step --model gpt2-124m --batch 8 -n 1000", 2),
                        ("train --dry-run --context 2048 --plan cp=2048 --global-batch 4", 0),
                        (f"simulate --op all_gather --cluster {DGX} --ranks 1024 -b 1G -e 1G", 0)):
        heard = is_never_mute(place, line, ranks)
        heard.job.send_signal(signal.SIGINT)
        heard.end(20)
        leaves_nothing(place, heard)
        said = re.findall(r"^shardstone: .*stopped by SIGINT(?:$| or SIGTERM: nothing is written)", heard.text(),
                          re.MULTILINE)
        expect(len(said) == 1, f"'{line}' says once that it was stopped: {said}", heard.text())


def trainings(place):
    """A step that takes long, and a point that does: the one ends after it, the other on a second signal."""
    heard = is_never_mute(place, "train --model gpt2-124m --global-batch 16 --micro-batches 16 --steps 2", 0)
    heard.job.kill()
    heard.end()
    heard = is_never_mute(place, "collectives --algorithm mpi --in-place no -b 64M -e 64M -n 100000 -c 0", 0)
    heard.job.send_signal(signal.SIGINT)
    expect(heard.wait_for(r"SIGINT: stopping after this point", 3), "the sweep answers", heard.text())
    time.sleep(0.7)  # what comes sooner is the same request, by way of the launcher
    heard.job.send_signal(signal.SIGINT)
    expect(heard.end(10) == 130, "a second signal ends it at once", heard.text())


def studies(place):
    """Between the ends of its points; the first signal is answered at once."""
    write_study(place, STUDY.replace("steps = 4", "steps = 200000"))
    heard = is_never_mute(place, "submit small.toml --out runs", 0)
    expect("point 1 of 4: ranks-1_run-1" in heard.text(), "it says at which point it is", heard.text())
    heard.job.send_signal(signal.SIGINT)
    expect(heard.wait_for("SIGINT: stopping after this point", 3), "it says when it stops", heard.text())
    time.sleep(0.7)
    heard.job.send_signal(signal.SIGINT)
    expect(heard.end(10) == 130, "a second signal ends it at once", heard.text())


def kernels(place):
    heard = is_never_mute(place, "kernels --json r.json", 0)
    expect(re.search("compared with FP64|sizes measured|rates of a core", heard.text()), "it says at what", heard.text())
    heard.job.kill()
    heard.end()
    # Before the first row there is nothing to wait for.
    place.path("r.json.journal").unlink(missing_ok=True)
    heard = Heard(place, "kernels --json r.json", 0)
    expect(heard.wait_for("kernels at", 20), "it begins", heard.text())
    heard.job.send_signal(signal.SIGINT)
    expect(heard.end(2) == 130 and "shardstone: stopped by SIGINT" in heard.text(), "it ends at once", heard.text())
    leaves_nothing(place, heard)


main({each.__name__: each for each in (pipelines, overlaps, batch_sizes, equivalence, numerics,
                                       what_keeps_nothing, trainings, studies, kernels)})
