// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a rank's share of the experts of a block.
#pragma once

#include <cstdint>

#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// The E experts of every block are distributed among P expert ranks; each rank has positions of
/// its own, K rows of each of which go to experts and return. In a rank's send buffer the rows of
/// one expert are contiguous, with the experts in ascending order; in its receive buffer the rows
/// from one rank are contiguous, ordered likewise.
///
/// With a capacity every expert has a fixed number of rows of every sequence, whether or not they
/// are all used, and all sizes are known in advance. Without one, rows are contiguous without gaps,
/// and memory is allocated for the maximum.
struct ExpertPart {
    std::int64_t experts = 1;  ///< E; 1: no experts
    std::int64_t top_k = 1;    ///< K
    EvenShare own{0, 1};
    int ranks = 1;  ///< P
    int rank = 0;
    int context_ranks = 1;       ///< number of ranks that share the positions of each sequence
    std::int64_t sequences = 0;  ///< B of a micro-batch
    std::int64_t length = 0;     ///< T of whole sequences
    std::int64_t positions = 0;  ///< own ones of each sequence
    std::int64_t slots = 0;      ///< rows of an expert for each sequence; 0: no capacity

    bool any() const { return experts > 1; }
    bool has_capacity() const { return slots > 0; }
    /// N = B * positions.
    std::int64_t rows() const { return sequences * positions; }
    /// Rows of an expert from each rank.
    std::int64_t rows_of_expert() const { return sequences * slots; }
    /// Rows of the buffers.
    std::int64_t sent_rows() const {
        return has_capacity() ? experts * rows_of_expert() : rows() * top_k;
    }
    std::int64_t received_rows() const {
        if (has_capacity()) return ranks * own.count * rows_of_expert();
        return ranks * rows() * (top_k < own.count ? top_k : own.count);
    }
    /// Rows that the own experts process: all of the buffer, or the number if experts are picked
    /// evenly.
    std::int64_t expected_rows() const { return has_capacity() ? received_rows() : rows() * top_k; }
};

ExpertPart expert_part(const GptConfig& config, const ModelPart& part, std::int64_t micro_batch,
                       std::int64_t sequence);

}  // namespace shardstone::reference
