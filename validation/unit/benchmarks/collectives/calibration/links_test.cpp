// SPDX-License-Identifier: BSD-3-Clause
// Between which ranks, and in which memory, calibrate times the messages of each link.
#include "benchmarks/collectives/calibration/links.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "benchmarks/collectives/calibration/calibrate.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// What this rank sent over a transport that passes its messages by MPI, and where they lay.
struct Seen {
    std::set<std::pair<int, std::int64_t>> sent;  ///< receivers and sizes in bytes
    std::set<const void*> allocated, run;
};

class SeenExecutor final : public Executor {
  public:
    SeenExecutor(std::unique_ptr<Executor> under, Seen& seen)
        : under_(std::move(under)), seen_(seen) {}
    void start(const void* input, void* output) override {
        seen_.run.insert(output);
        under_->start(input, output);
    }
    Progress progress() override { return under_->progress(); }
    std::int64_t bytes_sent() const noexcept override { return under_->bytes_sent(); }

  private:
    std::unique_ptr<Executor> under_;
    Seen& seen_;
};

Transport watched(Seen& seen) {
    Transport transport = find_transport(plain_transport);
    transport.carry = [&seen, carry = transport.carry](Communicator& communicator,
                                                       const Algorithm& algorithm,
                                                       const CollectiveSpec& spec) {
        const auto program = algorithm.program(communicator.topology(), communicator.rank());
        for (const BlockTransfer& action : program.actions) {
            if (action.kind != TransferKind::send) continue;
            seen.sent.insert({action.peer, spec.vector.size_bytes() / 2});
        }
        return std::make_unique<SeenExecutor>(carry(communicator, algorithm, spec), seen);
    };
    return transport;
}

/// Sizes that went to this rank.
std::set<std::int64_t> sizes_to(int receiver, const Seen& seen) {
    std::set<std::int64_t> sizes;
    for (const auto& [to, size_bytes] : seen.sent) {
        if (to == receiver) sizes.insert(size_bytes);
    }
    return sizes;
}

// Ranks 0 and 1 are a node, and 2 and 3: all send inside their node, and the first ones to the
// other node in all sizes; that their neighbours send beside them is tried in the outermost two.
TEST(Links, AreBetweenTheRanksThatTheyAreOf) {
    if (world().size() != 4) GTEST_SKIP() << "four ranks show it";
    Communicator two_nodes = world().split(0);
    two_nodes.declare_topology(Topology::blocked(4, 2));
    Seen seen;
    const Transport transport = watched(seen);
    benchmarks::CalibrationOptions options;
    options.largest_bytes = 256;
    options.seconds_per_size = 0.002;
    options.over = &transport;
    benchmarks::calibrate(two_nodes, options);
    const int rank = world().rank(), beside = rank ^ 1, opposite = (rank + 2) % 4;
    const auto inside = sizes_to(beside, seen), between = sizes_to(opposite, seen);
    EXPECT_GE(inside.size(), 4U);
    EXPECT_TRUE(sizes_to(opposite ^ 1, seen).empty());
    if (rank % 2 == 0) {
        EXPECT_EQ(between, inside);
    } else {
        EXPECT_EQ(between, (std::set{*inside.begin(), *inside.rbegin()}));
    }
}

TEST(Links, BetweenGpusAreOfVectorsInTheirMemory) {
    if (world().size() < 2) GTEST_SKIP() << "a single rank has no links";
    Seen seen;
    Transport transport = watched(seen);
    transport.obstacle = [](Communicator&) { return ""; };
    transport.memory.allocate = [&](Communicator&, std::int64_t size_bytes) {
        std::shared_ptr<std::byte> memory(new std::byte[static_cast<std::size_t>(size_bytes)],
                                          [](const std::byte* one) { delete[] one; });
        seen.allocated.insert(memory.get());
        return memory;
    };
    transport.memory.copy = [](void* to, const void* from, std::int64_t size_bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(size_bytes));
    };
    benchmarks::LinkOptions options;
    options.sizes_bytes = {64, 256};
    options.seconds_per_size = 0.002;
    options.over = &transport;
    benchmarks::measure_link(world(), benchmarks::MessagePath::inside_node, options);
    EXPECT_FALSE(seen.run.empty());
    EXPECT_EQ(seen.run, seen.allocated);
}

}  // namespace
}  // namespace shardstone::validation
