# SPDX-License-Identifier: BSD-3-Clause
"""Options of `shardstone train` that say what is sent and written: communication and output."""
import json
import re

from train_runs import FOLDER, Options, acts, command_of, shell, train


class OptionsOfTheCommunication(Options):
    @acts("--all-reduce")
    def test_all_reduce(self):
        """On three ranks a ring sends 4 vectors, recursive doubling 2 for the odd rank and 2 between
        the others, of which one is for the odd rank again."""
        common = {"--plan": "dp=3", "--global-batch": 6, "--eval-sequences": 3}
        runs = {name: train({**common, "--all-reduce": name}, ranks=3)
                for name in ("ring", "recursive_doubling", "mpi")}
        self.assertEqual(len({run.hashes() for run in runs.values()}), 1)
        self.assertNotEqual(runs["ring"].tables["bytes"]["sent_bytes"],
                            runs["recursive_doubling"].tables["bytes"]["sent_bytes"])
        self.assertIn("unknown: this all-reduce has no schedule", runs["mpi"].output)
        self.assertEqual(list(runs["mpi"].tables["bytes"]["sent_bytes"]), [])

    @acts("--bucket-size")
    def test_bucket_size(self):
        """Transfers of a step: the loss, the norm, and of each group as many as its size asks for."""
        groups = [2 * 32] + [12 * 32**2 + 13 * 32] * 2 + [64 * 32, 256 * 32]
        for size, elements in (("4K", 1024), ("20K", 5120), ("4M", 1 << 20)):
            run = train({"--plan": "dp=2", "--bucket-size": size, "--eval-sequences": 0}, ranks=2)
            buckets = sum(-(-group // elements) for group in groups)
            self.assertEqual(len(run.events("transfer", "b")), 4 * (buckets + 2), size)

    @acts("--no-overlap")
    def test_no_overlap(self):
        """A pass begins while a transfer is under way, or none does, under ZeRO-2 and 3 too, whose
        gradients leave after every pass. A transfer that finds its partner waiting is over before the
        next pass begins, so one of many steps on either rank is enough."""
        for zero in ("", ",zero=1", ",zero=2", ",zero=3"):
            common = {"--plan": "dp=2" + zero, "--eval-sequences": 0, "--steps": 8}
            for flag in (False, None):
                run = train({**common, "--no-overlap": flag}, ranks=2)
                beside = self.passes_beside_transfers(run)
                if flag is False:
                    self.assertGreater(beside, 0, f"{zero}: nothing overlaps")
                else:
                    self.assertEqual(beside, 0, f"{zero}: --no-overlap overlaps")
            hashes = {train({**common, "--no-overlap": flag}, ranks=2).hashes()
                      for flag in (False, None)}
            self.assertEqual(len(hashes), 1)

    @staticmethod
    def passes_beside_transfers(run):
        """Of both ranks; but for transfers of the loss and the norm, a few bytes each."""
        beside = 0
        for rank in range(2):
            begins, ends = ([event["ts"] for event in run.trace
                             if event.get("cat") == "transfer" and event["ph"] == phase
                             and event["pid"] == rank
                             and re.search("gradients|weights", event["name"])]
                            for phase in "be")
            passes = run.events("forward", rank=rank) + run.events("backward", rank=rank)
            beside += sum(any(begin < at < end for begin, end in zip(begins, ends))
                          for at in passes)
        return beside

    @acts("--reproducible")
    def test_reproducible(self):
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).hashes(), train().hashes())
        self.assertNotIn("XXH3                 losses", train({"--reproducible": False}).output)
        self.assertIn("XXH3                 losses", train().output)
        self.assertGreater(train().memory("exact_sums"), 0)
        self.assertEqual(train({"--reproducible": False}).memory("exact_sums"), 0)


class OptionsOfTheOutput(Options):
    @acts("--log-every")
    def test_log_every(self):
        for every, lines in ((1, 9), (3, 4), (100, 2)):  # the first and the last always
            run = train({"--steps": 9, "--log-every": every})
            self.assertEqual(run.progress_lines(), lines, f"--log-every {every}")

    @acts("--fail-on-outlier")
    def test_fail_on_outlier(self):
        """A check more, which a real stall fails (use/stall_test.py)."""
        name = "no sample was stalled and no rank stood still"
        for option, checks in ((False, 0), (None, 1)):
            shell(command_of({"--fail-on-outlier": option, "--json": f"outlier-{checks}.json"}))
            record = json.loads((FOLDER / f"outlier-{checks}.json").read_text())
            self.assertEqual([c["name"] for c in record["verification"]].count(name), checks)

    @acts("--stall-after")
    def test_stall_after(self):
        """What it does to a stopped rank: use/stalled_test.py."""
        self.assertEqual(shell(command_of({"--stall-after": "off"}))[0], 0)
        code, _, errors = shell(command_of({"--stall-after": "soon"}))
        self.assertEqual(code, 2)
        self.assertIn("give 1 to 1e+06 seconds, or off", errors)

    @acts("--json", "--hdf5", "--trace")
    def test_files(self):
        code, _, errors = shell(command_of({"--json": "own.json", "--trace": "own.trace",
                                            "--hdf5": "own.h5"}))
        self.assertEqual(code, 0, errors)
        self.assertIn('"derived"', (FOLDER / "own.json").read_text())
        self.assertIn(b"\x89HDF\r\n", (FOLDER / "own.h5").read_bytes())
        self.assertIn('"ph"', (FOLDER / "own.trace").read_text())

    @acts("--force")
    def test_force(self):
        words = command_of({"--json": "once.json"})
        self.assertEqual(shell(words)[0], 0)
        before = (FOLDER / "once.json").read_text()
        self.assertEqual(shell(words)[0], 2)
        self.assertEqual((FOLDER / "once.json").read_text(), before)
        self.assertEqual(shell(words + ["--force"])[0], 0)
        self.assertNotEqual((FOLDER / "once.json").read_text(), before)

    @acts("--export")
    def test_export(self):
        """Of every parameter its weight, its gradient and AdamW's two moments."""
        code, _, errors = shell(command_of({"--export": "exported"}))
        self.assertEqual(code, 0, errors)
        tensors = json.loads((FOLDER / "exported" / "tensors.json").read_text())["tensors"]
        names = {entry["name"] for entry in tensors}
        self.assertIn("weight/blocks.1.mlp.expansion.weight", names)
        self.assertGreaterEqual(len(names), 4 * (12 * 2 + 4))
        self.assertGreaterEqual((FOLDER / "exported" / "tensors.bin").stat().st_size,
                                4 * 4 * train().parameters())
