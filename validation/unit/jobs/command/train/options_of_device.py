# SPDX-License-Identifier: BSD-3-Clause
"""What `shardstone train` computes on. Without a GPU there is no more to see than what is refused, and why:
what a GPU computes is held against the host in validation/equivalence/device."""
import os
from unittest import mock

from train_runs import Options, acts, command_of, dry_run, shell, train

NO_GPU = mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": ""})


class OptionsOfTheDevice(Options):
    def assert_refused(self, changes, reason, ranks=1):
        with NO_GPU:
            code, _, errors = shell(command_of({"--device": "cuda", **changes}), ranks)
        self.assertEqual(code, 2, errors)
        self.assertIn(reason, errors)

    @acts("--device")
    def test_device(self):
        self.assertEqual(train({"--device": "cpu"}).hashes(), train().hashes())
        self.assert_refused({}, "--device cuda: no NVIDIA GPU was found: ")
        self.assert_refused({"--device": "tpu"}, "--device 'tpu': give cpu or cuda")
        self.assert_refused({}, "--device cuda: no NVIDIA GPU was found: ", ranks=2)
        self.assert_refused({"--trace": "t.json", "--graphs": None}, "--trace with --graphs: the actions of a graph are ")
        self.assert_refused({"--explain": None}, "omit it: the record has the parts of each step by the GPU's clock, "
                            "--trace has all actions, and --dry-run with a GPU's --gflop-rate and --memory-rate predicts them")
        self.assertIn("predicted step: ", dry_run({"--device": "cuda"}))  # by the rates that it is given
        self.assert_refused({"--memory-limit": "1G"}, "--memory-limit with --device cuda: ")
        for name in ("mpi", "auto"):
            self.assert_refused({"--all-reduce": name}, f"--device cuda with --all-reduce {name}: ", ranks=2)
        self.assert_refused({"--precision": "fp64"}, "--device cuda with --precision fp64")

    @acts("--graphs")
    def test_graphs(self):
        code, _, errors = shell(command_of({"--graphs": None}))
        self.assertEqual(code, 2, errors)
        self.assertIn("--graphs: cores have none; add --device cuda", errors)
        self.assert_refused({"--graphs": None, "--experts": "2"}, "--graphs with --experts 2: ")
        # That a GPU takes them and trains to the same losses: validation/use/device_test.py.

    @acts("--tf32")
    def test_tf32(self):
        code, _, errors = shell(command_of({"--tf32": None}))
        self.assertEqual(code, 2, errors)
        self.assertIn("--tf32: cores have no such products; add --device cuda", errors)
        self.assert_refused({"--tf32": None, "--precision": "bf16"}, "--tf32 with --precision bf16: ")
        # That a GPU's products round so, and its peak is of such products: validation/use/device_test.py.

    def test_kernels_say_that_there_is_no_gpu(self):
        with NO_GPU:
            code, _, errors = shell(["kernels", "--device", "cuda"])
        self.assertEqual(code, 2, errors)
        self.assertIn("--device cuda: no NVIDIA GPU was found: ", errors)
