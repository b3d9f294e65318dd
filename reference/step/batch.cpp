// SPDX-License-Identifier: BSD-3-Clause
// Refuses a global batch that replicas and micro-batches do not divide, and proposes one that fits.
#include "reference/step/batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "reference/step/mesh.hpp"

namespace shardstone::reference {

void require_divides(const BatchShape& batch, const ParallelPlan& plan) {
    require(batch.global_batch > 0 && batch.micro_batch > 0 && batch.sequence > 0, [&] {
        return fmt::format("global batch {}, micro-batch {} and sequence {} must all be positive",
                           batch.global_batch, batch.micro_batch, batch.sequence);
    });
    // So that whatever is multiplied from them can be counted.
    constexpr std::int64_t most_sequences = 1 << 24, most_positions = 1 << 20;
    require(batch.global_batch <= most_sequences, [&] {
        return fmt::format("--global-batch {}: give at most {} sequences", batch.global_batch,
                           most_sequences);
    });
    require(batch.sequence <= most_positions, [&] {
        return fmt::format("--sequence {}: give at most {} positions", batch.sequence,
                           most_positions);
    });
    require(batch.micro_batch <= batch.global_batch, [&] {
        return fmt::format(
            "micro-batches of {} are more than the global batch of {}: use at most "
            "--micro-batch {}",
            batch.micro_batch, batch.global_batch, batch.global_batch);
    });
    require(batch.shortest >= 0 && batch.shortest <= batch.sequence, [&] {
        return fmt::format("--shortest {} must lie between 0 and the sequence of {}",
                           batch.shortest, batch.sequence);
    });
    const auto nearest = [&](std::int64_t quantum) {
        return std::max<std::int64_t>(1, (batch.global_batch + quantum / 2) / quantum) * quantum;
    };
    const int shares = batch_shares(plan);
    require(batch.global_batch % shares == 0, [&] {
        return fmt::format(
            "a global batch of {} sequences cannot be divided among {} replicas (plan {}): the "
            "nearest that can is {}",
            batch.global_batch, shares, to_string(plan), nearest(shares));
    });
    const std::int64_t quantum = shares * batch.micro_batch;
    require(batch.global_batch % quantum == 0, [&] {
        return fmt::format(
            "{} sequences per replica (global batch {}, plan {}) cannot be divided into "
            "micro-batches of {}: the nearest global batch that can is {}",
            batch.global_batch / shares, batch.global_batch, to_string(plan), batch.micro_batch,
            nearest(quantum));
    });
}

}  // namespace shardstone::reference
