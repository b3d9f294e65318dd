# SPDX-License-Identifier: BSD-3-Clause
"""Rarer keys of a site: submit_sites_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import os
import re

from command import ROOT, expect, main
from studies import SITE, STUDY, FakeSlurm, write_study

RUN = "submit small.toml --site site.toml --out runs"


def environment_reaches_the_ranks(place):
    """That of a site without Slurm: it is printed, and the records hold it."""
    write_study(place, STUDY.replace("repetitions = 2", "repetitions = 1").replace("[1, 2]", "[1]"))
    local = (ROOT / "jobs/sites/local.toml").read_text()
    place.path("site.toml").write_text(f'{local}[environment]\nOMP_NUM_THREADS = "3"\nUCX_TLS = "posix,self"\n')
    os.environ.pop("UCX_TLS", None)
    dry = place.succeeds(f"{RUN} --dry-run")
    expect("\nexport UCX_TLS=posix,self\n" in "\n" + dry.out.replace("'", ""), "it is printed", dry)
    expect("export OMP_NUM_THREADS=3\n" in dry.out, "each variable is", dry)
    place.succeeds(RUN)
    record = json.loads(place.path("runs/points/ranks-1_run-1/record.json").read_text())
    seen = {name: record["environment"]["variables"].get(name) for name in ("OMP_NUM_THREADS", "UCX_TLS")}
    expect(seen == {"OMP_NUM_THREADS": "3", "UCX_TLS": "posix,self"}, f"the ranks had: {seen}")


def some_at_once_are_a_chain_of_arrays(place):
    """Two tasks of one array, and then of the next: two side by side would be four runs at a time."""
    slurm = FakeSlurm(place)
    place.path("site.toml").write_text(SITE + "at_once = 2\n")
    place.succeeds(RUN)
    expect(slurm.calls() == ["--parsable ranks-1.sbatch", "--parsable --dependency=afterany:101 ranks-2.sbatch",
                             "--parsable --dependency=afterany:101:102 report.sbatch"], "arrays follow each other")
    expect("#SBATCH --array=0-1%2\n" in place.path("runs/scripts/ranks-2.sbatch").read_text(), "tasks are limited")


def clients_are_found_beside_the_site(place):
    """A path to the program before sbatch is relative to the file of the site, wherever one is."""
    FakeSlurm(place)
    place.path("elsewhere").mkdir()
    wrapper = place.path("sites/tools/remotely")
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text("#!/bin/sh\necho \"$1\" >>\"$FAKE_SLURM/wrapped\"\nexec \"$@\"\n")
    wrapper.chmod(0o755)
    place.path("sites/far.toml").write_text(SITE + "client_prefix = [\"tools/remotely\"]\n")
    outcome = place.shell("cd elsewhere && $S submit ../small.toml --site ../sites/far.toml --out runs")
    expect(outcome.code == 0, "it is found", outcome)
    wrapped = place.path("slurm/wrapped").read_text().split()
    expect(wrapped == ["squeue", "squeue", "sbatch", "sbatch", "sbatch"], f"and used for: {wrapped}")


def options_of_a_site_are_told_as_its_own(place):
    """Where one is refused beside what the study sets: whose it is, and how the study leaves it out."""
    words = "comes from [options.train] of site virtual: set it in the study, or leave it out there with"
    for fixed, refusal, name in (("explain = false", "--cluster requires --dry-run or --explain", "cluster"),
                                 ("gflop-rate = 3", "--gflop-rate excludes --pace", "pace")):
        on_eight = STUDY.replace("[1, 2]", "[8]").replace("global-batch = 4", "global-batch = 8")
        write_study(place, f"{on_eight}{fixed}\n")
        place.refuses("submit small.toml --site virtual --dry-run", re.escape(
            f"study small: ranks-8_run-1: {refusal} (see shardstone train --help); --{name} {words} {name} = false: "
            "shardstone train "))
    fixed += "\npace = false\npace-memory = false\n"
    write_study(place, place.path("small.toml").read_text().replace("gflop-rate = 3", fixed))
    dry = place.succeeds("submit small.toml --site virtual --dry-run")
    expect("--gflop-rate 3" in dry.out and "--cluster cpu-virtual-4x8" in dry.out and "--pace" not in dry.out,
           "what the study leaves out is left out, and nothing else", dry)
    # Where the refusal names no option, and the study alone is accepted.
    place.path("site.toml").write_text(SITE + "[options.train]\ndata = \"nowhere\"\nlr = 0.1\n")
    write_study(place)
    place.refuses(RUN, re.escape("; --data, --lr come from [options.train] of site site: set them in the study, or leave "
                                 "them out there with data = false, lr = false: shardstone train "))
    # An error of the study's own stays its own.
    write_study(place, STUDY.replace("steps = 4", "steps = 0") + "data = false\n")
    outcome = place.run(RUN)
    expect(outcome.code == 2 and "--steps 0: give at least 1" in outcome.err and "[options" not in outcome.err,
           "the site is not blamed", outcome)


if __name__ == "__main__":
    main({each.__name__: each for each in (
        environment_reaches_the_ranks, some_at_once_are_a_chain_of_arrays, clients_are_found_beside_the_site,
        options_of_a_site_are_told_as_its_own)})
