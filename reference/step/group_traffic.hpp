// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "collectives/operation/algorithm.hpp"
#include "reference/step/step_program.hpp"

namespace shardstone::reference {

/// Bytes on the wire per parameter or element of the stream: 4 or 8, 16 for exact sums, 2 for what
/// is stored in a narrow type.
struct WireSizes {
    std::int64_t element = 4;  ///< the residual stream and sums of it
    std::int64_t gradient = 4;
    std::int64_t stored = 4;             ///< weights, and what products read
    std::int64_t replicas_gradient = 4;  ///< between replicas

    /// What training that computes in FP32 (element 4) or FP64 (8) sends.
    static WireSizes of(const StepSpec& spec, std::int64_t element_bytes) {
        const std::int64_t gradient = spec.reproducible ? 16 : element_bytes;
        const Storage wire = spec.communication.gradient_wire;
        return {element_bytes, gradient, storage_bytes(spec.precision.storage, element_bytes),
                storage_bytes(wire, gradient)};
    }
};

/// A collective on `rows` rows of `row_bytes` bytes each; shares are made of whole rows.
struct GroupTraffic {
    GroupTransfer::Operation operation = GroupTransfer::Operation::all_reduce;
    std::int64_t rows = 0;
    std::int64_t row_bytes = 0;

    auto operator<=>(const GroupTraffic&) const = default;
};

GroupTraffic traffic_of(const GroupTransfer& transfer, const WireSizes& sizes);

/// Bytes of a message between stages.
std::int64_t stream_bytes(const StepSpec& spec, const ModelPart& part, const WireSizes& sizes);

/// How the trainer runs it on a group of so many ranks.
collectives::Algorithm algorithm_of(const StepSpec& spec, const GroupTraffic& traffic);
collectives::CollectiveSpec collective_spec(const GroupTraffic& traffic, int ranks);

}  // namespace shardstone::reference
