// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "validation/equivalence/planted/mutant.hpp"
#include "validation/unit/reference/step/spoiler.hpp"

namespace shardstone::validation {

/// A bug in the step program: data, planted into every rank's right program. The checker refuses
/// it, so that it runs only where the checker is left out.
struct ProgramMutant {
    Mutant mutant;
    std::function<void(Spoiler&, const reference::Coordinates&)> plant;
    const char* refusal;  ///< words of the checker

    /// The spoilt program of one rank.
    reference::StepProgram program(const reference::StepSpec& spec, int rank) const;
};

const std::vector<ProgramMutant>& program_mutants();

}  // namespace shardstone::validation
