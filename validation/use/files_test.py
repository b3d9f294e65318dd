# SPDX-License-Identifier: BSD-3-Clause
"""What commands do with the files they are told to write: files_test.py BEHAVIOUR SHARDSTONE MPIEXEC"""
import json
import os

from command import ROOT, expect, main, one_line_with, without_progress

CLUSTER = ROOT / "jobs/clusters/ethernet-one-nic.toml"
SMALLEST = "collectives --algorithm ring -b 4 -e 4 -n 10"
SWEEP = f"{SMALLEST} --cluster {CLUSTER}"  # so that nothing is calibrated first
TRAIN = "train --model nano --global-batch 2 --steps 1 --eval-sequences 2"

# Every output of every command, as {}; ranks that it needs.
OUTPUTS = [
    (0, f"{SWEEP} --json {{}}"),
    (2, f"{SWEEP} --hdf5 {{}}"),
    (0, "collectives --accuracy --algorithm ring --types fp32 --json {}"),
    (2, "calibrate --output {}"),
    (0, f"simulate --cluster {CLUSTER} --ranks 4 -b 4 -e 4 --json {{}}"),
    (0, "draw ring --ranks 4 --output {}"),
    (0, f"{TRAIN} --json {{}}"),
    (2, f"{TRAIN} --hdf5 {{}}"),
    (2, f"{TRAIN} --trace {{}}"),
    (0, "train --dry-run --plan dp=2 --gflop-rate 1 --memory-rate 1 --timeline {}"),
    (0, "probe --json {}"),
    (2, "topology --out {}"),
    (0, "topology --hdf5 {}"),
    (0, "step --model nano --json {}"),
    (0, "kernels --filter sum --hdf5 {}"),
    (2, "overlap --model nano --rounds 1 --json {}"),
    (2, "study pipeline --timeline {}"),
    (2, "study pipeline --hdf5 {}"),
    (2, "study batch-size --json {}"),
    (2, "validate equivalence --hdf5 {}"),
    (0, "validate numerics --json {}"),
]
# Of these one or more are quick enough to be let through.
QUICK = ("--accuracy", SWEEP, "simulate", "draw", TRAIN, "--dry-run", "topology")


def existing_files_stay(place):
    for ranks, line in OUTPUTS:
        place.path("there").write_text("precious")
        place.refuses(line.format("there"), "'there' already exists: .*--force", ranks)
        expect(place.path("there").read_text() == "precious", f"'{line}' leaves the file as it was")
        if any(word in line for word in QUICK):
            place.succeeds(line.format("there") + " --force", ranks)
            expect(place.path("there").read_bytes() != b"precious", f"'{line} --force' replaces it")


def default_names_stay(place):
    """Outputs that nobody named are outputs, too."""
    for line, name in [("draw ring --ranks 4", "ring-4.svg"),
                       ("draw --catalogue .", "algorithms.md"),
                       ("export --out . --model nano --sequence 4", "tensors.bin"),
                       ("export --out . --model nano --sequence 4", "tensors.json"),
                       ("data synthetic --tokens 4096 --out .", "manifest.json")]:
        place.path(name).write_text("precious")
        place.refuses(line, "already|holds|is there")
        expect(place.path(name).read_text() == "precious", f"'{line}' leaves {name} as it was")
        place.path(name).unlink()
    place.succeeds("draw --catalogue docs")
    place.succeeds("draw --catalogue docs --force")


def inputs_are_no_outputs(place):
    """Not even with --force, and whatever the file is called."""
    place.succeeds(f"{SWEEP} --hdf5 p.h5 --json p.json")
    place.path("folder").mkdir()
    place.path("soft.h5").symlink_to("p.h5")
    os.link(place.path("p.h5"), place.path("hard.h5"))
    before = place.path("p.h5").read_bytes()
    for name in ("p.h5", "folder/../p.h5", place.path("p.h5"), "soft.h5", "hard.h5"):
        for force in ("", " --force"):
            place.refuses(f"report p.h5 --out {name}{force}", "is an input and would be overwritten")
    place.path("c.toml").write_text(CLUSTER.read_text())
    place.refuses("simulate --cluster c.toml --ranks 4 --json c.toml --force", "is an input")
    place.refuses(f"{SMALLEST} --cluster c.toml --json ./c.toml --force", "is an input", 2)
    place.refuses("train --dry-run --cluster c.toml --timeline c.toml --force", "is an input")
    expect(place.path("p.h5").read_bytes() == before, "the record is as it was")
    place.succeeds("report p.h5 --out page.html")
    place.refuses("report p.h5 --out page.html", "'page.html' already exists")
    place.refuses("report p.h5 --out page.json", "give a name that ends in .html")


