# SPDX-License-Identifier: BSD-3-Clause
"""Options of `shardstone train` that make a mixture of experts of every block."""
import re

from train_runs import Options, acts, command_of, shell, train

EXPERTS = {"--experts": 4, "--top-k": 2}


def router(options, column, ranks=1):
    return train({**EXPERTS, **options}, ranks=ranks).tables["router"][column]


class OptionsOfTheExperts(Options):
    @acts("--experts")
    def test_experts(self):
        c = 32

        def parameters(experts):
            block = 4 * c**2 + 8 * c + experts * (8 * c**2 + 5 * c) + experts * c
            return 2 * block + 320 * c + 2 * c
        for experts in (2, 5):
            self.assertEqual(train({"--experts": experts}).parameters(), parameters(experts))
        self.assertNotIn("router", train().tables)
        self.assertEqual(router({}, "step"), [1, 2, 3, 4])

    def test_the_number_that_is_advised_is_accepted(self):
        plan = {"--plan": "ep=2", "--capacity": 1, "--global-batch": 2, "--steps": 1}
        code, _, errors = shell(command_of({**plan, "--experts": 3}), 2)
        self.assertEqual(code, 2)
        advised = re.findall(r"; use --experts (\d+)$", errors.strip())
        self.assertEqual(advised, ["4"], errors)
        self.assertEqual(len(train({**plan, "--experts": int(advised[0])}, ranks=2).steps("loss")), 1)

    @acts("--top-k")
    def test_top_k(self):
        # Each of 2 ranks has 4 sequences of 32 tokens, of which each has K rows of 32 channels for experts.
        # Half of them are elsewhere: 2 blocks send these there and back and so their gradients, 4 steps.
        plan = {"--plan": "ep=2", "--capacity": 1, "--reproducible": False, "--eval-sequences": 0}
        sent = {k: train({**EXPERTS, **plan, "--top-k": k}, ranks=2).sent() for k in (1, 2)}
        self.assertEqual(sent[2] - sent[1], 2 * (4 * 32 // 2) * (32 * 4) * 2 * 4 * 4)

    @acts("--capacity")
    def test_capacity(self):
        self.assertEqual(router({}, "dropped_share"), [0] * 4)
        self.assertEqual(router({"--capacity": 2}, "dropped_share"), [0] * 4)  # K T / E each, twice: all
        for share in router({"--capacity": 0.5}, "dropped_share"):
            self.assertGreaterEqual(share, 0.5)
            self.assertLess(share, 0.75)

    def test_what_is_printed_of_the_last_step_is_recorded(self):
        run = train({**EXPERTS, "--capacity": 0.5})
        said = re.search(r"balance loss (\S+) \(1: balanced\), z-loss (\S+), (\S+) % of choices dropped at the "
                         r"last step\n", run.output)
        self.assertIsNotNone(said, run.output)
        last = {name: values[-1] for name, values in run.tables["router"].items()}
        self.assertAlmostEqual(float(said[1]), last["balance_loss"], delta=0.51e-4)
        self.assertAlmostEqual(float(said[2]), last["router_z_loss"], delta=0.51e-3)
        self.assertAlmostEqual(float(said[3]), 100 * last["dropped_share"], delta=0.51e-2)

    @acts("--balance-loss", "--router-z-loss")
    def test_losses(self):
        for option, column in (("--balance-loss", "balance_loss"), ("--router-z-loss", "router_z_loss")):
            steps = {"--steps": 12, "--lr": 0.01}
            without, with_it = [router({**steps, option: weight}, column) for weight in (0, 1)]
            self.assertEqual(without[0], with_it[0])
            self.assertLess(with_it[-1], without[-1])
        # They are no part of the loss that is reported.
        losses = [train({**EXPERTS, "--balance-loss": weight}).steps("loss") for weight in (0, 1)]
        self.assertEqual(losses[0][0], losses[1][0])
        self.assertNotEqual(losses[0][-1], losses[1][-1])

    def test_padded_positions_are_routed_too(self):
        # No mean below what even use gives, whatever part of the positions counts for the loss.
        for options in ({}, {"--shortest": 4}):
            for balance in router({**options, "--balance-loss": 1}, "balance_loss"):
                self.assertGreater(balance, 1 - 1e-6)
                self.assertLess(balance, 1.5)

    def test_flop_leave_out_what_was_dropped(self):
        c, k = 32, 2
        run = train({**EXPERTS, "--capacity": 0.5})
        counted = int(run.tables["summary"]["counted_steps"][0])
        dropped = sum(run.tables["router"]["dropped_share"][-counted:]) / counted
        block = 4 * c**2 + 8 * c + 4 * c + k * (1 - dropped) * (8 * c**2 + 5 * c)
        self.assertAlmostEqual(run.tables["summary"]["flop_parameters"][0], 2 * block + 256 * c + 2 * c, delta=1e-6)
