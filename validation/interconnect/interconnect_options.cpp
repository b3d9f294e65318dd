// SPDX-License-Identifier: BSD-3-Clause
// Sizes of messages that can be timed and compared.
#include "validation/interconnect/interconnect_options.hpp"

#include <fmt/format.h>

#include "kernels/base/available_memory.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::validation {

void require_measurable(const InterconnectOptions& options, const collectives::Topology& topology) {
    const int fewest = topology.smallest_node(), ranks_on_node = topology.largest_node();
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
    const auto room = available_memory().for_each_of(ranks_on_node);
    const std::int64_t largest_bytes = options.sizes_bytes.back();
    require(!room || largest_bytes <= room->bytes, [&] {
        return fmt::format(
            "--sizes {}: a message of {} is more than each of {} has left ({}: {}): give at most "
            "{}M",
            largest_bytes, format_size(largest_bytes), counted(ranks_on_node, "rank"), room->name,
            format_size(room->bytes), room->bytes >> 20);
    });
    require(options.soak_s <= 0.0 || options.parts.pairs,
            "--for repeats the tests of pairs: add pairs to --part");
}

}  // namespace shardstone::validation
