# SPDX-License-Identifier: BSD-3-Clause
"""Trainings whose ranks have to wait for a core: that is a part of its own of where their steps went."""
import contextlib
import os
import re
import subprocess
import sys

from train_runs import Options, train

EXPLAINED = {"--reproducible": False, "--eval-sequences": False, "--explain": None, "--steps": 16,
             "--gflop-rate": 10, "--memory-rate": 10, "--model": "tiny", "--bucket-size": False}


@contextlib.contextmanager
def one_core(rivals=0):
    """This process, and all that it starts, on one core, beside so many that keep it busy."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(rivals)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()
        os.sched_setaffinity(0, before)


def parts_of(run):
    return {part: row[0] for part, *row in zip(*run.tables["gap"].values())}


class OptionsOfSharedCores(Options):
    def assert_parts_are_the_clock(self, run):
        """Of the very steps that were split, as printed and as recorded."""
        split = run.tables["gap"]["split_steps"][0]
        self.assertEqual(split, 8)
        took = sum(run.steps("time_s")[-8:]) / 8
        self.assertLess(abs(sum(parts_of(run).values()) / took - 1), 1e-6)
        median_s = run.tables["summary"]["step_s"][0]
        for name, time_s in ((r"mean of the last 8 steps", took), ("median of all counted steps", median_s)):
            told = re.search(rf"\n    {name} +([0-9.]+) (.?s) +([0-9.]+) %", run.output)
            self.assertIsNotNone(told, run.output)
            told_s = float(told[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[told[2]]
            self.assertLess(abs(told_s / time_s - 1), 0.005)  # three digits
            self.assertLess(abs(float(told[3]) / 100 - time_s / took), 0.00051)

    def assert_parts_are_shares(self, run):
        """None is negative, and no step of which something is taken away is shorter than its useful passes."""
        parts = parts_of(run)
        step_s = sum(parts.values())
        for part, time_s in parts.items():
            self.assertGreaterEqual(time_s, -1e-9 * step_s, part)
        for change, time_s in zip(run.tables["what_if"]["change"], run.tables["what_if"]["step_s"]):
            self.assertGreaterEqual(time_s, (1 - 1e-9) * parts["useful passes"], change)

    def test_ranks_that_share_a_core_wait_for_it_not_for_their_links(self):
        """Two ranks that compute on one core each have it for half of the time. What their links take is no more
        than the description has of them, and faster ones gain no more than half of that."""
        with one_core():
            run = train({**EXPLAINED, "--plan": "dp=2", "--no-overlap": None}, 2)
        self.assert_parts_are_the_clock(run)
        self.assert_parts_are_shares(run)
        parts, gap = parts_of(run), run.tables["gap"]
        predicted = dict(zip(gap["part"], gap["predicted_s"]))
        step_s = sum(parts.values())
        self.assertGreater(parts["waiting for cores"], 0.3 * step_s, parts)
        self.assertEqual(predicted["waiting for cores"], 0)
        # Passes that are faster than the description's hide less of it than it says: all of it is the bound.
        links = ("latency", "bandwidth inside nodes", "bandwidth between nodes")
        described_s = sum(predicted[part] for part in (*links, "overlap off"))
        self.assertLessEqual(sum(parts[part] for part in links), 1.0001 * described_s, parts)
        self.assertGreater(predicted["bandwidth inside nodes"], 0)
        what_if = dict(zip(run.tables["what_if"]["change"], run.tables["what_if"]["step_s"]))
        faster_s = step_s - what_if["slowest links twice as fast"]
        # A replay is the step within 2 %, as its parts are.
        self.assertLess(faster_s, 0.5 * predicted["bandwidth inside nodes"] + 0.02 * step_s)
        self.assertLess(what_if["a core for every rank"], 0.75 * step_s)
        waits, ranks = run.tables["core_waits"], run.tables["rank_steps"]
        self.assertEqual((waits["step"], waits["rank"]), (ranks["step"], ranks["rank"]))
        for waited_s, took_s in zip(waits["waited_s"], ranks["time_s"]):
            self.assertLessEqual(waited_s, 1.02 * took_s)
        self.assertGreater(sum(waits["waited_s"]), 0.3 * sum(ranks["time_s"]))

    def saved_beyond_links(self, seed):
        """By what a change to links alone shortens the step more than all of them took of it, as a share of it."""
        with one_core():
            run = train({**EXPLAINED, "--model": "nano", "--plan": "dp=4", "--global-batch": 8, "--seed": seed}, 4)
        self.assert_parts_are_the_clock(run)
        self.assert_parts_are_shares(run)
        parts = parts_of(run)
        step_s = sum(parts.values())
        self.assertGreater(parts["waiting for cores"], 0.5 * step_s, parts)
        links_s = sum(time_s for part, time_s in parts.items() if part == "latency" or "nodes" in part)
        changed = dict(zip(run.tables["what_if"]["change"], run.tables["what_if"]["step_s"]))
        return max((step_s - changed[change] - links_s) / step_s
                   for change in ("slowest links twice as fast", "all links as described", "another all-reduce"))

    def test_links_save_no_more_than_they_took(self):
        """Four ranks on one core, whose transfers are hundreds of times as long as the links need. Each transfer
        alone is a thousandth of the step, and hides behind others as they behind it. Other programs may slow one
        run's messages themselves; waiting taken for links would be half of the step in every run."""
        beyond = [self.saved_beyond_links(seed=1)]
        while min(beyond) > 0.02 and len(beyond) < 3:
            beyond.append(self.saved_beyond_links(seed=len(beyond) + 1))
        self.assertLess(min(beyond), 0.02, beyond)

    def test_a_paced_run_does_not_claim_that_nothing_was_preempted(self):
        """It counts all by the wall clock: its parts tell what was waiting for cores."""
        with one_core():
            run = train({**EXPLAINED, "--model": "nano", "--plan": "dp=4", "--pace": 20, "--gflop-rate": False,
                         "--memory-rate": False}, 4)
        self.assertEqual(set(run.steps("preempted_s")), {0})
        self.assertIn(" %, preempted not counted (mean over ranks", run.output)
        self.assertIn("each is also waiting for cores", run.output)
        heads = re.findall(r"^ +step +tokens/s .*$", run.output, re.MULTILINE)
        self.assertEqual([line.split()[-1] for line in heads], ["optimizer"], run.output)
        lines = re.findall(r"^ +\d+ +\d+ +[0-9.]+ [mun]?s(?: +[0-9.]+){4}$", run.output, re.MULTILINE)
        self.assertEqual(len(lines), 16, run.output)
        self.assertGreater(parts_of(run)["waiting for cores"], 0)

    def test_a_rank_beside_other_programs_waits_for_its_core(self):
        """Three on one core: the rank has it for a third of the time; a busy machine can only take more."""
        with one_core(rivals=2):
            run = train({**EXPLAINED, "--plan": "dp=1"})
        self.assert_parts_are_the_clock(run)
        self.assert_parts_are_shares(run)
        parts = parts_of(run)
        self.assertGreater(parts["waiting for cores"], 0.4 * sum(parts.values()), parts)
        self.assertLess(parts["other"], 0.1 * sum(parts.values()), parts)
        self.assertEqual(run.tables["what_if"]["change"], ["a core for every rank"])
        spared_s = sum(parts.values()) - run.tables["what_if"]["step_s"][0]
        self.assertLess(abs(spared_s / parts["waiting for cores"] - 1), 1e-9)
