# SPDX-License-Identifier: BSD-3-Clause
"""What a validation of the interconnect tells where it does not come to its end:
interconnect_ends_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import os
import re
import signal
import time

from command import expect, main
from killed_runs import detail_of_end, processes_of, ranks_of, record_in, signal_all, start_and_keep

PAIRS = "validate interconnect --part pairs --ranks-per-node 1 --sizes 8,64K --budget 1 --for 10m"
LOADS = "validate interconnect --part pairs,congestion --ranks-per-node 1 --budget 60 --for 10m"


def stop_rank(place, job, victim):
    """SIGSTOP to a rank; what the job prints until it is ended."""
    os.kill(processes_of(place, job)[victim], signal.SIGSTOP)
    out, err = job.communicate(timeout=60)
    expect(job.returncode == 4, f"a job whose rank stands still ends with 4, not {job.returncode}", out + err)
    return out


def expect_told(out, victim):
    told = re.fullmatch(r"STOPPED, incomplete: (.+); no verdict\n  - stalled: (.+)\n", out)
    expect(told, "stdout says that there is no verdict, and why, and nothing else", out)
    expect(told[2].startswith(f"rank {victim} on "), f"it names rank {victim}", out)
    return told


def without_a_record(place):
    job = place.start(PAIRS, 3)
    while len(ranks_of(place)) < 3:
        time.sleep(0.05)
    time.sleep(4)
    told = expect_told(stop_rank(place, job, 1), 1)
    expect("windows of the soak" in told[1] or "window of the soak" in told[1], "with what was done", told[1])


def report_tells_it_and_no_figure(place):
    job = start_and_keep(place, PAIRS, 3, 1)
    while "soak_windows" not in place.path("r.json.journal").read_text():
        time.sleep(0.1)
    told = expect_told(stop_rank(place, job, 2), 2)
    record = record_in(place, "r.json")
    expect(detail_of_end(record).endswith(": " + told[1]), f"as the record says: {told[1]}", detail_of_end(record))
    held = [table["name"] for table in record["samples"]]
    expect("pair_samples" in held and "soak_windows" in held, f"the record holds what was measured: {held}")
    page_of_it(place, "r.json")
    # Beside a record that is shown, too.
    place.run("topology --json t.json")
    outcome, page = page_of_it(place, "r.json t.json")
    expect('data-file="t.json"' in page, "the other one is shown", outcome)


def page_of_it(place, records):
    outcome = place.succeeds(f"report {records} --out r.html --force")
    said = r"  \* Interconnect: STOPPED, no verdict: stalled: rank 2 on .* \[.*: r\.json\]\n"
    expect(re.search(said, outcome.out), "the stall is a finding", outcome)
    expect("'r.json' is not shown: of it only how it ended is shown, and nothing that it measured" in outcome.err,
           "and what was measured is not shown", outcome)
    page = place.path("r.html").read_text()
    expect("<strong>STOPPED</strong>" in page, "the verdict's place is not empty", outcome)
    for table in ("pair_samples", "pairs", "paths", "conditions", "soak_windows", "rank_places"):
        expect(f'data-table="{table}"' not in page, f"{table} was not verified, and is not shown", outcome)
    place.succeeds("verify r.html")
    return outcome, page


def recovered_before_its_soak(place):
    """Nothing continues from there, which one would look for."""
    job = start_and_keep(place, LOADS, 3, 1)
    signal_all(ranks_of(place).values(), signal.SIGKILL)
    job.communicate(timeout=60)
    expect("soak_windows" not in place.path("r.json.journal").read_text(), "it was killed before its soak")
    outcome = place.succeeds("recover r.json.journal")
    expect("to continue" not in outcome.out, "it does not continue", outcome)
    expect("\nit does not continue: it ended before a soak (--for) began" in outcome.out, "and is said not to",
           outcome)


main({"without_a_record": without_a_record, "report_tells_it_and_no_figure": report_tells_it_and_no_figure,
      "recovered_before_its_soak": recovered_before_its_soak})
