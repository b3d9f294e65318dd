// SPDX-License-Identifier: BSD-3-Clause
// Limits and comparisons against the tests that are to be made.
#include "validation/interconnect/foreseen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "validation/interconnect/held_against.hpp"
#include "validation/interconnect/slow_ranks.hpp"
#include "validation/interconnect/slowdowns.hpp"

namespace shardstone::validation {

namespace {

using Parts = InterconnectParts;

/// What it takes to measure a limited quantity.
struct Needed {
    std::string_view quantity;
    const char* part;  ///< as --part names it
    bool Parts::*is_made;
    int nodes = 1;          ///< at least
    int ranks_of_node = 1;  ///< at least, on one node
};

constexpr const char* victim_quantity = "slowdown of a victim";

/// Of two or three nodes one pair is all that can be at once.
constexpr int nodes_of_two_pairs = 4;

constexpr std::array all_needed{
    Needed{"rate between nodes", "pairs", &Parts::pairs, 2},
    Needed{"latency between nodes", "pairs", &Parts::pairs, 2},
    Needed{"rate inside nodes", "pairs", &Parts::pairs, 1, 2},
    Needed{"latency inside nodes", "pairs", &Parts::pairs, 1, 2},
    Needed{"wake-up delay", "ranks", &Parts::ranks},
    Needed{"GPU product rate", "ranks", &Parts::ranks},
    Needed{"GPU memory rate", "ranks", &Parts::ranks},
    Needed{"GPU transfer rate", "ranks", &Parts::ranks},
    Needed{"clock offset", "clocks", &Parts::clocks, 2},
    Needed{"clock drift", "clocks", &Parts::clocks, 2},
    Needed{"bisection rate", "congestion", &Parts::congestion, nodes_of_two_pairs},
    Needed{"slowdown of pairs at once", "congestion", &Parts::congestion, nodes_of_two_pairs},
    Needed{victim_quantity, "congestion", &Parts::congestion, 3},
    Needed{"traffic over prediction", "traffic", &Parts::traffic},
};

const Needed& needed_for(const std::string& quantity) {
    const auto found = std::ranges::find(all_needed, quantity, &Needed::quantity);
    SHARDSTONE_EXPECTS(found != all_needed.end());
    return *found;
}

std::string where_ranks_are(const collectives::Topology& topology, const std::string& host) {
    if (topology.size() == 1) return "there is one rank";
    const std::string ranks = counted(topology.size(), "rank");
    if (topology.nodes() == 1) {
        return fmt::format("all {} are on one node ({})", ranks, host);
    }
    return fmt::format("the {} are on {}", ranks, counted(topology.nodes(), "node"));
}

/// Whether ranks of other nodes than the victim's two (congestion.hpp) can exchange messages.
bool has_bystanders(const collectives::Topology& topology) {
    const int second = topology.nodes() / 2;
    const auto of_pair = topology.ranks_on(0).size() + topology.ranks_on(second).size();
    return static_cast<std::size_t>(topology.size()) >= of_pair + 2;
}

}  // namespace

void require_limits_measurable(const InterconnectOptions& options,
                               const collectives::Topology& topology, const std::string& file,
                               const std::string& host) {
    for (const AcceptanceLimit& limit : options.limits) {
        const Needed& needed = needed_for(limit.quantity);
        require(options.parts.*needed.is_made, [&] {
            const bool is_traffic = needed.is_made == &Parts::traffic;
            return fmt::format("--accept {} limits '{}', which these tests do not measure: add {}",
                               file, limit.quantity,
                               is_traffic ? "--cluster FILE, and traffic to --part if it is given"
                                          : fmt::format("{} to --part", needed.part));
        });
        require(topology.nodes() >= needed.nodes, [&] {
            return fmt::format("--accept {} limits '{}', but {}: start it on {} nodes or more",
                               file, limit.quantity, where_ranks_are(topology, host), needed.nodes);
        });
        require(topology.largest_node() >= needed.ranks_of_node, [&] {
            return fmt::format(
                "--accept {} limits '{}', but no node has two ranks: start more on each", file,
                limit.quantity);
        });
        require(limit.quantity != victim_quantity || has_bystanders(topology), [&] {
            return fmt::format(
                "--accept {} limits '{}', but {}, and one rank beside a pair has no other for an "
                "all-to-all: start it on 4 nodes or more, or with more ranks on each",
                file, limit.quantity, where_ranks_are(topology, host));
        });
    }
}

std::string foreseen_lack(const InterconnectOptions& options,
                          const collectives::Topology& topology) {
    if (topology.size() == 1) return "one rank has nobody to be compared with";
    const InterconnectParts& parts = options.parts;
    const bool limits_links = std::ranges::any_of(options.limits, [](const auto& limit) {
        return limits_links_between_nodes(limit.quantity);
    });
    // Both directions of a pair by each NIC.
    const auto links = static_cast<std::size_t>(2 * options.rails);
    if (parts.pairs && topology.nodes() == 2 && links < least_comparable && !limits_links) {
        return "two nodes have no others of their kind, and no limit (--accept) is on the links "
               "between them";
    }
    if (!options.limits.empty() || parts.traffic) return "";
    if (!parts.pairs && !parts.ranks) {
        return "congestion and clocks are judged by limits only (--accept)";
    }
    const bool are_few = static_cast<std::size_t>(topology.size()) < least_comparable_ranks;
    return are_few ? "two ranks have no others of their kind, and there are no limits (--accept)"
                   : "";
}

}  // namespace shardstone::validation
