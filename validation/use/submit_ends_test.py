# SPDX-License-Identifier: BSD-3-Clause
"""Studies without Slurm that are killed, stopped or met by another call: submit_ends_test.py BEHAVIOUR SHARDSTONE
MPIEXEC"""
import json
import re
import signal
import time

from command import expect, main
from killed_runs import ranks_of
from studies import POINTS, STUDY, hashes, states, steady_rows, write_study

RUN = "submit small.toml --out runs"


def start_until_point(place, count):
    """The command under way, with `count` points done and another begun."""
    job = place.start(RUN)
    while count and not job.stdout.readline().startswith(f"{count}/"):
        pass
    until = time.monotonic() + 60
    while not place.path("runs/points").joinpath(POINTS[count], "stdout").exists():
        expect(time.monotonic() < until and job.poll() is None, f"point {count + 1} begins")
        time.sleep(0.01)
    return job


def slow_study(place, steps=2000):
    """Whose points take seconds."""
    write_study(place, STUDY.replace("steps = 4", f"steps = {steps}"))


def found_is_of_the_record(place, point, said):
    """The rate that is printed of a point, and whether it was disturbed."""
    record = json.loads(place.path("runs/points").joinpath(point, "record.json").read_text())
    summary = next(table for table in record["derived"] if table["name"] == "summary")
    of_record = {column["name"]: column["numbers"][0] for column in summary["columns"] if "numbers" in column}
    found = re.search(rf"{point}: done after [\d.]+ s: (\d+) tokens/s(, disturbed \(at worst .*\))?$", said, re.MULTILINE)
    expect(found and abs(int(found[1]) - of_record["tokens_per_s"]) <= 0.5, f"the rate of {point}", said)
    expect((found[2] is not None) == (of_record["disturbed"] > 0), f"whether {point} was disturbed", said)


def ended_status(place):
    """As a script waits for it, once what was killed is gone."""
    until = time.monotonic() + 20
    while (status := place.run(f"{RUN} --status")).code == 7:
        expect(time.monotonic() < until, "a killed study ends", status)
    return status


def killed_studies_go_on(place):
    """What was done stays, what was not is run, and the rows are those of an undisturbed study; what a killed
    point had done can be had."""
    slow_study(place, 400)
    place.succeeds("submit small.toml --out whole")
    job = start_until_point(place, 2)
    until = time.monotonic() + 60
    while not place.path("runs/points").joinpath(POINTS[2], "record.json.journal").exists():
        expect(time.monotonic() < until and job.poll() is None, "the third point keeps a journal")
        time.sleep(0.01)
    job.kill()
    job.communicate()
    before = hashes(place, "runs")
    expect(list(before) == POINTS[:2], f"two points were done: {list(before)}")
    status = ended_status(place)
    told = re.search(rf"^{POINTS[2]} .* ended without a record, with the 'shardstone submit' that ran it \[.*\]; "
                     r"'shardstone (recover \S+)' makes a record of what it had done$", status.out, re.MULTILINE)
    expect(told, "the status says how it ended, and how to have what it did", status)
    place.succeeds(told[1])
    expect("the run is incomplete" in place.run(f"{RUN} --status").out, "that makes a record, which does not count")
    outcome = place.succeeds(RUN)
    ran = re.findall(r"^\d/2  (\S+): done", outcome.out, re.MULTILINE)
    expect(ran == POINTS[2:], f"only what was missing is run: {ran}", outcome)
    for point in ran:
        found_is_of_the_record(place, point, outcome.out)
    after = hashes(place, "runs")
    expect({point: after[point] for point in before} == before, "what was done is untouched")
    expect(steady_rows(place, "runs") == steady_rows(place, "whole"), "the rows of an undisturbed study")


def signals_end_a_study(place):
    """The first after the point in progress, the second at once; then it goes on."""
    slow_study(place)
    job = start_until_point(place, 1)
    job.send_signal(signal.SIGTERM)
    _, err = job.communicate(timeout=60)
    expect(job.returncode == 130 and "stopping after this point" in err, f"it ends with {job.returncode}", err)
    expect(list(hashes(place, "runs")) == POINTS[:2], "the point in progress was finished")
    job = place.start(RUN)
    while not place.path("runs/points").joinpath(POINTS[2], "stdout").exists():
        time.sleep(0.01)
    for pause_s in (0.8, 0):
        job.send_signal(signal.SIGINT)
        time.sleep(pause_s)
    _, err = job.communicate(timeout=20)
    expect(job.returncode == 130, f"a second signal ends it at once: {job.returncode}", err)
    status = ended_status(place)
    seen = states(status)
    expect(seen[POINTS[1]] == "done" and seen[POINTS[3]] == "missing", f"the rest is missing: {seen}")
    expect(re.search(rf"^{POINTS[2]} +1 +failed +exit code 130 \(stopped by SIGINT or SIGTERM\) \[", status.out,
                     re.MULTILINE), "the status knows what ended the point", status)
    outcome = place.succeeds(RUN)
    expect(states(outcome) == dict.fromkeys(POINTS, "done"), "and is run by the next call", outcome)


def two_at_once_are_refused(place):
    """Also while ranks of a killed call still run: none writes where a new one does."""
    slow_study(place, 200000)
    job = start_until_point(place, 0)
    second = place.start(RUN)
    begin = time.monotonic()
    at_work = rf"^shardstone: .* is at work in '{place.folder}/runs' \(process {job.pid} \(shardstone\) and \d+ more\): "
    expect(re.search(at_work + "waiting for it, 20 s at most$", second.stderr.readline()) and
           time.monotonic() - begin < 10, "it says at once what it waits for")
    status, dry = place.run(f"{RUN} --status"), place.succeeds(f"{RUN} --dry-run")
    line = rf"^{POINTS[0]} +1 +running +since \d+ s, by another 'shardstone submit'$"
    expect(status.code == 7 and re.search(line, status.out, re.MULTILINE), "a point in progress is running", status)
    expect("3 of 4 points would be run" in dry.out and POINTS[0] not in dry.out, "and not to be run", dry)
    _, err = second.communicate(timeout=60)
    expect(second.returncode == 2 and re.search(at_work + "wait for it, or end it$", err), "then it gives up", err)
    job.kill()
    job.communicate()
    until = time.monotonic() + 10
    while ranks_of(place):
        expect(time.monotonic() < until, "the ranks of a killed call end")
        time.sleep(0.1)
    status = ended_status(place)
    expect(status.code == 1 and states(status)[POINTS[0]] == "failed", "and its point has failed", status)


main({each.__name__: each for each in (killed_studies_go_on, signals_end_a_study, two_at_once_are_refused)})
