# SPDX-License-Identifier: BSD-3-Clause
"""Words on the command line, ranks that are too many, and scripts: words_test.py BEHAVIOUR SHARDSTONE
MPIEXEC"""
import math
import os
import re
import signal
import subprocess
import sys

from command import ROOT, Outcome, expect, main, one_line_with

CLUSTER = ROOT / "jobs/clusters/ethernet-one-nic.toml"


def nearest_is_offered(place):
    for line, mistaken, meant in [
            ("colectives", "colectives", "collectives"), ("trian --steps 3", "trian", "train"),
            ("kernel", "kernel", "kernels"), ("raport a.h5", "raport", "report"),
            ("study piepline", "piepline", "pipeline"), ("data prepair x", "prepair", "prepare"),
            ("validate numerix", "numerix", "numerics"),
            ("collectives --algoritm ring", "--algoritm", "--algorithm"),
            ("collectives --maxbyte=4", "--maxbyte", "--maxbytes"),
            ("train --setps 3", "--setps", "--steps"), ("report a.h5 --uot b", "--uot", "--out"),
            ("study pipeline --schedule 1f1b", "--schedule", "--schedules"),
            ("data synthetic --token 5", "--token", "--tokens"), ("--verison", "--verison", "--version")]:
        place.refuses(line, re.escape(f"'{mistaken}'; did you mean '{meant}'?"))
        place.refuses(line, re.escape(f"'{mistaken}'; did you mean '{meant}'?"), 2)
    for line, mistaken in [("frobnicate", "subcommand 'frobnicate'"), ("train --zzzzzzz 3", "'--zzzzzzz'"),
                           ("collectives -Q", "'-Q'")]:
        place.refuses(line, f"unknown .*{mistaken} \\(see shardstone")
    # A negative number is a value, and a known option with a bad one is not unknown.
    place.refuses("collectives -n -5", "-5")
    place.refuses("collectives -n five", "five")


def list_obeys_operation(place):
    everything = place.succeeds("collectives --list").out
    listed = place.succeeds("collectives --list --op broadcast").out
    expect("broadcast:" in listed and "all_reduce:" not in listed, "--op broadcast lists broadcast", listed)
    expect("\n1 operations, " in listed, "it counts one operation", listed)
    expect("all_reduce:" in everything and "12 operations" in everything, "without --op it lists all")
    two = place.succeeds("collectives --list --op broadcast,all_gather --algorithm ring,binomial_tree")
    expect("all_gather:\n" not in two.out and "  recursive_doubling" not in two.out,
           "--algorithm is obeyed, too", two)
    place.refuses("collectives --list --op brodcast", "'brodcast'")
    place.refuses("collectives --list --json a.json", "--list")


def serial_commands_act_once(place):
    place.path("text.txt").write_text("to be or not to be, that is the question\n" * 200)
    place.succeeds("collectives --algorithm ring -b 4 -e 4 -n 10 --json r.json")
    for line, product in [
            ("data prepare text.txt --out text", "text"), ("data inspect text", None),
            ("data synthetic --tokens 4096 --out markov", "markov"),
            ("draw ring --ranks 4", "ring-4.svg"),
            (f"simulate --cluster {CLUSTER} --ranks 4 -b 4 -e 4 --json s.json", "s.json"),
            ("export --model nano --sequence 4 --out export", "export"),
            ("report r.json", "report.html"), ("bundle r.json --out b.zip", "b.zip"),
            ("collectives --list --op broadcast", None),
            ("train --dry-run --plan dp=2 --gflop-rate 1 --memory-rate 1 --timeline t.svg", "t.svg"),
            ("train --help", None), ("--version", None)]:
        alone = place.succeeds(line)
        for ranks in (2, 4):
            if product:
                place.shell(f"rm -rf {product}")
            many = place.succeeds(line, ranks)
            expect(many.out == alone.out and many.err == alone.err,
                   f"'{line}' acts once on {ranks} ranks", many)
            expect(not product or place.path(product).exists(), f"'{line}' makes {product}")
    for line in ("data inspect nowhere", "draw rong --ranks 4", "simulate --cluster nowhere",
                 "export --model nono --out e", "report nowhere.h5", "data prepare nowhere --out n",
                 "kernels --filter nothing", "train --dry-run --plan dp=x"):
        place.refuses(line, ".", 3)


