# SPDX-License-Identifier: BSD-3-Clause
"""Options of `shardstone train` that say in which numbers and by which steps: prediction, precision and
optimizer."""
import math
import pathlib
import re

from train_runs import FOLDER, Options, acts, dry_run, train


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
        clusters = str(pathlib.Path(__file__).parents[5] / "jobs" / "clusters") + "/"
        plain = dry_run({"--plan": "dp=8"})
        slow = dry_run({"--plan": "dp=8",
                        "--cluster": clusters + "dgx-h100-rails.toml"})
        self.assertIn("dgx-h100", slow)
        self.assertNotIn("dgx-h100", plain)
        self.assertNotEqual(re.findall("exposed.*", plain), re.findall("exposed.*", slow))

    def test_bytes(self):
        """Four replicas on one node, which is the default, and on nodes of one."""
        def total(changes):
            output = dry_run({"--plan": "dp=4", **changes})
            return [int(sent) for sent in
                    re.search(r"^ *total +(\d+) +(\d+)$", output, re.MULTILINE).groups()]

        inside, between = total({})
        self.assertGreater(inside, 0)
        self.assertEqual(between, 0)
        clusters = pathlib.Path(__file__).parents[5] / "jobs" / "clusters"
        described = (clusters / "cpu-virtual-4x4.toml").read_text()
        apart = FOLDER / "apart.toml"
        apart.write_text(described.replace("ranks_per_node = 4", "ranks_per_node = 1"))
        inside, between = total({"--cluster": apart})
        self.assertEqual(inside, 0)
        self.assertGreater(between, 0)

    @acts("--timeline")
    def test_timeline(self):
        dry_run({"--plan": "pp=2", "--timeline": "step.svg"})
        self.assertIn("<svg", (FOLDER / "step.svg").read_text())


class OptionsOfThePrecision(Options):
    @acts("--precision")
    def test_precision(self):
        losses = {}
        for name in ("fp32", "bf16", "bf16-stream", "bf16-pure", "bf16-stochastic", "fp16", "fp8"):
            run = train({"--precision": name})
            losses[name] = tuple(run.steps("loss"))
            self.assertEqual(run.memory("weights"),
                             train().memory("weights") // (1 if name == "fp32" else 2), name)
        self.assertEqual(len(set(losses.values())), len(losses))

    def test_narrow_stream(self):
        """Half the bytes between stages and tensor ranks: 4 steps of 8 micro-batches with 32 rows of 32
        channels; over a border there and back, or in 4 sums of each of two blocks and one each of
        embedding and head, in which two tensor ranks send 2 numbers for one."""
        for plan, rows in (("pp=2", 2), ("tp=2", 2 * (4 * 2 + 2))):
            sent = [train({"--plan": plan, "--eval-sequences": 0, "--precision": name}, ranks=2).sent()
                    for name in ("bf16", "bf16-stream")]
            self.assertEqual(sent[0] - sent[1], 4 * 8 * rows * 32 * 32 * 2, plan)

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
        self.assertRegex(run.output, r"2 gradient out of range: rank 1: .* is inf")


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
