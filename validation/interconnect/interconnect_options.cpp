// SPDX-License-Identifier: BSD-3-Clause
// Sizes of messages that can be timed and compared.
#include "validation/interconnect/interconnect_options.hpp"

#include <fmt/format.h>

#include <limits>

#include "kernels/base/available_memory.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::validation {

namespace {

/// MPI counts the bytes of a message as `int`.
constexpr std::int64_t most_message_bytes = std::numeric_limits<int>::max() / 8 * 8;
/// Buffers that a rank holds at a time, each as large as the largest message: of the pairs alone,
/// those at once and the victim under loads; otherwise of the pairs.
constexpr std::int64_t messages_under_loads = 3, messages_of_pairs = 1;

void require_room(const InterconnectOptions& options, bool has_nodes, int ranks_of_machine) {
    const std::int64_t largest_bytes = options.sizes_bytes.back();
    const bool has_loads = options.parts.congestion && has_nodes;
    const std::int64_t messages = has_loads ? messages_under_loads : messages_of_pairs;
    const auto room = available_memory().for_each_of(ranks_of_machine);
    require(!room || largest_bytes <= room->bytes / messages, [&] {
        return fmt::format(
            "--sizes {}: a rank holds {} of {} at a time, more than each of {} has left ({}: {}): "
            "give at most {}M",
            largest_bytes, counted(messages, "message"), format_size(largest_bytes),
            counted(ranks_of_machine, "rank"), room->name, format_size(room->bytes),
            (room->bytes / messages) >> 20);
    });
    require(largest_bytes <= most_message_bytes, [&] {
        return fmt::format("--sizes {}: a message has at most {}: give at most {}M", largest_bytes,
                           counted(most_message_bytes, "byte"), most_message_bytes >> 20);
    });
}

}  // namespace

void require_measurable(const InterconnectOptions& options, const collectives::Topology& topology,
                        int ranks_of_machine) {
    const int fewest = topology.smallest_node();
    require(options.rails <= fewest, [&] {
        return fmt::format(
            "--rails {}: each NIC needs a rank of its own, and a node has {}: give at most {}, or "
            "start more ranks on each",
            options.rails, counted(fewest, "rank"), fewest);
    });
    require(!options.sizes_bytes.empty() && options.sizes_bytes.front() > 0,
            "--sizes: give at least one size above 0");
    for (const std::int64_t size_bytes : options.sizes_bytes) {
        require(size_bytes % 8 == 0, [&] {
            return fmt::format("--sizes {}: give multiples of 8 bytes, which are compared",
                               size_bytes);
        });
    }
    require_room(options, topology.nodes() > 1, ranks_of_machine);
    require(options.soak_s <= 0.0 || options.parts.pairs,
            "--for repeats the tests of pairs: add pairs to --part");
    require(options.soak_s <= 0.0 || topology.size() > 1,
            "--for repeats the tests of pairs, and one rank has none: start more ranks");
}

}  // namespace shardstone::validation
