# SPDX-License-Identifier: BSD-3-Clause
"""The table and the verdicts on planted times."""
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[5]
sys.path.insert(0, str(ROOT / "benchmarks/collectives/rivals"))
import summary

MIB = summary.MIB
LIBRARIES = {"mpich": "MPICH", "mpich posix": "MPICH", "openmpi": "Open MPI"}


def standings(times_us, ranks=2):
    """{size: {name: time in us}}, six like samples each."""
    result = summary.Standings(ranks, LIBRARIES)
    for size, entries in times_us.items():
        for name, time_us in entries.items():
            result.add(name, size, [time_us * 1e-6] * 6)
    return result


GOOD = {4: {"auto": 0.5, "mpich": 0.6, "openmpi": 0.5, "memory": 0.1},
        2 * MIB: {"direct": 40, "staged": 100, "auto": 100, "mpich": 300, "mpich posix": 260,
                  "openmpi": 250, "memory": 35, "prototype staged": 100, "prototype direct": 40},
        64 * MIB: {"direct": 5000, "staged": 9000, "auto": 9000, "mpich": 30000,
                   "openmpi": 25000, "memory": 4500}}


def verdicts(times_us, ranks=2, oversubscribed=False):
    found = summary.verdicts(standings(times_us, ranks), "direct", "staged", "auto", oversubscribed)
    return [verdict.passed for verdict in found]


def planted(size, name, time_us):
    return {**GOOD, size: {**GOOD[size], name: time_us}}


class Statistics(unittest.TestCase):
    def test_interval_is_that_of_the_harness(self):
        # The ranks of Le Boudec's table A.1 for 95 %; the C++ rule is held to the same.
        for count, ranks in {6: (1, 6), 9: (2, 8), 10: (2, 9), 70: (27, 44)}.items():
            samples = list(range(count, 0, -1))
            self.assertEqual(summary.median_interval(samples), ranks)
        self.assertIsNone(summary.median_interval([1.0] * 5))

    def test_interval_of_many_samples(self):
        low, high = summary.median_interval(range(20000))
        self.assertLess(low, 10000)
        self.assertLess(high - low, 400)

    def test_median(self):
        self.assertEqual(summary.median([3, 1, 2]), 2)
        self.assertEqual(summary.median([4, 1, 2, 3]), 2.5)


class Distances(unittest.TestCase):
    def test_cores_that_stay_where_they_are_make_one_table(self):
        self.assertEqual(summary.distances([]), [summary.Distance()])
        self.assertEqual(summary.distances([0.0] * 40), [summary.Distance()])
        one, = summary.distances([50e-9, 60e-9, 70e-9] * 20 + [1e-3])
        self.assertTrue(one.holds(55e-9) and one.holds(1e-3))
        self.assertEqual(one.heading(), "")

    def test_near_and_far_are_kept_apart(self):
        near, far = summary.distances([53e-9, 54e-9] * 20 + [310e-9] * 30 + [2e-6])
        self.assertTrue(near.holds(54e-9) and not near.holds(310e-9))
        self.assertTrue(far.holds(310e-9) and far.holds(2e-6) and not far.holds(54e-9))
        self.assertIn("apart (a cache line there and back in 310 ns)", far.heading())


class Ranking(unittest.TestCase):
    def test_ratio_is_to_the_best_setting_of_the_best_rival(self):
        known = standings(GOOD)
        self.assertAlmostEqual(known.ratio("direct", 2 * MIB), 250 / 40)
        self.assertAlmostEqual(known.ratio("direct", 2 * MIB, "MPICH"), 260 / 40)
        self.assertIsNone(known.ratio("direct", 4))

    def test_bus_bandwidth(self):
        # Two ranks: 2 (P - 1) / P is 1.
        self.assertAlmostEqual(standings(GOOD).busbw_gb_s(10**9, 1.0), 1.0)
        self.assertAlmostEqual(standings(GOOD, 8).busbw_gb_s(10**9, 1.0), 1.75)

    def test_bound_counts_with_its_best_round(self):
        known = standings(GOOD)
        known.add("memory", 2 * MIB, [90e-6] * 60)
        self.assertAlmostEqual(known.of_bound("direct", 2 * MIB), 35 / 40)
        # The row says what the shares are of, not the median of all rounds.
        bounds = [line for line in summary.table(known) if "memory bound" in line]
        self.assertTrue(any(" 35 us  best of 2 rounds" in line for line in bounds), bounds)

    def test_table_marks_the_best_rival_and_orders_by_time(self):
        times_us = {name: time_us for name, time_us in GOOD[2 * MIB].items()
                    if name not in summary.PROTOTYPES}
        lines = summary.table(standings({2 * MIB: times_us}))
        self.assertEqual([line[11:40].split("  ")[0].strip() for line in lines[1:]],
                         ["memory bound", "direct", "staged", "auto", "openmpi *", "mpich posix",
                          "mpich"])
        self.assertIn("best rival", lines[5])
        self.assertIn("6.25", lines[2])
        self.assertIn("88%", lines[2])


class Verdicts(unittest.TestCase):
    def test_all_hold(self):
        self.assertEqual(verdicts(GOOD), [True] * 8)

    def test_each_can_fail(self):
        plants = [(2 * MIB, "openmpi", 200), (2 * MIB, "memory", 20), (64 * MIB, "openmpi", 19000),
                  (64 * MIB, "memory", 3000), (64 * MIB, "staged", 20000), (4, "openmpi", 0.45),
                  (2 * MIB, "prototype staged", 95), (2 * MIB, "prototype direct", 38)]
        for place, plant in enumerate(plants):
            expected = [True] * 8
            expected[place] = False
            self.assertEqual(verdicts(planted(*plant)), expected, plant)

    def test_missing_is_not_passed(self):
        without = {size: {name: time for name, time in entries.items() if name != "auto"}
                   for size, entries in GOOD.items()}
        self.assertEqual(verdicts(without), [True] * 5 + [None] + [True] * 2)
        self.assertEqual(verdicts({4: GOOD[4]}), [None] * 5 + [True] + [None] * 2)

    def test_more_ranks_than_cores(self):
        times = {4: {"auto": 90, "mpich": 30000, "mpich posix": 9900, "openmpi": 50},
                 32768: {"auto": 200, "mpich": 30000, "openmpi": 300}}
        self.assertEqual(verdicts(times, 8, True), [True, True])
        self.assertEqual(verdicts(times, 32, True), [True, True])
        times[4]["auto"] = 200
        self.assertEqual(verdicts(times, 8, True), [False, True])
        self.assertEqual(verdicts(times, 32, True), [True, True])
        times[32768]["openmpi"] = 199
        self.assertEqual(verdicts(times, 32, True), [True, False])


class Again(unittest.TestCase):
    """The archive's tables are what the program makes of the archive's samples."""

    def run_again(self, *words):
        return subprocess.run([sys.executable, "-B", ROOT / "benchmarks/collectives/rivals/run", *words],
                              capture_output=True, text=True, check=False)

    def test_archived_tables_are_of_the_archived_samples(self):
        for ranks in (2, 8, 32):
            path = ROOT / f"results/archive/rivals/rivals-{ranks}"
            done = self.run_again("--again", f"{path}.json.gz")
            self.assertEqual(done.stdout, Path(f"{path}.txt").read_text(encoding="utf-8"), done.stderr)

    def test_other_files_are_refused(self):
        for path in ("/nonexistent", ROOT / "README.md", ROOT / "results/archive/peers/peers.json"):
            done = self.run_again("--again", path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{path} is nothing that --json wrote", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
