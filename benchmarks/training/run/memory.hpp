// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/step/memory_model.hpp"
#include "reference/trainer/trainer.hpp"

namespace shardstone::benchmarks {

/// Memory of one class on this rank: the actual allocation and the one expected from the sizes.
struct MemoryClass {
    std::string name;
    std::int64_t measured_bytes = 0;
    std::int64_t formula_bytes = 0;
    std::int64_t fp32_bytes = 0;  ///< by the formula for the same plan in FP32

    /// |measured - formula| <= 2 % of the formula; the allowance is for alignment.
    bool agrees() const;
};

/// Memory of a rank by the formulas, and of the same plan in FP32; nothing is measured. Local.
std::vector<MemoryClass> predicted_beside_fp32(const reference::TrainOptions& options, int rank,
                                               const reference::MemoryOptions& memory);
/// Savings of a precision by class, in one line: "4.1 % less than FP32: weights -237 MiB, ...".
std::string saving_in_words(const std::vector<MemoryClass>& classes);

/// The classes of predicted_memory() for this rank, with the trainer's actual allocation of each;
/// what it has allocated besides is bookkeeping.
template <class Real, class Space>
std::vector<MemoryClass> memory_by_class(reference::Trainer<Real, Space>& trainer,
                                         const reference::TrainOptions& options);

extern template std::vector<MemoryClass> memory_by_class(reference::Trainer<float>&,
                                                         const reference::TrainOptions&);
extern template std::vector<MemoryClass> memory_by_class(reference::Trainer<double>&,
                                                         const reference::TrainOptions&);

}  // namespace shardstone::benchmarks
