// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/batch.hpp"

#include <fmt/format.h>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

void require_divides(const BatchShape& batch, const ParallelPlan& plan) {
    require(batch.global_batch > 0 && batch.micro_batch > 0 && batch.sequence > 0, [&] {
        return fmt::format("global batch {}, micro-batch {} and sequence {} must all be positive",
                           batch.global_batch, batch.micro_batch, batch.sequence);
    });
    require(batch.global_batch % plan.data == 0, [&] {
        return fmt::format(
            "a global batch of {} sequences does not divide over plan {}: choose a "
            "multiple of {}",
            batch.global_batch, to_string(plan), plan.data);
    });
    const std::int64_t share = batch.global_batch / plan.data;
    require(share % batch.micro_batch == 0, [&] {
        return fmt::format(
            "{} sequences per replica (global batch {}, plan {}) do not divide into "
            "micro-batches of {}",
            share, batch.global_batch, to_string(plan), batch.micro_batch);
    });
}

}  // namespace shardstone::reference
