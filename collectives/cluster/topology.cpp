// SPDX-License-Identifier: BSD-3-Clause
// The nodes and lanes of ranks, as found, as declared, or in blocks of equal size.
#include "collectives/cluster/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

int ranks_on_one(const std::vector<int>& ranks) {
    return static_cast<int>(ranks.size());
}

const char* plural(int number) {
    return number == 1 ? "" : "s";
}

}  // namespace

Topology::Topology(std::span<const int> node_of_rank) {
    std::map<int, int> node_by_label;
    for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank) {
        const int label = node_of_rank[static_cast<std::size_t>(rank)];
        const auto [entry, is_new] = node_by_label.try_emplace(label, nodes());
        if (is_new) ranks_of_node_.emplace_back();
        auto& ranks = ranks_of_node_[static_cast<std::size_t>(entry->second)];
        node_of_rank_.push_back(entry->second);
        lane_of_rank_.push_back(ranks_on_one(ranks));
        ranks.push_back(rank);
    }
}

Topology Topology::one_node(int size) {
    return Topology(std::vector<int>(static_cast<std::size_t>(size), 0));
}

Topology Topology::blocked(int size, int ranks_per_node) {
    require(ranks_per_node >= 1,
            [&] { return fmt::format("{} ranks per node: give at least 1", ranks_per_node); });
    std::vector<int> labels;
    for (int rank = 0; rank < size; ++rank) labels.push_back(rank / ranks_per_node);
    return Topology(labels);
}

Topology Topology::rotated(int first) const {
    std::vector<int> labels = node_of_rank_;
    std::ranges::rotate(labels, labels.begin() + first);
    return Topology(labels);
}

Topology Topology::as_declared() const {
    Topology copy = *this;
    copy.declared_ = true;
    return copy;
}

int Topology::smallest_node() const {
    return ranks_on_one(*std::ranges::min_element(ranks_of_node_, {}, ranks_on_one));
}

int Topology::largest_node() const {
    return ranks_on_one(*std::ranges::max_element(ranks_of_node_, {}, ranks_on_one));
}

std::string Topology::description() const {
    const int low = smallest_node();
    const int high = largest_node();
    const std::string ranks = low == high ? fmt::format("{} rank{}", low, plural(low))
                                          : fmt::format("{} to {} ranks", low, high);
    return fmt::format("{} node{} of {}{}", nodes(), plural(nodes()), ranks,
                       declared_ ? " (declared)" : "");
}

}  // namespace shardstone::collectives
