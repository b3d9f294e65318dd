# SPDX-License-Identifier: BSD-3-Clause
"""Ranks are killed and jobs are signalled at random moments, in the real commands:

    kills.py SHARDSTONE MPIEXEC TRIES LONGEST_S [SEED]

Each job ends within LONGEST_S, not with 0, somebody says why, and of what it had finished nothing is
lost: the record is there, incomplete, or `recover` makes it of the journal. No process, no temporary
file, nothing in /dev/shm stays. Every tenth run, where the command can go on, is resumed, and has the
rows of one that nobody disturbed. Prints a table of tries and losses; code 1 when there is a loss.
"""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "validation/use"))
from killed_runs import ACCURACY, BATCH_SIZE, INCOMPLETE, NUMERICS, POINT, detail_of_end, signal_all

SWEEP = ("collectives --op all_reduce,all_gather --algorithm ring,linear --in-place both -b 4 -e 4K -n 100 "
         f"--cluster {ROOT / 'jobs/clusters/cpu-virtual-4x4.toml'} --json r.json")
COMMANDS = {
    "collectives": (SWEEP, 3),
    "train": ("train --model nano --global-batch 4 --steps 100000 --plan dp=2 --json r.json", 2),
    "validate": ("validate equivalence --json r.json", 4),
    "study": ("study pipeline --layers 1 --channels 32 --micro-batches 4,8 --steps 300 --json r.json", 2),
    "kernels": ("kernels --quick --json r.json", 0),
    "calibrate": ("calibrate --output c.toml", 2),
    "overlap": ("overlap --rounds 1000 --model nano --json r.json", 2),
    "step": ("step --model nano -n 100000 --json r.json", 2),
    "batch size": (f"{BATCH_SIZE} --json r.json", 2),
    "numerics": (f"{NUMERICS} --json r.json", 2),
    "accuracy": (f"{ACCURACY} --json r.json", 3),
}
# Of commands that go on from what a killed run left: a table, and the columns that an undisturbed run
# has the same.
RESUMED = {
    "collectives": ("collectives", POINT),
    "study": ("utilisation", ("schedule", "micro_batches")),
    "batch size": ("batches", ("batch", "factor", "steps")),
    "numerics": ("verdicts", ("part", "subject", "model", "verdict", "value")),
}
WAYS = ("kill a rank", "kill the launcher's child", "terminate the job", "interrupt the job",
        "terminate a rank", "interrupt all ranks")