def kernels_tell(place):
    """How much is to be done, and meanwhile how long; under a launcher, that one rank measures."""
    alone = place.succeeds("kernels --filter fp8_e4m3")  # over the 3 s between lines
    announced = re.match(r"(\d+) kernels? at (\d+) sizes?\n", alone.out)
    expect(announced, "the first line says how much is to be done", alone)
    rows = re.findall(r"^.*, fp8_e4m3 .* %.*$", alone.out, re.MULTILINE)
    expect(len(rows) == int(announced[2]), f"there are {announced[2]} rows: {len(rows)}", alone)
    expect(re.search(rf"shardstone: \d+ s: \d+ of {announced[2]} sizes measured, about \d+ s to go\n",
                     alone.err), "it says how far it is", alone)
    expect("rank" not in alone.err, "alone it says nothing of ranks", alone)
    longer = place.run("kernels --filter nothing-like-it")
    expect(longer.out == "", "nothing is announced that is then refused", longer)
    both = place.succeeds("kernels --quick --filter residual --json r.json", 2)
    expect("shardstone: kernels are measured on one core, by rank 0; the other 1 rank ended\n" in both.err,
           "on 2 ranks it says who measures", both)
    expect(both.out.count(" sizes\n") == 1 and both.out.count("One core:") == 1, "rank 0 speaks alone", both)


def definitions_are_in_help(place):
    """What an auditor needs to recompute a figure, or to hold it against another program's."""
    def words(line):
        return " ".join(place.succeeds(line).out.split())

    expect("6 N + 6 L C T per token: N parameters, without the position embedding"
           in words("train --help"), "train says what MFU's FLOP are")
    expect("PaLM's 12 L C T" in words("train --help"), "and what others count")
    expect("the round trip, of which osu_latency prints half" in words("collectives --help"),
           "collectives says what a ping-pong's time is")
    expect("nccl-tests' sendrecv" in words("collectives --help"), "and what its busbw is")


def empty_words_are_refused(place):
    """As "$OUT" gives them where OUT is not set: nothing is done instead."""
    sweep = "collectives --algorithm ring -b 4 -e 4 -n 10"
    for line, option in ((f"{sweep} --json ''", "--json"), (f"{sweep} --hdf5 '' --json r.json", "--hdf5"),
                         (f"{sweep} --resume ''", "--resume"), (f"{sweep} --cluster ''", "--cluster"),
                         ("train --model nano --steps 1 --data ''", "--data"), ("study pipeline --json ''", "--json"),
                         ("train --model nano --steps 1 --trace ''", "--trace"), ("report '' --out r.html", "RECORD"),
                         ("train --model nano --seed ''", "--seed"), ("train --log-every ''", "--log-every"),
                         (f"{sweep} -e ''", "--maxbytes"), ("train --dry-run --gflop-rate ''", "--gflop-rate")):
        outcome = place.shell(f"$S {line}")
        expect(outcome.code == 2 and one_line_with(f"{option}: nothing is given for it", outcome.err), line, outcome)
        expect(outcome.out == "" and place.files() == [], f"'{line}' does nothing", outcome)


def calibration_tells(place):
    """Every few seconds what is measured and how far it is, on stderr."""
    line = r"shardstone: \d+ s: {}part \d of \d, .+: \d+ of \d+ sizes measured\n"
    for command, prefix in (("calibrate --op all_reduce --largest 4K --seconds 0.5", ""),
                            ("collectives --op all_reduce --algorithm auto -b 4 -e 4K -f 32 -n 10 -c 0",
                             r"calibrating first \(not needed with --cluster\): ")):
        job = place.start(command, 2)
        told = any(re.search(line.format(prefix), said) for said in job.stderr)
        job.send_signal(signal.SIGINT)  # what comes after it is calibrate_command_test's and sweep_flags_test's
        job.communicate(timeout=60)
        expect(told, f"'{command}' says how far its calibration is")


def cores_of_a_description_are_told(place):
    """What was measured with ranks that share cores is no prediction of ranks that do not."""
    text = CLUSTER.read_text()
    core = min(os.sched_getaffinity(0))
    here = {True: f"taskset -c {core} {place.launcher} -n 2 $S", False: "$S"}
    for measured in (True, False):
        for shared in (True, False):
            place.path("m.toml").write_text(f"measured = {measured}\nshared_cores = {shared}\n".lower() + text)
            for share_here, launch in here.items():
                outcome = place.shell(f"{launch} collectives --algorithm ring -b 4 -e 4 -n 10 --cluster m.toml")
                expect(outcome.code == 0, f"{launch} with {measured}, {shared}", outcome)
                which = "share cores" if shared else "have cores of their own"
                said = f"# m.toml was measured with ranks that {which}, unlike these: calibrate again"
                unlike = measured and shared != share_here
                expect(outcome.out.count("unlike these") == unlike, f"{launch} with {measured}, {shared}", outcome)
                expect(not unlike or said in outcome.out, f"it says '{said}'", outcome)


