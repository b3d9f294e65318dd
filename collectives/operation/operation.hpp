// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace shardstone::collectives {

/// Meaning of the blocks of a channel, and so their location in memory.
enum class Sharing : std::uint8_t {
    whole,    ///< any number of blocks, in the order of the vector
    by_rank,  ///< block r of P is (a part of) the share of rank r in the vector
    by_pair,  ///< blocks 0 to P - 1: what this rank has for each other; P to 2 P - 1: what it gets
              ///< from each; then P, 2 P ... blocks of scratch
    message,  ///< block 0: what this rank has; block 1: what it gets
};

/// Whether a message may go from one block to another, rather than to the same one.
constexpr bool moves_data(Sharing sharing) {
    return sharing == Sharing::by_pair || sharing == Sharing::message;
}

/// Contents of a block: whose contributions to which part of the data.
struct Content {
    static constexpr int nothing = -1;   ///< as item: not set, or irrelevant
    static constexpr int everyone = -1;  ///< as from

    int item = nothing;  ///< which block of data; of a pair, from * P + to
    int from = everyone;

    bool operator==(const Content&) const = default;
};

/// One rank's position in a collective.
struct RankRole {
    int size = 1;
    int root = 0;
    int rank = 0;
};

/// Definition of a collective's result; how it is achieved is up to the algorithm.
///
/// A namespace-scope `const OperationRegistration` in a file of its own adds one.
struct Operation {
    std::string name;
    std::string summary;  ///< one line for --list
    Sharing sharing = Sharing::whole;
    bool reduces = false;
    bool rooted = false;

    /// Contents of a block (numbered within its channel) before, and required contents after, where
    /// relevant. The data that a rank keeps for itself in an all-to-all are in their final position
    /// at the start.
    std::function<Content(const RankRole&, int block)> before;
    std::function<Content(const RankRole&, int block)> after;

    /// busbw / algbw: the least share of the vector that the busiest link must carry, so that bus
    /// bandwidth can be compared with a link's rate at any P (nccl-tests, PERFORMANCE.md).
    std::function<double(int size)> bus_factor;
};

class OperationRegistration {
  public:
    explicit OperationRegistration(Operation operation);
};

/// Names of all, sorted.
std::vector<std::string> operations();

/// Throws Error naming an unknown one and the choices. The result is never destroyed.
const Operation& find_operation(std::string_view name);

}  // namespace shardstone::collectives
