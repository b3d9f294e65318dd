// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "validation/equivalence/planted/mutant.hpp"

namespace shardstone::validation {

/// A comparison of loss curves would have to see a mutant by then, outside the band.
inline constexpr std::int64_t loss_steps = 50;
inline constexpr double loss_band = 0.02;

/// The loss of a training (Mutant::training()) in step `loss_steps`; `mutant` is empty for the
/// right program.
struct FinalLoss {
    std::string mutant;
    std::string training;
    double loss = 0.0;
};

/// One line of a file that the test programs of a run write together.
void append(const std::filesystem::path& file, const FinalLoss& loss);
std::vector<FinalLoss> read_losses(const std::filesystem::path& file);

/// The mutants, what the matrix sees of each, and what the band on the loss would have: Markdown.
/// Throws Error naming a mutant or a training whose loss is missing.
std::string loss_table(const std::vector<Mutant>& mutants, const std::vector<FinalLoss>& losses);

}  // namespace shardstone::validation
