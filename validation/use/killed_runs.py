# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed, and what is left of them, for the tests of recover and --resume."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import time

from command import ROOT, expect

# With a description of the cluster, so that nothing is calibrated first.
SWEEP = ("collectives --op all_reduce,all_gather --algorithm ring,linear --in-place both -b 4 -e 16K "
         f"-f 4 --seconds 0.05 --cluster {ROOT / 'jobs/clusters/cpu-virtual-4x4.toml'}")
POINT_LINE = r"^ +[\d.]+ (B|KiB) +\d"
ACCURACY = "collectives --accuracy --elements 4096,65536 --runs 10"
OVERLAP = "overlap --model nano --rounds 10000"
PIPELINE = "study pipeline --layers 1 --channels 32 --micro-batches 1,2,4 --steps 6"
PIPELINE_LINE = r"^(naive|gpipe|1f1b) "
KERNELS = "kernels --quick --filter layernorm"
KERNEL_LINE = r"% [ma]"
BATCH_SIZE = ("study batch-size --batches 8,16,32,64 --factors 1,2 --tokens 20000 --target 0.2 --lr 0.02 "
              "--most-sequences 8192 --eval-every 256 --noise-pairs 4")
NUMERICS = "validate numerics --policy fp32,bf16 --model nano --steps 20 --seeds 2 --gradient-steps 5"
SELF_TEST = ("validate self-test --nodes 16 --rails 1 --fault healthy,nic-out,node --rates 0.95,0.9 --trials 300 "
             "--repetitions 1,3,7")
SELF_TEST_LINE = r"^(healthy|nic-out|node) "
BATCH_LINE = r"^ +\d+ +(\d\S* +[\d.]+ +[\d.]+ +\d+$|does not reach)"
TRAIN = "train --model nano --global-batch 4 --steps 100000 --log-every 1 --plan dp=2"
STEP_LINE = r"^ +\d+ +\d+\.\d{4} +\d"
INCOMPLETE = "the run was complete"
POINT = ("operation", "algorithm", "in_place", "size_bytes")


def record_in(place, name):
    return json.loads(place.path(name).read_text())


def columns(record, table, group="derived"):
    for each in record[group]:
        if each["name"] == table:
            return {c["name"]: c.get("texts") or c.get("numbers") or [] for c in each["columns"]}
    return {}


def rows(place, name, table, key, group="derived"):
    """What tells the rows of a table apart, in their order; none where there is no table."""
    held = columns(record_in(place, name), table, group)
    return list(zip(*(held[column] for column in key))) if held else []


def detail_of_end(record):
    """What the record says of how far it came; empty where it came to its end."""
    return next((c["detail"] for c in record["verification"] if c["name"] == INCOMPLETE), "")


def ranks_of(place):
    """Process numbers of the ranks that run in the place's folder, by rank."""
    found = {}
    for pid in subprocess.run(["pgrep", "-x", "shardstone"], capture_output=True, text=True,
                              check=False).stdout.split():
        try:
            with open(f"/proc/{pid}/environ", encoding="latin-1") as file:
                rank = re.search(r"(?:^|\0)(?:PMI_RANK|OMPI_COMM_WORLD_RANK)=(\d+)", file.read())
            if rank and os.readlink(f"/proc/{pid}/cwd") == str(place.folder):
                found[int(rank.group(1))] = int(pid)
        except OSError:
            pass  # it has ended meanwhile
    return found


def processes_of(place, job, at_least=1):
    """The same of a job that is under way."""
    found = ranks_of(place)
    expect(job.poll() is None and len(found) >= at_least, "the job is under way")
    return found


def signal_all(pids, number):
    """The same to each of a job's processes. What the first of them got may have ended the others by their launcher."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def kill_ranks(place, job, ranks):
    """SIGKILL to one rank, or to the program where there is no launcher."""
    if ranks == 0:
        job.kill()
        return
    for pid in random.sample(sorted(ranks_of(place).values()), 1):
        os.kill(pid, signal.SIGKILL)


def start_and_see(place, line, ranks, pattern, least, pipe_bytes=-1):
    """The job once `least` lines like that were printed."""
    job = place.start(line, ranks, pipe_bytes)
    seen = 0
    while seen < least:
        read = job.stdout.readline()
        expect(read != "", f"'{line}' goes on until it is ended", job.stderr.read() if not read else "")
        seen += re.search(pattern, read) is not None
    return job


def start_and_keep(place, line, ranks, least):
    """The job of a command that prints at its end, once its journal has that many parts."""
    job = place.start(f"{line} --json r.json", ranks)
    journal = place.path("r.json.journal")
    while not journal.exists() or journal.read_text().count("\n") < 2 + least:
        expect(job.poll() is None, f"'{line}' goes on until it is ended")
        time.sleep(0.01)
    return job


def run_and_kill(place, line, ranks, pattern, least, output="--json r.json"):
    """Kills it once `least` lines like that were printed; how many were in the end."""
    job = start_and_see(place, f"{line} {output}", ranks, pattern, least)
    kill_ranks(place, job, ranks)
    out, err = job.communicate(timeout=30)
    expect(job.returncode != 0, "a killed run does not end well", out + err)
    return least + len(re.findall(pattern, out, re.MULTILINE))


def run_and_stop(place, line, pattern, least):
    """The same of a program alone by SIGINT: it writes an incomplete record."""
    job = start_and_see(place, line, 0, pattern, least)
    job.send_signal(signal.SIGINT)
    out, err = job.communicate(timeout=60)
    expect(job.returncode == 130, "a stopped run says so", out + err)
    return out


def recovered(place, said):
    """The record that is made of the journal; nothing else is left."""
    expect(place.path("r.json.journal").exists(), f"the journal stays: {place.files()}")
    expect(not place.path("r.json").exists(), "no record was written")
    outcome = place.succeeds("recover r.json.journal")
    expect(said in outcome.out, f"it says '{said}'", outcome)
    expect(not place.path("r.json.journal").exists(), "the record took the journal's place")
    record = record_in(place, "r.json")
    failed = [check for check in record["verification"] if not check["passed"]]
    expect([check["name"] for check in failed] == [INCOMPLETE], f"it is incomplete: {failed}")
    place.refuses("report r.json --out page.html", "r.json")
    return record


def command_in(text):
    """The literal command of the line "to continue: ..."."""
    said = re.findall(r"^(?:shardstone: )?to continue: (.*)$", text, re.MULTILINE)
    expect(len(said) == 1, "one line says how to continue", text)
    return said[0]


def run_literally(place, command):
    return place.shell(command.replace("mpiexec", place.launcher, 1))


def expect_whole(place, name="r.json"):
    names = [check["name"] for check in record_in(place, name)["verification"]]
    expect(INCOMPLETE not in names, f"{name} is whole now: {names}")