class Job:
    def __init__(self, lab, command, folder):
        self.lab, self.folder = lab, folder
        self.line, self.ranks = COMMANDS[command]
        self.begin()

    def begin(self):
        launch = [self.lab.launcher, "-n", str(self.ranks)] if self.ranks else []
        self.process = subprocess.Popen([*launch, self.lab.program, *self.line.split()], cwd=self.folder,
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def rank_processes(self):
        found = []
        for pid in subprocess.run(["pgrep", "-x", "shardstone"], capture_output=True, text=True,
                                  check=False).stdout.split():
            try:
                if os.readlink(f"/proc/{pid}/cwd") == str(self.folder):
                    found.append(int(pid))
            except OSError:
                pass  # it has ended meanwhile
        return found

    def hurt(self, way, choice):
        ranks = self.rank_processes()
        if not ranks or self.process.poll() is not None:
            return False
        one = choice.choice(ranks)
        try:
            if way == "kill a rank":
                os.kill(one, signal.SIGKILL)
            elif way == "kill the launcher's child" and self.ranks:
                with open(f"/proc/{one}/stat", encoding="ascii") as file:
                    os.kill(int(file.read().rpartition(")")[2].split()[1]), signal.SIGKILL)
            elif way == "terminate a rank":
                os.kill(one, signal.SIGTERM)
            elif way == "interrupt all ranks":
                signal_all(ranks, signal.SIGINT)
            else:
                self.process.send_signal(signal.SIGINT if way == "interrupt the job" else signal.SIGTERM)
        except OSError:
            return False  # it has ended meanwhile
        return True


class Lab:
    def __init__(self, program, launcher, longest_s):
        self.program, self.launcher, self.longest_s = program, launcher, longest_s
        self.slowest = (0.0, "none")  # seconds to the end, and of what
        self.whole = {}

    def slowest_end(self):
        return "the slowest end took {:.2f} s ({})".format(*self.slowest)

    def run(self, line, folder, ranks=0):
        launch = [self.launcher, "-n", str(ranks)] if ranks else []
        return subprocess.run([*launch, self.program, *line.split()], cwd=folder, capture_output=True,
                              text=True, timeout=300, check=False)

    def attempt(self, command, way, choice, resumes):
        """Complaints; None where the job had ended before."""
        with tempfile.TemporaryDirectory(prefix="shardstone-kills-") as name:
            folder = pathlib.Path(name)
            before = set(os.listdir("/dev/shm"))
            job = Job(self, command, folder)
            time.sleep(choice.uniform(0.05, 4.0))
            if not job.hurt(way, choice):
                job.process.kill()
                job.process.communicate()
                return None
            begin = time.monotonic()
            try:
                out, err = job.process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                signal_all(job.rank_processes(), signal.SIGKILL)
                job.process.kill()
                return [f"it does not end: {job.process.communicate()[1][-500:]}"]
            seconds = time.monotonic() - begin
            self.slowest = max(self.slowest, (seconds, f"{command}, {way}"))
            complaints = list(self.complaints(job, way, seconds, (out, err), before))
            if not complaints and resumes and command in RESUMED:
                complaints = list(self.resume(command, folder))
            return [f"{each} (code {job.process.returncode}) {err[-600:]}" for each in complaints]

    def complaints(self, job, way, seconds, said, before):
        out, err = said
        if seconds > self.longest_s:
            yield f"it took {seconds:.1f} s to end"
        if job.process.returncode == 0 and not is_whole(job) and not was_stopped(job, out, err):
            yield "it ends with 0"
        time.sleep(0.2)
        if job.rank_processes():
            yield f"processes {job.rank_processes()} go on"
        ours = [entry for entry in set(os.listdir("/dev/shm")) - before if "shardstone" in entry]
        if ours:
            yield f"{ours} is left in /dev/shm"
        yield from self.look_at_files(job)
        if job.process.returncode > 0 and not is_whole(job) and not says_why(job, way, out, err):
            files = sorted(entry.name for entry in job.folder.iterdir())
            yield f"nobody says why, in {files} or on stdout: {out[-300:]}"

    def look_at_files(self, job):
        files = {entry.name for entry in job.folder.iterdir()}
        odd = files - {"r.json", "r.json.journal", "r.json.failures.jsonl", "c.toml", "c.toml.failures.jsonl"}
        if odd:
            yield f"{sorted(odd)} is left"
        if "r.json.journal" in files:
            done = self.run("recover r.json.journal --force", job.folder)
            if done.returncode != 0:
                yield f"the journal is lost: {done.stderr}"
                return
        if (job.folder / "r.json").exists():
            done = self.run("verify r.json", job.folder)
            if done.returncode not in (0, 1):
                yield f"the record is damaged: {done.stderr}"

    def resume(self, command, folder):
        record = folder / "r.json"
        # A signal may have come after the last part.
        if not record.exists() or INCOMPLETE not in record.read_text():
            return
        line, ranks = COMMANDS[command]
        done = self.run(line.replace("r.json", "whole.json") + " --resume r.json", folder, ranks)
        if done.returncode not in (0, 1):
            yield f"it cannot be resumed: {done.stderr[-500:]}"
        elif rows_of(folder / "whole.json", command) != self.rows(command, folder):
            yield "the resumed record has other rows"

    def rows(self, command, folder):
        if command not in self.whole:
            line, ranks = COMMANDS[command]
            done = self.run(line.replace("r.json", "undisturbed.json"), folder, ranks)
            assert done.returncode in (0, 1), done.stderr
            self.whole[command] = rows_of(folder / "undisturbed.json", command)
        return self.whole[command]


OWN_WORDS = re.compile(r"stopped by SIG(INT|TERM)|stopped by a signal (\(SIG|after)|is lost|has lost another rank|"
                       r"\(process \d+\) has died")

LAUNCHERS_REASON = re.compile("EXIT (STRING|CODE)|process manager error")
# On stdout, too: that it was interrupted, and from a line of "=" on how a rank ended.
LAUNCHERS_WORDS = re.compile(r"^\[mpiexec@.*\n|^Press Ctrl-C again.*\n|^====(.|\n)*", re.MULTILINE)


def says_why(job, way, out, err):
    """In words of ours, wherever one of ours was there to say them; look_at_files() has made the record."""
    logs = "".join(log.read_text() for log in job.folder.glob("*.failures.jsonl"))
    record = job.folder / "r.json"
    ends = detail_of_end(json.loads(record.read_text())) if record.exists() else ""
    if OWN_WORDS.search(out + err + logs + ends):
        return True
    # Of a rank that is killed MPICH's launcher kills the others at once: what is left is the journal.
    if way == "kill a rank" and record.exists():
        return "killed, or the power was lost" in ends
    return (way == "kill a rank" or not has_begun(job, out)) and LAUNCHERS_REASON.search(out + err) is not None


def has_begun(job, out):
    """Before its first words, a rank may still be in the hands of the loader or of MPI."""
    return LAUNCHERS_WORDS.sub("", out).strip() != "" or (job.folder / "r.json").exists()


def is_whole(job):
    """It came to its end: only the launcher was still there to be hurt, or it was to stop after its last point."""
    record = job.folder / "r.json"
    return record.exists() and not detail_of_end(json.loads(record.read_text()))


def was_stopped(job, out, err):
    """The launcher may end with 0 when it is asked to stop itself; ranks that have begun then say so."""
    say_so = re.search(r"stopped by|stopping after", err) or "stopped" in out
    return bool(say_so or (not has_begun(job, out) and LAUNCHERS_WORDS.search(out)))


def rows_of(path, command):
    name, key = RESUMED[command]
    table = next(t for t in json.loads(path.read_text())["derived"] if t["name"] == name)
    columns = {c["name"]: c.get("texts") or c.get("numbers") or [] for c in table["columns"]}
    return sorted(zip(*(columns[column] for column in key)))


def main():
    program, launcher, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has it ignored in the background
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(1 << 30)
    lab = Lab(program, launcher, float(sys.argv[4]))
    choice = random.Random(seed)
    print(f"{tries} tries; seed {seed}", flush=True)
    table = {command: [0, 0] for command in COMMANDS}
    losses = []
    done = 0
    while done < tries:
        command, way = choice.choice(list(COMMANDS)), choice.choice(WAYS)
        complaints = lab.attempt(command, way, choice, resumes=done % 10 == 0)
        if complaints is None:
            continue
        done += 1
        table[command][0] += 1
        table[command][1] += bool(complaints)
        lost = [f"try {done}, {command}, {way}: {each}" for each in complaints]
        losses += lost
        if lost or done % 50 == 0:
            print(f"{done} tries, {len(losses)} losses; {lab.slowest_end()}", *lost, sep="\n", flush=True)
    print(f"{'command':<14}{'tries':>8}{'losses':>8}")
    for command, (tried, lost) in table.items():
        print(f"{command:<14}{tried:>8}{lost:>8}")
    print(lab.slowest_end())
    if losses:
        sys.exit(f"NOT TRUE: nothing is lost; the {len(losses)} losses are named above")


main()
