// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "validation/equivalence/planted/mutant.hpp"

namespace shardstone::validation {

// Collective over world() of validation/unit/mpi_test_main.hpp; all in FP32.

/// Fails the running test unless the mutant's layout, with the bug, differs from one rank first
/// where it should, within two steps.
void expect_caught(const Mutant& mutant,
                   const ProgramSource& source = reference::checked_step_program);

/// Appends the loss of the mutant's training after loss_steps to the file that the environment
/// variable SHARDSTONE_PLANTED_LOSSES names; without it the running test is skipped. The right
/// program has no name.
void note_loss(const Mutant& mutant, const ProgramSource& source = reference::checked_step_program);

}  // namespace shardstone::validation
