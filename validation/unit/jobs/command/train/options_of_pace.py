# SPDX-License-Identifier: BSD-3-Clause
"""A paced training: its computations take the time of the device that was asked for, its messages are
those of a real one, and it claims no numbers."""
import re

from train_runs import FOLDER, Options, acts, dry_run, shell, train

PACED = {"--reproducible": False, "--eval-sequences": False}
COMPUTED = {"--reproducible": False, "--eval-sequences": 0}
# Every way of splitting, and every type that is sent: ranks, options.
LAYOUTS = [
    (3, {"--plan": "dp=3,zero=3", "--global-batch": 6}),
    (2, {"--plan": "dp=2,zero=1", "--gradient-wire": "bf16", "--optimizer": "lamb"}),
    (2, {"--plan": "tp=2,sp=1", "--precision": "bf16-stream"}),
    (2, {"--plan": "pp=2", "--micro-batches": 4, "--precision": "fp16", "--schedule": "zb-h1"}),
    (2, {"--plan": "cp=2", "--recompute": "full"}),
    (2, {"--plan": "cp=2", "--context-attention": "all-gather", "--precision": "bf16"}),
    (2, {"--plan": "ep=2", "--experts": 4, "--capacity": 1.25, "--top-k": 2}),
    (2, {"--plan": "tp=2", "--precision": "fp8"}),
]


class OptionsOfThePace(Options):
    def test_sends_what_a_real_training_sends(self):
        for ranks, layout in LAYOUTS:
            real = train({**COMPUTED, **layout}, ranks)
            paced = train({**PACED, **layout, "--pace": 1000}, ranks)
            for column in ("sent_bytes", "scheduled_bytes"):
                self.assertEqual(paced.tables["bytes"][column], real.tables["bytes"][column], layout)
            self.assertEqual(paced.tables["memory"], real.tables["memory"], layout)

    def test_claims_no_numbers(self):
        paced = train({**PACED, "--plan": "dp=2", "--pace": 1000}, 2)
        for column in ("loss", "gradient_norm", "learning_rate", "loss_scale", "skipped"):
            self.assertEqual(paced.steps(column), ["NaN"] * 4, column)
        for column in ("final_loss", "validation_loss", "entropy_rate"):
            self.assertEqual(paced.tables["summary"][column], ["NaN"], column)
        self.assertNotIn("nats", paced.output)
        self.assertNotIn("loss is finite", paced.output)
        self.assertRegex(paced.output, r"PACED    1000 GFLOP/s and 12.82 GB/s of memory on each rank")
        self.assertRegex(paced.output, r"speed +\d+ tokens/s, paced")

    @acts("--pace")
    def test_pace(self):
        """Each of two ranks takes half of a step's FLOP, at half the pace twice as long; those of norms
        and biases, 1.4 % of this model's, are in no product. Sleeping may take longer than asked for,
        not shorter."""
        def of(pace):
            run = train({**PACED, "--plan": "dp=2", "--pace": pace, "--pace-memory": 1000}, 2)
            summary = {name: values[0] for name, values in run.tables["summary"].items()}
            flop = summary["flop_per_token"] * summary["tokens_per_step"] / 2
            return run, summary, flop / (pace * 1e9)
        for pace in (1.0, 0.5):
            run, summary, compute_s = of(pace)
            self.assertGreater(compute_s, 0.02)
            self.assertGreaterEqual(summary["step_s"], 0.98 * compute_s)
            mean_s = summary["compute_s"] / summary["counted_steps"]
            self.assertLess(mean_s, 1.5 * compute_s)
            self.assertGreater(mean_s, 0.9 * compute_s)
            self.assertEqual(summary["core_peak_flop_per_s"], pace * 1e9)
            self.assertEqual(summary["busy_cores"], 2)
            self.assertEqual(summary["peak_arithmetic"], "paced devices")
            self.assertEqual(summary["mfu"], "NaN")
            spans = [end - begin for begin, end in self.passes(run)]
            self.assertGreater(sum(spans) * 1e-6, 0.9 * 4 * compute_s)

    @staticmethod
    def passes(run):
        return [(event["ts"], event["ts"] + event["dur"]) for event in run.trace
                if event.get("cat") in ("forward", "backward") and event["pid"] == 0]

    @acts("--pace-memory")
    def test_pace_memory(self):
        """AdamW reads four numbers and writes three, the norm reads one: 8 numbers per parameter."""
        run = train({**PACED, "--pace": 1000, "--pace-memory": 0.02})
        summary = {name: values[0] for name, values in run.tables["summary"].items()}
        optimizer_s = 8 * 4 * run.parameters() / 0.02e9
        self.assertGreater(optimizer_s, 0.03)
        mean_s = summary["optimizer_s"] / summary["counted_steps"]
        self.assertGreater(mean_s, 0.9 * optimizer_s)
        self.assertLess(mean_s, 1.5 * optimizer_s)

    @acts("--explain")
    def test_explain(self):
        """The parts of the last half of the steps, by the trace: they add up to what the steps took, of
        passes is what their FLOP take, and the prediction is the dry run's."""
        layout = {**PACED, "--plan": "dp=2", "--pace": 1.0, "--pace-memory": 0.05, "--steps": 6,
                  "--micro-batch": 1}
        run = train({**layout, "--explain": None}, 2)
        gap = {part: row for part, *row in zip(*run.tables["gap"].values())}
        self.assertEqual(list(run.tables["gap"]), ["part", "time_s", "time_s_low", "time_s_high",
                                                   "predicted_s", "split_steps"])
        self.assertEqual({row[4] for row in gap.values()}, {3})
        total = sum(row[0] for row in gap.values())
        took = sum(run.steps("time_s")[-3:]) / 3
        self.assertLess(abs(total / took - 1), 0.05)
        summary = {name: values[0] for name, values in run.tables["summary"].items()}
        passes_s = summary["flop_per_token"] * summary["tokens_per_step"] / 2 / 1e9
        self.assertGreater(gap["useful passes"][0], 0.95 * passes_s)
        self.assertLess(gap["useful passes"][0], 1.5 * passes_s)
        optimizer_s = 8 * 4 * run.parameters() / 0.05e9
        self.assertAlmostEqual(gap["optimizer"][3], optimizer_s, places=6)
        predicted = sum(row[3] for row in gap.values())
        line = re.search(r"predicted step: ([0-9.]+) ms", dry_run(
            {**layout, "--gflop-rate": False, "--memory-rate": False}))
        self.assertLess(abs(predicted * 1e3 / float(line[1]) - 1), 0.01)
        said = re.search(r"predicted: steps of up to ([0-9.]+) ms", run.output)
        self.assertLess(abs(predicted * 1e3 / float(said[1]) - 1), 0.01)
        self.assertIn("where a step went", run.output)

    def test_is_the_machine_of_a_dry_run(self):
        changes = {**PACED, "--reproducible": False, "--gflop-rate": False, "--memory-rate": False}
        printed = dry_run({**changes, "--pace": 3, "--pace-memory": 7})
        self.assertIn("3.00 GFLOP/s in passes and 7 GB/s of memory per rank", printed)

    def test_paces_and_planted_losses_share_no_curve(self):
        records = []
        for name, more in (("plain", {}), ("slow", {"--pace-slow": "1:1.5"}),
                           ("input", {"--pace-input": 3})):
            records.append(str(FOLDER / f"paced-{name}.json"))
            train({**PACED, "--plan": "dp=2", "--pace": 156, "--json": records[-1], **more}, 2)
        code, said, errors = shell(["report", *records, "--out", str(FOLDER / "paced.html")])
        self.assertEqual(code, 0, errors)
        for planted in ("", ", slow rank 1:1.5", ", input 3 ms"):
            self.assertIn(f"'nano, fp32, paced 156 GFLOP/s, 2 GB/s{planted}' reaches", said)
        self.assertNotIn("loss of", said)

    def test_refuses_what_asks_for_numbers(self):
        for words, said in (("--eval-every 2", "nothing is computed that could be evaluated"),
                            ("--eval-sequences 8", "nothing is computed that could be evaluated"),
                            ("--reproducible", "nothing is computed that could be reproduced"),
                            ("--inject-overflow 1:0", "nothing is computed that could overflow"),
                            ("--precision fp64", "--pace with --precision fp64"),
                            ("--experts 4", "nothing is routed: add --capacity"),
                            ("--export there", "--pace excludes --export"),
                            ("--pace-slow 1:2", "--pace-slow 1:2: there are ranks 0 to 0"),
                            ("--pace-slow 0:0.5", "with a factor above 1"),
                            ("--pace-slow x", "--pace-slow 'x': give RANK:FACTOR")):
            code, _, errors = shell(["train", "--model", "nano", "--pace", "10", *words.split()])
            self.assertEqual(code, 2, words)
            self.assertIn(said, errors)
            self.assertEqual(len(re.findall("\n", errors.strip())), 0, errors)


