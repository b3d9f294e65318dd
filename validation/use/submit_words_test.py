# SPDX-License-Identifier: BSD-3-Clause
"""What `submit` tells of GPUs, keys, limits and another program: submit_words_test.py BEHAVIOUR SHARDSTONE
MPIEXEC"""
import json
import os
import pathlib
import re
import signal
import time

from command import ROOT, expect, main
from killed_runs import ranks_of
from studies import SITE, STUDY, states, write_study

RUN = "submit small.toml --out runs"


def gpus_are_asked_for_where_they_are_used(place):
    """For trainings that leave them idle, a line says why there are none; in the scripts, too."""
    for study, command, uses in (("scaling-weak", "train", False), ("collectives", "collectives", False),
                                 ("gpu-collectives", "collectives", True), ("gpu-layouts", "train", True),
                                 ("gpu-acceptance", "validate interconnect", True)):
        said = f"No GPUs are asked for, though site slurm-gpu has 8 per node: {command} computes on CPU cores here."
        dry = place.succeeds(f"submit {study} --site slurm-gpu --dry-run").out
        script = place.succeeds(f"submit {study} --site slurm-gpu --sbatch").out
        for text, place_of in ((dry, "dry run"), (script, "script")):
            expect(("--gres=gpu:8" in text) == uses, f"{study}: the {place_of} asks for GPUs: {uses}", text)
        expect((f"\n{said}\n" in dry) != uses and (f"\n# {said}\n" in script) != uses, f"{study}: it says so", script)
    expect("GPUs" not in place.succeeds("submit scaling-weak --site local --dry-run").out, "none are missed here")
    write_study(place, STUDY + '[vary]\ndevice = ["cpu", "cuda"]\n')
    mixed = place.succeeds("submit small.toml --site slurm-gpu --dry-run").out
    expect("No GPUs are asked for, in 4 of 8 points, though" in mixed and "--gres=gpu:" in mixed,
           "of some points it says how many", mixed)


def paced_speeds_are_told(place):
    """Where a pace sets the times of passes that a study would compare, a line says so; in the scripts, too."""
    said = "--precision does not change the times of passes: --pace of {} sets them, so only memory, messages and " \
           "updates can differ; a [[case]] can set pace beside each value, and pace = false leaves it out."
    for study, site, tells in (("precision", "virtual", True), ("precision", "slurm-gpu", False),
                               ("scaling-weak", "virtual", False)):
        for how, before in (("--dry-run", ""), ("--sbatch", "# ")):
            text = place.succeeds(f"submit {study} --site {site} {how}").out
            line = f"\n{before}{said.format('site virtual')}\n"
            expect((line in text) == tells and ("passes" in text) == tells, f"{study} at {site}: {tells}", text)
    local = (ROOT / "jobs/sites/local.toml").read_text()
    place.path("fast.toml").write_text(f"{local}[options.train]\npace = 20\n")
    case = '[[case]]\nname = "{0}"\nprecision = "{0}"\n{1}'
    paced = case.format("fp32", "pace = 20\n") + case.format("bf16", "pace = 40\n")
    for options, site, whose in (
            ('precision = "bf16"\n', "fast.toml", "site fast"), ('precision = "bf16"\n', "local", ""),
            ('precision = "bf16"\npace = false\n', "fast.toml", ""), ('precision = "bf16"\npace = 9\n', "local", ""),
            ('pace = 9\n[vary]\nprecision = ["fp32", "bf16"]\n', "local", "study small"),
            ("pace = 9\n" + case.format("bf16", ""), "fast.toml", "study small"), (paced, "fast.toml", "")):
        write_study(place, STUDY + options)
        text = place.succeeds(f"submit small.toml --site {site} --dry-run").out
        told = said.format(whose) + "\n" in text if whose else "passes" not in text
        expect(told, f"'{options}' at {site}: {whose or 'nothing'}", text)
    one_run = STUDY.replace("[1, 2]", "[1]").replace("repetitions = 2", "repetitions = 1")
    write_study(place, one_run + 'precision = "bf16"\n')
    outcome = place.succeeds("submit small.toml --site fast.toml --out runs")
    expect(outcome.out.startswith(said.format("site fast") + "\n1/1 "), "before it is run here", outcome)


