// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/collectives/accuracy/sum_error.hpp"
#include "kernels/base/element_type.hpp"
#include "validation/numerics/verdict.hpp"

namespace shardstone::validation {

/// How well an all-reduce adds up.
struct ReductionError {
    std::string algorithm;
    int ranks = 0;
    ElementType wire = ElementType::fp32;
    int depth = 0;  ///< additions on the longest path
    benchmarks::SumError error;
};

struct ReductionStudy {
    std::vector<int> ranks{2, 3, 4, 8, 16, 64};
    std::vector<ElementType> wires{ElementType::fp32, ElementType::bf16, ElementType::fp16};
    std::int64_t elements = 1024;
};

/// Every all-reduce that has a schedule, on every rank count in every wire type, against sums that
/// are known exactly (benchmarks/collectives/accuracy: inputs, error and bound are its). The
/// schedule is played in this process with the executor's own additions, so that it takes neither
/// MPI nor the ranks; that executors give those very bits is what `shardstone collectives
/// --accuracy` shows on real ranks. Says which algorithm comes next; once interrupted()
/// (interrupt.hpp), what there is by then. Local.
std::vector<ReductionError> reduction_errors(
    const ReductionStudy& study, const std::function<void(const std::string&)>& progress = {});

/// The largest error of a wire type as a share of its bound: pass up to 1. `subject`: the policy
/// whose gradients travel in it, or "wire TYPE".
PolicyFinding judge_reductions(const std::vector<ReductionError>& errors, ElementType wire,
                               const std::string& subject);

}  // namespace shardstone::validation
