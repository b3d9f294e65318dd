// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/trainer/trainer.hpp"

namespace shardstone::reference {

/// Memory of one class on this rank: what is allocated beside what the sizes ask for.
struct MemoryClass {
    std::string name;
    std::int64_t measured_bytes = 0;
    std::int64_t formula_bytes = 0;

    /// |measured - formula| <= 2 % of the formula; the allowance is for alignment and bookkeeping.
    bool agrees() const;
};

/// weights 4 N, gradients 4 N, optimizer 8 N (AdamW's two moments), activations as
/// model/memory_formula.hpp gives them and, in reproducible mode, exact_sums 16 N, for N
/// parameters in FP32.
std::vector<MemoryClass> memory_by_class(Trainer& trainer, const TrainOptions& options);

}  // namespace shardstone::reference
