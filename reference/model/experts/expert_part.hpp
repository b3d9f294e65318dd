// SPDX-License-Identifier: BSD-3-Clause
// What a rank's share of the experts of a block is about.
#pragma once

#include <cstdint>

#include "reference/model/partition.hpp"

namespace shardstone::reference {

/// P expert ranks share out the E experts of every block; each has positions of its own, from which
/// K rows go to experts each, and come back. Rows of one expert lie together, those of all in
/// ascending order, in the buffer of what a rank sends; in that of what its own experts get, rows
/// from one rank lie together, ordered likewise.
///
/// With a capacity every expert has so many rows of every sequence, whether they are all taken or
/// not, and all is known beforehand. Without one, rows follow each other without gaps, and memory
/// is there for the most that can come.
struct ExpertPart {
    std::int64_t experts = 1;  ///< E; 1: none of this
    std::int64_t top_k = 1;    ///< K
    EvenShare own{0, 1};
    int ranks = 1;  ///< P
    int rank = 0;
    int context_ranks = 1;       ///< that share the positions of each sequence
    std::int64_t sequences = 0;  ///< B of a micro-batch
    std::int64_t length = 0;     ///< T of whole sequences
    std::int64_t positions = 0;  ///< own ones of each sequence
    std::int64_t slots = 0;      ///< rows of an expert for each sequence; 0: no capacity

    bool any() const { return experts > 1; }
    bool has_capacity() const { return slots > 0; }
    /// N = B * positions.
    std::int64_t rows() const { return sequences * positions; }
    /// Of an expert, from each rank.
    std::int64_t rows_of_expert() const { return sequences * slots; }
    /// Of the buffers.
    std::int64_t sent_rows() const {
        return has_capacity() ? experts * rows_of_expert() : rows() * top_k;
    }
    std::int64_t received_rows() const {
        if (has_capacity()) return ranks * own.count * rows_of_expert();
        return ranks * rows() * (top_k < own.count ? top_k : own.count);
    }
    /// That the own experts compute with: of the buffer's, or if experts are picked evenly.
    std::int64_t expected_rows() const { return has_capacity() ? received_rows() : rows() * top_k; }
};

ExpertPart expert_part(const GptConfig& config, const ModelPart& part, std::int64_t micro_batch,
                       std::int64_t sequence);

}  // namespace shardstone::reference