def outputs_are_apart(place):
    place.path("folder").mkdir()
    place.path("other").symlink_to("folder")
    for ranks in (0, 2):
        place.refuses(f"{SWEEP} --json a --hdf5 a", "'a' is given for two outputs", ranks)
        place.refuses(f"{SWEEP} --json a --hdf5 ./a --force", "given for two outputs", ranks)
        place.refuses(f"{TRAIN} --trace folder/a --json other/a", "given for two outputs", ranks)
        for more, words in (("--trace r.json.journal --json r.json", "'r.json.journal' is reserved for the journal of 'r.json'"),
                            ("--json folder/../r.json --trace r.json.failures.jsonl", "is reserved for the failure log of"),
                            ("--json r.h5.journal --hdf5 r.h5 --force", "is reserved for the journal of 'r.h5'"),
                            ("--json ex --export ex", "'ex' is given for two outputs"),
                            ("--json ex --export ./ex/", "given for two outputs")):
            place.refuses(f"{TRAIN} {more}", words, ranks)
    expect(place.files() == ["folder", "other"], "nothing was written")
    place.path("r.json.journal").symlink_to("folder")
    place.path("s.json.journal").mkdir()
    for name, kind in (("r", "a symbolic link"), ("s", "a folder")):
        for force in ("", " --force"):
            place.refuses(f"{SWEEP} --json {name}.json{force}", f"'{name}.json.journal' is {kind}, in the place of the run's journal")


def dash_is_stdout(place):
    for ranks, line in [(0, SWEEP), (2, SWEEP), (2, TRAIN),
                        (0, f"simulate --cluster {CLUSTER} --ranks 4 -b 4 -e 4")]:
        outcome = place.succeeds(f"{line} --json -", ranks)
        record = json.loads(outcome.out)
        expect(record["format"] == "shardstone record" and record["derived"], "stdout is the record")
        table = place.succeeds(line, ranks).out.splitlines()[0].split()[:2]
        expect(" ".join(table) in " ".join(outcome.err.split()), "the table is on stderr", outcome)
    place.path("piped.json").write_text(outcome.out)
    for line in (f"{SWEEP} --hdf5 -", f"{TRAIN} --trace -", "draw ring --ranks 4 --output -",
                 "report piped.json --out -"):
        place.refuses(line, "'-' means stdout with --json only")
    place.refuses(f"{SWEEP} --json - --hdf5 -", "'-' is given for two outputs")
    expect(place.files() == ["piped.json"], f"no file is called '-': {place.files()}")


def full_stdout_is_seen(place):
    place.succeeds(f"{SWEEP} --json p.json")
    place.succeeds("data synthetic --tokens 4096 --out text")
    lines = ["--help", "--version", "train --help", "collectives --list", SWEEP, TRAIN,
             f"{SWEEP} --json -", "collectives --accuracy --algorithm ring --types fp32",
             f"simulate --cluster {CLUSTER} --ranks 4", "draw ring --ranks 4",
             "report p.json", "export --model nano --sequence 4 --out export", "data inspect text",
             "data synthetic --tokens 4096 --out more", "train --dry-run --plan dp=2 --gflop-rate 1 --memory-rate 1",
             "probe", "topology", "step --model nano --batch 1 --iterations 3",
             "validate equivalence --quick --steps 1 --only dp=1"]
    for line in lines:
        for sink, reason in (("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            outcome = place.shell(f"$S {line} {sink}")
            expect(outcome.code == 6, f"'{line} {sink}' ends with 6", outcome)
            expect(one_line_with(reason, without_progress(outcome.err)) or "--json -" in line and reason in outcome.err,
                   f"'{line} {sink}' says why in one line", outcome)
            place.shell("rm -rf ring-4.svg report.html export more")


def closed_pipe_is_quiet(place):
    for line in ("collectives --list", "--help", "draw --catalogue docs", SWEEP):
        outcome = place.shell(f"$S {line} | head -n 1; exit ${{PIPESTATUS[0]}}")
        expect(outcome.code in (0, 141), f"'{line} | head -1' ends as a closed pipe does", outcome)
        expect(outcome.err == "", f"'{line} | head -1' says nothing", outcome)


def closed_stdout_spares_files(place):
    """A record must not get the number of a stdout that is not there."""
    place.shell(f"$S {SWEEP} --json p.json >&- 2>&-")
    text = place.path("p.json").read_text()
    expect(json.loads(text)["format"] == "shardstone record", "the record is nothing but a record")


main({each.__name__: each for each in (
    existing_files_stay, default_names_stay, inputs_are_no_outputs, outputs_are_apart, dash_is_stdout,
    full_stdout_is_seen, closed_pipe_is_quiet, closed_stdout_spares_files)})
