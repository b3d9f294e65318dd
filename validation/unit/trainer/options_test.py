#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option of `shardstone train` acts: each is given to the real command, and what must follow
from it is found in the record, the trace or the hashes, never in the option as it was repeated.

    SHARDSTONE_BINARY=build/release/bin/shardstone options_test.py [OptionsOf...]
"""
import math
import pathlib
import re
import shutil
import unittest

from train_runs import FOLDER, Run, command_of, dry_run, shell, text, train

TESTED = set()


def acts(*options):
    """Marks the test of these options."""
    TESTED.update(options)
    return lambda test: test


def same_until_updated(a: Run, b: Run):
    return a.steps("loss")[0] == b.steps("loss")[0] and a.hashes()[2] != b.hashes()[2]


class Options(unittest.TestCase):
    def assert_changes_update(self, options, standard=None, common=None):
        """What acts in the optimizer alone: the first loss stays, the weights at the end do not.
        `standard`: giving the default changes nothing."""
        common = common or {}
        plain, changed = train(common), train({**common, **options})
        self.assertTrue(same_until_updated(plain, changed), f"{options} changed no weight")
        if standard:
            self.assertEqual(plain.hashes(), train({**common, **standard}).hashes(), standard)


class OptionsOfTheModel(Options):
    @acts("--model")
    def test_model(self):
        self.assertEqual(train().parameters(), 2 * (12 * 32**2 + 13 * 32) + 320 * 32 + 2 * 32)
        self.assertGreater(train({"--model": "tiny"}).parameters(), 2 * train().parameters())

    @acts("--layers", "--channels", "--vocabulary", "--context")
    def test_sizes(self):
        plain = train().parameters()
        self.assertEqual(train({"--layers": 3}).parameters() - plain, 12 * 32**2 + 13 * 32)
        self.assertEqual(train({"--vocabulary": 259}).parameters() - plain, 3 * 32)
        self.assertEqual(train({"--context": 69}).parameters() - plain, 5 * 32)
        c = 48
        self.assertEqual(train({"--channels": c}).parameters(),
                         2 * (12 * c**2 + 13 * c) + 320 * c + 2 * c)

    @acts("--heads")
    def test_heads(self):
        other = train({"--heads": 4})
        self.assertEqual(other.parameters(), train().parameters())
        self.assertNotEqual(other.hashes(), train().hashes())


class OptionsOfTheBatch(Options):
    def tokens(self, run):
        return [round(rate * time) for rate, time in
                zip(run.steps("tokens_per_s"), run.steps("time_s"))]

    @acts("--data")
    def test_data(self):
        other = train({"--data": text(2)})
        self.assertNotEqual(other.steps("loss"), train().steps("loss"))
        self.assertIn("seed 2", other.output)

    @acts("--global-batch", "--sequence", "--steps")
    def test_sizes(self):
        self.assertEqual(self.tokens(train()), [8 * 32] * 4)
        self.assertEqual(self.tokens(train({"--global-batch": 6})), [6 * 32] * 4)
        self.assertEqual(self.tokens(train({"--sequence": 24})), [8 * 24] * 4)
        self.assertEqual(self.tokens(train({"--steps": 7})), [8 * 32] * 7)
        first = [train(c).steps("loss")[0] for c in
                 ({}, {"--global-batch": 6}, {"--sequence": 24})]
        self.assertEqual(len(set(first)), 3)

    @acts("--micro-batch", "--micro-batches")
    def test_micro_batch(self):
        passes = {1: 8, 2: 4, 4: 2}
        for size, count in passes.items():
            one = train({"--micro-batch": size})
            self.assertEqual(len(one.events("forward")), count * 4 * 4, f"--micro-batch {size}")
            other = train({"--micro-batches": count})
            self.assertEqual(other.hashes(), one.hashes(), f"--micro-batches {count}")
            self.assertEqual(other.memory("activations"), one.memory("activations"))

    @acts("--shortest")
    def test_shortest(self):
        self.assertNotEqual(train({"--shortest": 5}).steps("loss")[0], train().steps("loss")[0])
        self.assertEqual(train({"--shortest": 32}).hashes(), train().hashes())

    @acts("--seed")
    def test_seed(self):
        self.assertEqual(train({"--seed": 1}).hashes(), train().hashes())
        self.assertNotEqual(train({"--seed": 2}).steps("loss")[0], train().steps("loss")[0])
        # Of losses, of gradients and of parameters: each hash is of what it says.
        for ours, others in zip(train().hashes(), train({"--seed": 2}).hashes(), strict=True):
            self.assertNotEqual(ours, others)

    @acts("--eval-every")
    def test_eval_every(self):
        self.assertEqual(train().tables["evaluations"]["step"], [4])
        self.assertEqual(train({"--eval-every": 2, "--steps": 5}).tables["evaluations"]["step"],
                         [2, 4, 5])

    @acts("--eval-sequences")
    def test_eval_sequences(self):
        losses = [train({"--eval-sequences": n}).tables["evaluations"]["validation_loss"][-1]
                  for n in (1, 2, 4)]
        self.assertEqual(len(set(losses)), 3)
        self.assertNotIn("evaluations", train({"--eval-sequences": 0}).tables)


class OptionsOfThePlan(Options):
    @acts("--plan")
    def test_plan(self):
        """Each axis by what a rank holds: all weights, half of them, one of two blocks and the
        final norm or embeddings, a share under ZeRO."""
        whole = train().parameters()
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).parameters(), whole)
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).hashes(), train().hashes())
        self.assertLess(train({"--plan": "tp=2"}, ranks=2).parameters(), 0.6 * whole)
        self.assertLess(train({"--plan": "pp=2"}, ranks=2).parameters(), 0.8 * whole)
        plain = train({"--plan": "dp=2"}, ranks=2)
        sharded = {1: "optimizer", 2: "gradients", 3: "weights"}
        for stage, name in sharded.items():
            run = train({"--plan": f"dp=2,zero={stage}"}, ranks=2)
            below = train({"--plan": f"dp=2,zero={stage - 1}"}, ranks=2) if stage > 1 else plain
            self.assertNotEqual(run.memory(name), below.memory(name), f"zero={stage}")
        rows = [train({"--plan": f"tp=2,sp={sp}"}, ranks=2).memory("activations") for sp in (0, 1)]
        self.assertLess(rows[1], rows[0])

    @acts("--schedule")
    def test_schedule(self):
        """GPipe keeps all micro-batches, 1F1B as many as there are stages."""
        kept = {name: train({"--plan": "pp=2", "--schedule": name}, ranks=2).memory("activations")
                for name in ("1f1b", "gpipe")}
        self.assertGreater(kept["gpipe"], 3 * kept["1f1b"])

    @acts("--chunks")
    def test_chunks(self):
        """Two chunks on two stages: three borders instead of one."""
        plan = {"--plan": "pp=2", "--layers": 4}
        one = train({**plan, "--schedule": "1f1b"}, ranks=2)
        two = train({**plan, "--schedule": "interleaved", "--chunks": 2}, ranks=2)
        self.assertEqual(len(two.events("send", "b")), 3 * len(one.events("send", "b")))

    @acts("--stage-layers")
    def test_stage_layers(self):
        block = 12 * 32**2 + 13 * 32
        plan = {"--plan": "pp=2", "--layers": 4}
        even = train(plan, ranks=2).parameters()
        for layers, more in (("1,3", -1), ("3,1", 1)):
            run = train({**plan, "--stage-layers": layers}, ranks=2)
            self.assertEqual(run.parameters() - even, more * block, layers)

    @acts("--recompute")
    def test_recompute(self):
        kept = {kind: train({"--recompute": kind}) for kind in ("none", "selective", "full")}
        sizes = [kept[kind].memory("activations") for kind in ("none", "selective", "full")]
        self.assertGreater(sizes[0], sizes[1])
        self.assertGreater(sizes[1], sizes[2])
        self.assertEqual(len({run.hashes() for run in kept.values()}), 1)

    @acts("--freeze")
    def test_freeze(self):
        norms = [train(c).steps("gradient_norm")[0] for c in
                 ({}, {"--freeze": "token_embedding"}, {"--freeze": "token_embedding,blocks.1."})]
        self.assertGreater(norms[0], norms[1])
        self.assertGreater(norms[1], norms[2])

    @acts("--memory-limit")
    def test_memory_limit(self):
        for words in ([], ["--dry-run"]):
            code, _, errors = shell(command_of({"--memory-limit": "100K"}) + words)
            self.assertEqual(code, 2)
            self.assertIn("limit of 100 KiB", errors)
        self.assertEqual(train({"--memory-limit": "64M"}).hashes(), train().hashes())


class OptionsOfThePrediction(Options):
    @staticmethod
    def seconds(output, part):
        number, unit = re.search(rf"^ *{part} +([\d.]+) (\w+)", output, re.MULTILINE).groups()
        return float(number) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]

    @acts("--dry-run", "--gflop-rate", "--memory-rate")
    def test_rates(self):
        plain = dry_run({"--plan": "dp=4"})
        self.assertIn("predicted step", plain)
        self.assertNotIn("validation", plain)
        fast = dry_run({"--plan": "dp=4", "--gflop-rate": "20"})
        self.assertLess(self.seconds(fast, "passes"), 0.9 * self.seconds(plain, "passes"))
        wide = dry_run({"--plan": "dp=4", "--memory-rate": "20"})
        self.assertAlmostEqual(self.seconds(plain, "norm and update") /
                               self.seconds(wide, "norm and update"), 2.0, delta=0.02)

    @acts("--cluster")
    def test_cluster(self):
        clusters = str(pathlib.Path(__file__).parents[3] / "jobs" / "clusters") + "/"
        plain = dry_run({"--plan": "dp=8"})
        slow = dry_run({"--plan": "dp=8",
                        "--cluster": clusters + "dgx-h100-rails.toml"})
        self.assertIn("dgx-h100", slow)
        self.assertNotIn("dgx-h100", plain)
        self.assertNotEqual(re.findall("exposed.*", plain), re.findall("exposed.*", slow))

    @acts("--timeline")
    def test_timeline(self):
        dry_run({"--plan": "pp=2", "--timeline": "step.svg"})
        self.assertIn("<svg", (FOLDER / "step.svg").read_text())


class OptionsOfThePrecision(Options):
    @acts("--precision")
    def test_precision(self):
        losses = {}
        for name in ("fp32", "bf16", "bf16-pure", "bf16-stochastic", "fp16", "fp8"):
            run = train({"--precision": name})
            losses[name] = tuple(run.steps("loss"))
            self.assertEqual(run.memory("weights"),
                             train().memory("weights") // (1 if name == "fp32" else 2), name)
        self.assertEqual(len(set(losses.values())), len(losses))

    @acts("--gradient-wire")
    def test_gradient_wire(self):
        sent = {wire: train({"--plan": "dp=2", "--reproducible": False, "--gradient-wire": wire},
                            ranks=2).sent() for wire in ("full", "bf16")}
        self.assertAlmostEqual(sent["bf16"] / sent["full"], 0.5, delta=0.01)

    @acts("--loss-scale", "--scale-growth")
    def test_loss_scale(self):
        scaled = {"--precision": "fp16", "--loss-scale": 512}
        self.assertEqual(train(scaled).steps("loss_scale"), [512] * 4)
        self.assertEqual(train({**scaled, "--scale-growth": 2}).steps("loss_scale"),
                         [512, 512, 1024, 1024])

    @acts("--inject-overflow")
    def test_inject_overflow(self):
        run = train({"--precision": "fp16", "--plan": "dp=2", "--inject-overflow": "2:1"}, ranks=2)
        self.assertEqual(run.steps("skipped"), [0, 1, 0, 0])
        self.assertRegex(run.output, r"2 gradient not finite: rank 1: .* is inf")


class OptionsOfTheOptimizer(Options):
    @acts("--optimizer")
    def test_optimizer(self):
        names = ("adamw", "sgd", "momentum", "nesterov", "lamb", "lars")
        runs = {name: train({"--optimizer": name}) for name in names}
        self.assertEqual(len({run.hashes()[2] for run in runs.values()}), len(names))
        kept = {name: run.memory("optimizer") // run.memory("weights")
                for name, run in runs.items()}
        self.assertEqual(kept, {"adamw": 2, "sgd": 0, "momentum": 1, "nesterov": 1, "lamb": 2,
                                "lars": 1})

    def rates(self, changes):
        return train({"--steps": 6, "--warmup": 2, **changes}).steps("learning_rate")

    def assert_rates(self, changes, expected):
        for got, rate in zip(self.rates(changes), expected, strict=True):
            self.assertAlmostEqual(got / rate, 1.0, delta=1e-12, msg=str(changes))

    @staticmethod
    def cosine(peak, least):
        """Two steps of warm-up, then down over four."""
        down = [least + 0.5 * (peak - least) * (1 + math.cos(math.pi * k / 4))
                for k in range(5)]
        return [peak / 2] + down

    @acts("--lr", "--min-lr", "--lr-shape")
    def test_rates(self):
        self.assert_rates({}, self.cosine(1e-3, 1e-4))
        self.assert_rates({"--lr": 0.02}, self.cosine(0.02, 0.002))
        self.assert_rates({"--min-lr": 3e-4}, self.cosine(1e-3, 3e-4))
        self.assert_rates({"--lr-shape": "constant"}, [5e-4] + [1e-3] * 5)
        # A rate is not only noted.
        for change in ({"--lr": 0.02}, {"--min-lr": 3e-4}, {"--lr-shape": "constant"}):
            self.assert_changes_update(change, common={"--steps": 6, "--warmup": 2})

    @acts("--warmup")
    def test_warmup(self):
        self.assert_rates({"--warmup": 4}, [2.5e-4, 5e-4, 7.5e-4, 1e-3, 5.5e-4, 1e-4])
        self.assert_rates({"--warmup": 100}, [1e-3 * k / 6 for k in range(1, 6)] + [1e-4])

    @acts("--scale-rate", "--base-batch")
    def test_scaling(self):
        for scaling, base, factor in (("linear", 4, 2.0), ("sqrt", 4, math.sqrt(2.0)),
                                      ("linear", 2, 4.0), ("sqrt", 16, math.sqrt(0.5))):
            self.assert_rates({"--scale-rate": scaling, "--base-batch": base},
                              self.cosine(factor * 1e-3, factor * 1e-4))

    @acts("--weight-decay", "--beta1", "--beta2", "--momentum", "--trust")
    def test_numbers(self):
        self.assert_changes_update({"--weight-decay": 0.3}, {"--weight-decay": 0.1})
        for kind in ("adamw", "lamb"):
            self.assert_changes_update({"--beta1": 0.5}, {"--beta1": 0.9}, {"--optimizer": kind})
            self.assert_changes_update({"--beta2": 0.5}, {"--beta2": 0.95}, {"--optimizer": kind})
        for kind in ("momentum", "nesterov", "lars"):
            self.assert_changes_update({"--momentum": 0.5}, {"--momentum": 0.9},
                                       {"--optimizer": kind})
        self.assert_changes_update({"--trust": 0.1}, {"--trust": 0.001}, {"--optimizer": "lars"})

    @acts("--clip")
    def test_clip(self):
        """Descent goes by the clipped gradient: a norm cut to a hundredth and a rate of a hundred
        times as much make the same step, but for rounding."""
        plain = {"--optimizer": "sgd", "--weight-decay": 0, "--lr-shape": "constant"}
        norm = train({**plain, "--clip": 0}).steps("gradient_norm")[0]
        clipped = train({**plain, "--clip": norm / 100, "--lr": 0.1})
        free = train({**plain, "--clip": 0, "--lr": 0.001})
        self.assertEqual(clipped.steps("gradient_norm")[0], norm)
        self.assertAlmostEqual(clipped.steps("loss")[1], free.steps("loss")[1], delta=1e-5)
        self.assertNotAlmostEqual(train({**plain, "--clip": 0, "--lr": 0.1}).steps("loss")[1],
                                  free.steps("loss")[1], delta=1e-3)


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
        self.assertIn("not visible", runs["mpi"].output)

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
        """A transfer begins before the last backward pass of its step ends, or none does; under
        ZeRO-2 and 3, whose gradients leave after every pass, none is under way while one begins."""
        for zero in ("", ",zero=1", ",zero=2", ",zero=3"):
            common = {"--plan": "dp=2" + zero, "--eval-sequences": 0, "--steps": 1}
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
        begins, ends = run.events("transfer", "b"), run.events("transfer", "e")
        passes = run.events("forward") + run.events("backward")
        return sum(any(begin < at < end for begin, end in zip(begins, ends)) for at in passes)

    @acts("--reproducible")
    def test_reproducible(self):
        self.assertEqual(train({"--plan": "dp=2"}, ranks=2).hashes(), train().hashes())
        self.assertNotIn("XXH3", train({"--reproducible": False}).output)
        self.assertGreater(train().memory("exact_sums"), 0)
        self.assertEqual(train({"--reproducible": False}).memory("exact_sums"), 0)


class OptionsOfTheOutput(Options):
    @acts("--log-every")
    def test_log_every(self):
        for every, lines in ((1, 9), (3, 5), (100, 2)):  # the first and the last always
            run = train({"--steps": 9, "--log-every": every})
            self.assertEqual(run.progress_lines(), lines, f"--log-every {every}")

    @acts("--json", "--hdf5", "--trace")
    def test_files(self):
        code, _, errors = shell(command_of({"--json": "own.json", "--trace": "own.trace",
                                            "--hdf5": "own.h5"}))
        self.assertEqual(code, 0, errors)
        self.assertIn('"derived"', (FOLDER / "own.json").read_text())
        self.assertTrue((FOLDER / "own.h5").read_bytes().startswith(b"\x89HDF"))
        self.assertIn('"ph"', (FOLDER / "own.trace").read_text())


    @acts("--export")
    def test_export(self):
        code, _, errors = shell(command_of({"--export": "exported"}))
        self.assertEqual(code, 0, errors)
        self.assertIn('"second_moment/blocks.0', (FOLDER / "exported/tensors.json").read_text())
        self.assertGreater((FOLDER / "exported/tensors.bin").stat().st_size, 0)


class EveryOption(unittest.TestCase):
    def test_has_a_test(self):
        _, text_of_help, _ = shell(["train", "--help"])
        options = set(re.findall(r"^ +(?:-\w,)?(--[a-z0-9-]+)", text_of_help, re.MULTILINE))
        self.assertGreater(len(options), 45)
        self.assertEqual(options - {"--help"} - TESTED, set(), "options without a test")
        self.assertEqual(TESTED - options, set(), "tests of options that are gone")


if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
