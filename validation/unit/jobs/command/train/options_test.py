#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option of `shardstone train` acts: each is given to the real command, and what must follow
from it is found in the record, the trace or the hashes, never in the option as it was repeated.

    SHARDSTONE_BINARY=build/release/bin/shardstone options_test.py [PART ...]    (every class is one)
"""
import re
import shutil
import unittest

from options_of_cores import *  # noqa: F401,F403
from options_of_device import *  # noqa: F401,F403
from options_of_experts import *  # noqa: F401,F403
from options_of_messages import *  # noqa: F401,F403
from options_of_numbers import *  # noqa: F401,F403
from options_of_pace import *  # noqa: F401,F403
from options_of_records import *  # noqa: F401,F403
from options_of_training import *  # noqa: F401,F403
from train_runs import FOLDER, TESTED, shell


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