class OptionsOfPlantedLosses(Options):
    @acts("--pace-input", "--pace-slow")
    def test_losses_are_found_in_their_parts(self):
        """Of two ranks: loading 8 micro-batches of 10 ms each; one rank slower by half. Each part is held to what a
        decomposition must reach: 15 % of the loss, in its own part and in any other."""
        layout = {**PACED, "--plan": "dp=2", "--pace": 1.0, "--pace-memory": 1000, "--steps": 6,
                  "--global-batch": 16, "--micro-batch": 1, "--explain": None}

        def parts(**planted):
            run = train({**layout, **{"--" + name.replace("_", "-"): value
                                      for name, value in planted.items()}}, 2)
            return {part: row[0] for part, *row in zip(*run.tables["gap"].values())}

        summary = {name: values[0] for name, values in train(layout, 2).tables["summary"].items()}
        passes_s = summary["flop_per_token"] * summary["tokens_per_step"] / 2 / 1e9
        self.assertGreater(passes_s, 0.05)
        plain, input_, slow = parts(), parts(pace_input=10), parts(pace_slow="1:1.5")
        # Those of norms and biases, 1.4 % of this model's FLOP, are in no product; and parts add up within 2 %.
        self.assertGreater(sum(input_.values()), 0.98 * (0.986 * passes_s + 0.08))
        self.assert_found(plain, input_, 0.08, {"input": 1.0})
        self.assertGreater(sum(slow.values()), 0.98 * 1.5 * 0.986 * passes_s)
        self.assert_found(plain, slow, 0.5 * passes_s, {"imbalance": 1.0})

    def assert_found(self, plain, planted, loss_s, shares):
        """Each part grows by its share of the loss."""
        for part, before_s in plain.items():
            grown_s = planted[part] - before_s
            self.assertLess(abs(grown_s - shares.get(part, 0.0) * loss_s), 0.15 * loss_s, part)
