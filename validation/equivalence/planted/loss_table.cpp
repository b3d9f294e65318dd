// SPDX-License-Identifier: BSD-3-Clause
// A page on planted bugs: what the matrix sees, and which ones a band on the loss would miss.
#include "validation/equivalence/planted/loss_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace {

double loss_of(const std::vector<FinalLoss>& losses, const std::string& mutant,
               const std::string& training) {
    const auto found = std::ranges::find_if(losses, [&](const FinalLoss& one) {
        return one.mutant == mutant && one.training == training;
    });
    require(found != losses.end(), [&] {
        return fmt::format("no loss of mutant '{}' in '{}' was noted", mutant, training);
    });
    return found->loss;
}

constexpr const char* introduction =
    R"(# Planted bugs

Written by `validation/equivalence/planted/write_table`; do not edit.

Each bug is one line: of the step program (`program_mutants.cpp`), which the checker refuses, or of
a source (`code_mutants.json`), whose changed copy is linked into a test program of its own. Every
one is caught by the equivalence matrix within two steps, and the tests `planted*` assert step and
tensor of the first difference as listed here; where several ranks hold a tensor, that may be that
they no longer agree.

The losses are those of step {} of the matrix's training (FP32, AdamW where no other optimizer is named, at a rate of 1e-3 with
clipping at norm 1, reproducible sums, 24 sequences of 16 tokens in 61 symbols), which begins at
ln 61 = 4.11, with the bug and without, in the same layout on the same sequences. *Missed*: they
are no more than {:.0f} % apart, so that a comparison of loss curves with such a band would have
passed the bug. **{} of {} are missed.**

)";

}  // namespace

void append(const std::filesystem::path& file, const FinalLoss& loss) {
    std::ofstream(file, std::ios::app)
        << nlohmann::json{{"mutant", loss.mutant}, {"training", loss.training}, {"loss", loss.loss}}
        << '\n';
}

std::vector<FinalLoss> read_losses(const std::filesystem::path& file) {
    std::ifstream lines(file);
    std::vector<FinalLoss> losses;
    for (std::string line; std::getline(lines, line);) {
        const auto entry = nlohmann::json::parse(line);
        losses.push_back({entry.at("mutant"), entry.at("training"), entry.at("loss")});
    }
    return losses;
}

std::string loss_table(const std::vector<Mutant>& mutants, const std::vector<FinalLoss>& losses) {
    std::string rows =
        "| bug | planted in | layout | first difference | loss | with the bug | apart | band |\n"
        "| --- | --- | --- | --- | ---: | ---: | ---: | --- |\n";
    std::size_t missed = 0;
    for (const Mutant& mutant : mutants) {
        const double right = loss_of(losses, "", mutant.training());
        const double wrong = loss_of(losses, mutant.name, mutant.training());
        const double apart = wrong / right - 1.0;
        const bool is_missed = std::abs(apart) <= loss_band;
        missed += is_missed ? 1 : 0;
        rows +=
            fmt::format("| `{}`: {} | {} | {} | {} | {:.4f} | {:.4f} | {:+.2f} % | {} |\n",
                        mutant.name, mutant.bug, mutant.place, mutant.training(), mutant.difference,
                        right, wrong, 100.0 * apart, is_missed ? "missed" : "seen");
    }
    return fmt::format(fmt::runtime(introduction), loss_steps, 100.0 * loss_band, missed,
                       mutants.size()) +
           rows;
}

}  // namespace shardstone::validation
