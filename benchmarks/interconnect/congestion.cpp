// SPDX-License-Identifier: BSD-3-Clause
// Pairs of two halves of the nodes, alone and all at once; a victim alone and beside all others.
#include "benchmarks/interconnect/congestion.hpp"

#include "benchmarks/interconnect/gathered.hpp"
#include "benchmarks/interconnect/rails.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::benchmarks {

namespace {

LinkRound halves_of(const collectives::Topology& topology, int rails) {
    SHARDSTONE_EXPECTS(topology.nodes() >= 2);
    LinkRound pairs;
    const int half = topology.nodes() / 2;
    for (int node = 0; node < half; ++node) {
        for (int rail = 0; rail < rails; ++rail) {
            pairs.push_back({first_of_rail(topology, node, rail, rails),
                             first_of_rail(topology, node + half, rail, rails)});
        }
    }
    return pairs;
}

}  // namespace

const char* to_string(NetworkLoad load) {
    switch (load) {
        case NetworkLoad::alone:
            return "alone";
        case NetworkLoad::at_once:
            return "pairs at once";
        case NetworkLoad::victim:
            return "victim alone";
        case NetworkLoad::all_to_all:
            return "victim beside an all-to-all";
    }
    fail("unknown load of a network");
}

Congestion::Congestion(const collectives::Communicator& world, collectives::DataMemory memory,
                       std::vector<std::int64_t> sizes_bytes, int rails, int passes)
    : world_(world),
      sizes_bytes_(std::move(sizes_bytes)),
      halves_(halves_of(world.topology(), rails)),
      alone_(world, memory, one_by_one({halves_}), {sizes_bytes_.back()}),
      at_once_(world, memory, {halves_}, {sizes_bytes_.back()}, alone_.began_s()),
      victim_(world, memory, halves_.front(), sizes_bytes_),
      passes_(passes) {}

std::size_t Congestion::samples_of_pass() const {
    std::size_t of_victim = 0;  // in one direction, under one load
    for (const std::int64_t size_bytes : sizes_bytes_) {
        of_victim += static_cast<std::size_t>(messages_of(size_bytes));
    }
    return 2 * 2 * (halves_.size() + (victim_.is_possible() ? of_victim : 0));
}

CongestionPass Congestion::run(const std::function<void(const char*)>& began) {
    CongestionPass found;
    began("pairs of two halves, each alone");
    pass_over(alone_, NetworkLoad::alone, found);
    began("pairs of two halves at once");
    pass_over(at_once_, NetworkLoad::at_once, found);
    if (victim_.is_possible()) {
        began("a victim alone");
        test_victim(NetworkLoad::victim, found);
        began("a victim beside an all-to-all");
        test_victim(NetworkLoad::all_to_all, found);
    }
    ++passes_;
    return found;
}

void Congestion::pass_over(LinkPasses& pairs, NetworkLoad load, CongestionPass& found) const {
    const LinkPass pass = pairs.run();
    for (const LinkSample& sample : pass.samples) {
        found.samples.push_back(
            {sample.sender, sample.receiver, load, passes_, sample.size_bytes, sample.time_s});
    }
    found.wrong.insert(found.wrong.end(), pass.wrong.begin(), pass.wrong.end());
    found.compared_bytes += pass.compared_bytes;
}

void Congestion::test_victim(NetworkLoad load, CongestionPass& found) {
    std::vector<VictimSample> samples;
    std::vector<WrongLinkData> wrong;
    victim_.run(load == NetworkLoad::all_to_all, samples, wrong);
    for (WrongLinkData& one : wrong) {
        one.at_s = alone_.unix_s_of(one.at_s) - alone_.unix_s_of_sample(0.0);
    }
    for (const VictimSample& sample : gathered(world_, samples)) {
        found.samples.push_back(
            {sample.sender, sample.receiver, load, passes_, sample.size_bytes, sample.time_s});
    }
    for (const std::int64_t bytes : gathered(world_, std::vector{victim_.take_compared_bytes()})) {
        found.compared_bytes += bytes;
    }
    const auto all_wrong = gathered(world_, wrong);
    found.wrong.insert(found.wrong.end(), all_wrong.begin(), all_wrong.end());
}

}  // namespace shardstone::benchmarks