def every_key_is_explained(place):
    """What the program knows stands in its help and in the README of the studies, and nothing else does."""
    told = place.succeeds("submit --help").out, (ROOT / "jobs/studies/README.md").read_text()
    site = SITE.replace("slurm", "none").replace("srun", "mpiexec").replace('partition = "main"\n', "")
    for what, text, line in (("study", STUDY, "submit x.toml --dry-run"),
                             ("site", site, "submit precision --site x.toml")):
        known = []
        for spoilt in (f"none-such = 1\n{text}", text.replace("[stop]", "[stop]\nnone-such = 1")):
            place.path("x.toml").write_text(spoilt)
            known += re.findall(r"known here: ([^)]*)", place.run(line).err)
        keys = {key for keys in known for key in keys.split(", ")}
        expect({"about", "repetitions" if what == "study" else "gpus_per_node"} <= keys, f"of a {what}: {keys}")
        for text_told, form in zip(told, (r"^  (?:\[+)?{}\b", r"^\| `(?:\[+)?{}\b")):
            missing = [key for key in sorted(keys) if not re.search(form.format(key), text_told, re.MULTILINE)]
            expect(not missing, f"keys of a {what} that are not explained: {missing}", text_told)


def the_limit_of_a_study_is_told(place):
    """Which limit ended a point, of how long, and where it is."""
    write_study(place, STUDY.replace("steps = 4", "steps = 10000000").replace("minutes = 5", "minutes = 1")
                .replace("repetitions = 2", "repetitions = 1").replace("[1, 2]", "[2]"))
    line = rf"^ranks-2_run-1 .* ended by the time limit: \[stop\] of the study has minutes = 1, .* " \
           rf"\[{place.folder}/runs/points/ranks-2_run-1/stderr\]$"
    for outcome in (place.run(RUN), place.run(f"{RUN} --status")):
        expect(outcome.code == 1 and re.search(line, outcome.out, re.MULTILINE), "the line says so", outcome)


def the_signal_that_ended_a_rank_is_told(place):
    """By the words of mpiexec, which go to stdout; stderr only has how far the run was."""
    write_study(place, STUDY.replace("steps = 4", "steps = 10000000").replace("repetitions = 2", "repetitions = 1")
                .replace("[1, 2]", "[2]"))
    job = place.start(RUN)
    until = time.monotonic() + 60
    while len(ranks_of(place)) < 2:
        expect(time.monotonic() < until and job.poll() is None, "two ranks begin")
        time.sleep(0.1)
    time.sleep(2)
    os.kill(ranks_of(place)[1], signal.SIGKILL)
    job.communicate(timeout=60)
    status = place.run(f"{RUN} --status")
    line = rf"^ranks-2_run-1 .* exit code 9: mpiexec ended it: Killed \(signal 9\) " \
           rf"\[{place.folder}/runs/points/ranks-2_run-1/stdout\]; 'shardstone recover \S+' makes a record of what " \
           "it had done$"
    expect(re.search(line, status.out, re.MULTILINE), "the line says so", status)


def rebuilt(place, revision):
    """The program as if it were of another revision."""
    # A compiler may hold a short text in two instructions, of which the first has eight bytes.
    text, head = pathlib.Path(place.program).read_bytes(), revision[:8]
    other = head[::-1] + revision[8:]
    expect(other != revision and head.encode() in text, f"the program holds its revision {revision}")
    program = place.path("rebuilt")
    program.write_bytes(text.replace(head.encode(), head[::-1].encode()))
    program.chmod(0o755)
    return str(program), other


def a_rebuilt_program_shows_the_status(place):
    """Of points that another revision ran: as that one did. It runs nothing beside them, and says what to do."""
    write_study(place)
    place.succeeds(RUN)
    before = states(place.succeeds(f"{RUN} --status"))
    revision = json.loads(place.path("runs/submit.json").read_text())["revision"]
    place.path("runs/points/ranks-2_run-2/record.json").unlink()
    first, (place.program, now) = place.program, rebuilt(place, revision)
    status = place.run(f"{RUN} --status")
    expect(status.code == 1 and list(states(status).values()) == ["done", "done", "done", "failed"],
           "its points stand as they did", status)
    expect(f"of revision {revision} of the program, and this is {now}: what is missing can be run with that one"
           in status.out, "it says that it is another", status)
    place.refuses(RUN, f"another program .revision {revision} then, {now} now.*name another folder with --out")
    place.program = first
    expect(states(place.succeeds(RUN)) == before, "the first one goes on")


if __name__ == "__main__":
    main({each.__name__: each for each in (
        gpus_are_asked_for_where_they_are_used, paced_speeds_are_told, every_key_is_explained,
        the_limit_of_a_study_is_told, the_signal_that_ended_a_rank_is_told, a_rebuilt_program_shows_the_status)})