def scripts_refuse_in_one_line(place):
    def ends(words, line, code=2):
        done = subprocess.run([str(word) for word in words], cwd=place.folder, text=True,
                              capture_output=True, timeout=60)
        outcome = Outcome(done.returncode, done.stdout, done.stderr)
        expect(outcome.code == code, f"{words[1:]} ends with {code}", outcome)
        expect(one_line_with(line, outcome.err), f"{words[1:]} says '{line}' in one line", outcome)

    peers = [sys.executable, "-B", ROOT / "benchmarks/training/peers/run"]
    ends([*peers, "--rounds", "0"], "--rounds 0: give at least 1")
    ends([*peers, "--rounds", "-2"], "--rounds -2")
    ends([*peers, "--core", "99999"], "--core 99999")
    ends([*peers, "--python", "/nonexistent"], "/nonexistent")
    oracle = [sys.executable, "-B", ROOT / "validation/numerics/pytorch_oracle.py"]
    ends([*oracle, "/nonexistent"], "/nonexistent/tensors.json' is missing")
    cluster = [ROOT / "jobs/virtual_cluster/cluster"]
    ends([*cluster, "up", "--rate", "quick"], "--rate quick")
    ends([*cluster, "up", "--nodes", "0"], "--nodes 0")
    ends([*cluster, "uo"], "unknown command 'uo'")
    ends([ROOT / "jobs/gpu_session", "--hlep"], "'--hlep'")
    for script in ("gpu_session", "quickstart", "test"):
        done = subprocess.run([ROOT / "jobs" / script, "--help"], capture_output=True, text=True, timeout=20,
                              cwd=place.folder, env={**os.environ, "OUT": str(place.path("out"))})
        expect(done.returncode == 0 and f"jobs/{script}" in done.stdout and done.stderr == "",
               f"jobs/{script} --help helps, and does nothing else",
               Outcome(done.returncode, done.stdout, done.stderr))
    expect(place.files() == [], f"nothing was written: {place.files()}")


def what_is_named_is_there(place):
    """Scripts and files of jobs that texts name exist."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode != 0:
        sys.exit(77)
    for name in listed.stdout.split():
        if name.startswith("validation/") or not (name.endswith((".md", ".cpp", ".hpp")) or
                                                  name.startswith("jobs/")):
            continue
        for word in re.findall(r"(?<![\w/])jobs/[\w/.-]*\w", (ROOT / name).read_text(errors="ignore")):
            expect((ROOT / word).exists(), f"{name} names {word}, which is there")


def values_out_of_range_are_named(place):
    """Where, and a value that is out of range: no number, or one beyond what the line says."""
    line = "train --model nano --global-batch 4 --steps 30 --clip 0 --warmup 0 --eval-sequences 0"
    seen = set()
    for options, ranks in (("--lr 1e3", 0), ("--lr 1e3 --reproducible", 2), ("--lr 1e18", 0),
                           ("--inject-overflow 2:1", 2), ("--lr 1e5 --optimizer sgd --plan dp=2,zero=1", 2)):
        outcome = place.run(f"{line} {options} --min-lr 0", ranks)
        expect(outcome.code == 3, f"'{options}' diverges", outcome)
        found = re.search(r"gradient out of range: rank \d+: [\w.]+\[\d+\] is (\S+?)"
                          r"(, beyond the (\d+) whose square can be summed)?$", outcome.out, re.MULTILINE)
        expect(found, f"'{options}' names the gradient", outcome)
        value = abs(float(found[1]))
        expect(value > int(found[3]) if found[3] else not value < math.inf, f"{found[0]} is out of range", outcome)
        expect(f"{found[0].split(': ', 2)[2]})" in outcome.out, "the check that fails repeats it", outcome)
        seen.add(bool(found[3]))
    expect(seen == {True, False}, "both kinds were seen")


def advice_on_memory_holds(place):
    """What is said to fit does."""
    for line, ranks in (("train --model nano --plan dp=2 --memory-limit 1M --global-batch 8 --steps 1", 2),
                        ("train --model gpt2-124m --plan dp=4 --memory-limit 3G --global-batch 16 --dry-run "
                         "--gflop-rate 10 --memory-rate 10", 0)):
        outcome = place.run(line, ranks)
        advised = re.findall(r"(?:use|or) (--.*?)(?:, the nearest| with )", outcome.err.split("admit: ")[-1])
        expect(outcome.code == 2 and advised, f"'{line}' is refused with advice", outcome)
        for options in advised:
            followed = re.sub(r"--plan \S+ ", "", line) if "--plan" in options else line
            place.succeeds(f"{followed} {options}", ranks)


main({each.__name__: each for each in (
    nearest_is_offered, list_obeys_operation, serial_commands_act_once, kernels_tell,
    definitions_are_in_help, empty_words_are_refused, calibration_tells, cores_of_a_description_are_told,
    values_out_of_range_are_named, advice_on_memory_holds,
    scripts_refuse_in_one_line, what_is_named_is_there)})
