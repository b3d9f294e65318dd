// SPDX-License-Identifier: BSD-3-Clause
// Messages through shared memory inside nodes and over MPI between them: on any declared nodes, the
// bits and bytes of MPI alone; a message that is missing or goes to the wrong peer shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "benchmarks/collectives/known_data.hpp"
#include "collectives/cluster/shared_window.hpp"
#include "collectives/cluster/waiting.hpp"
#include "collectives/executors/mpi/point_to_point.hpp"
#include "collectives/executors/shared_memory/shared_memory.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/unit/collectives/executors/shared_memory/random_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;
using benchmarks::KnownData;

/// The world with other nodes.
class Declared {
  public:
    explicit Declared(const Topology& topology) : found_(world().topology()) {
        world().declare_topology(topology);
    }
    ~Declared() { world().declare_topology(found_); }
    Declared(const Declared&) = delete;
    Declared& operator=(const Declared&) = delete;

  private:
    Topology found_;
};

/// Blocks of 2 and of 3, ranks dealt out in turn, one rank alone beside all others, nodes of one.
std::vector<Topology> topologies() {
    const int size = world().size();
    std::vector<int> dealt(static_cast<std::size_t>(size));
    std::vector<int> lonely(dealt.size(), 0);
    for (int rank = 0; rank < size; ++rank) dealt[static_cast<std::size_t>(rank)] = rank % 2;
    lonely[dealt.size() / 2] = 1;
    return {Topology::blocked(size, 2), Topology::blocked(size, 3), Topology(dealt),
            Topology(lonely), Topology::blocked(size, 1)};
}

constexpr std::int64_t longest_vector = 120001;

std::vector<float> random_floats(std::int64_t count) {
    static const auto most = random_vector<float>(world().rank(), longest_vector);
    return {most.begin(), most.begin() + count};
}

CollectiveSpec floats(std::int64_t count, int root = 0) {
    return {{count, ElementType::fp32, Reduction::sum}, root, {}};
}

RankProgram program_of(const Algorithm& algorithm, const CollectiveSpec& spec, int segments) {
    return rooted_program(algorithm, world().topology(), world().rank(), spec.root, segments);
}

/// Exact numbers exactly, and any others to the bit as over MPI alone, in place.
void expect_as_over_mpi(const Algorithm& algorithm, const CollectiveSpec& spec, int segments) {
    SCOPED_TRACE(testing::Message() << algorithm.operation->name << " " << algorithm.name << " on "
                                    << world().topology().description() << ", " << spec.vector.count
                                    << " elements in " << segments);
    const Operation& operation = *algorithm.operation;
    const RankProgram program = program_of(algorithm, spec, segments);
    // Short ones, so that several messages to one peer are on their way at a time.
    constexpr std::int64_t longest_message_bytes = 100000;
    const auto over_mpi =
        make_point_to_point(world(), program, operation, spec, longest_message_bytes);
    const auto mixed =
        make_shared_memory_messages(world(), program, operation, spec, longest_message_bytes);
    const KnownData known(operation, spec, world().size(), world().rank());
    auto want = random_floats(known.in_place_count());
    auto got = want;
    over_mpi->run(want.data());
    mixed->run(got.data());
    EXPECT_EQ(got, want);
    EXPECT_EQ(mixed->bytes_sent(), over_mpi->bytes_sent());
    known.fill(got.data(), /*in_place=*/true);
    mixed->run(got.data());
    EXPECT_EQ(known.wrong_elements(got.data(), /*in_place=*/true), 0);
}

/// All that have a schedule of their own, for every operation.
template <class Visit>
void for_all_schedules(Visit&& visit) {
    for (const std::string& operation : operations()) {
        for (const std::string& name : algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            if (algorithm.has_plain_messages()) visit(algorithm);
        }
    }
}

TEST(MixedMessages, EveryAlgorithmOnEveryTopology) {
    int segments = 1;
    for (const Topology& topology : topologies()) {
        const Declared declared(topology);
        for_all_schedules([&](const Algorithm& algorithm) {
            const int size = world().size();
            const int root = algorithm.operation->rooted ? size - 1 : 0;
            expect_as_over_mpi(algorithm, floats(103 * size, root), segments);
        });
        segments = 3 - segments;
    }
}

// Beyond the pieces of a mailbox and what MPI sends eagerly: nobody may wait for what waits for it.
TEST(MixedMessages, LongVectors) {
    const Declared declared(topologies()[1]);
    const std::int64_t size = world().size();
    for_all_schedules([&](const Algorithm& algorithm) {
        expect_as_over_mpi(algorithm, floats(longest_vector / size * size), 1);
    });
}

TEST(MixedMessages, TheFamilyTakesThem) {
    const Declared declared(Topology::blocked(world().size(), 2));
    const CollectiveSpec spec = floats(5000);
    for (const std::string name : {"ring", "hierarchical:ring/rabenseifner"}) {
        Communicator& communicator = world();
        const auto mixed = make_executor(
            communicator, find_algorithm("all_reduce", "over_shared_memory:" + name), spec);
        const Algorithm plain = find_algorithm("all_reduce", name);
        auto want = random_vector<float>(world().rank(), 5000);
        auto got = want;
        make_point_to_point(world(), program_of(plain, spec, 1), find_operation("all_reduce"), spec)
            ->run(want.data());
        mixed->run(got.data());
        EXPECT_TRUE(same_bits(got.data(), want)) << name;
    }
}

struct InFlight {
    std::unique_ptr<Executor> executor;
    std::vector<float> given, want, data;
};

/// Executors of both kinds, long and short, with their results over MPI.
std::vector<InFlight> several() {
    const Operation& operation = find_operation("all_reduce");
    std::vector<InFlight> all;
    for (const char* name : {"ring", "hierarchical:ring/rabenseifner", "recursive_doubling"}) {
        for (const std::int64_t count : {3, 20001}) {
            const CollectiveSpec spec = floats(count);
            const auto program = program_of(find_algorithm("all_reduce", name), spec, 2);
            auto over_mpi = make_point_to_point(world(), program, operation, spec);
            const auto given = random_vector<float>(world().rank(), count);
            auto want = given;
            over_mpi->run(want.data());
            all.push_back({make_shared_memory_messages(world(), program, operation, spec), given,
                           want, given});
            all.push_back({std::move(over_mpi), given, want, given});
        }
    }
    return all;
}

TEST(MixedMessages, SeveralInFlightWhateverTheOrderOfLooks) {
    const Declared declared(Topology::blocked(world().size(), 2));
    std::vector<InFlight> all = several();
    for (int round = 0; round < 20; ++round) {
        for (InFlight& one : all) {
            one.data = scaled_for(round, one.given);
            one.executor->start(one.data.data());
        }
        random_pause(round);
        // Every rank looks in another order, then waits for one after the other.
        const auto offset = static_cast<std::size_t>(world().rank() * 5 + round);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[(i + offset) % all.size()].executor->progress();
        }
        for (InFlight& one : all) one.executor->wait();
        for (const InFlight& one : all) {
            ASSERT_TRUE(same_bits(one.data.data(), scaled_for(round, one.want))) << round;
        }
    }
}

// Progress alone, never a wait: what looks for both kinds must not need to sleep.
TEST(MixedMessages, LooksAloneBringThemToTheEnd) {
    const Declared declared(Topology::blocked(world().size(), 3));
    std::vector<InFlight> all = several();
    for (InFlight& one : all) one.executor->start(one.data.data());
    Waiter waiter;
    for (std::size_t done = 0; done < all.size(); waiter.idle()) {
        done = static_cast<std::size_t>(std::ranges::count_if(all, [](InFlight& one) {
            return one.executor->progress() == Executor::Progress::done;
        }));
    }
    for (const InFlight& one : all) EXPECT_TRUE(same_bits(one.data.data(), one.want));
}

/// Wrong elements on all ranks after the program has run.
double wrong_after(const Operation& operation, const CollectiveSpec& spec,
                   const RankProgram& program) {
    const KnownData known(operation, spec, world().size(), world().rank());
    std::vector<std::byte> data(
        static_cast<std::size_t>(known.in_place_count() * spec.vector.element_bytes()));
    known.fill(data.data(), /*in_place=*/true);
    make_shared_memory_messages(world(), program, operation, spec)->run(data.data());
    return world().sum(static_cast<double>(known.wrong_elements(data.data(), /*in_place=*/true)));
}

TEST(MixedMessages, ADroppedMessageBetweenNodesShows) {
    if (world().size() < 3) GTEST_SKIP() << "needs two nodes of which one has two ranks";
    const Declared declared(Topology::blocked(world().size(), 2));
    const CollectiveSpec spec = floats(16 * world().size());
    const Operation& operation = find_operation("all_reduce");
    RankProgram program = program_of(find_algorithm("all_reduce", "ring"), spec, 1);
    EXPECT_EQ(wrong_after(operation, spec, program), 0);
    // From rank 1 to rank 2, over to the second node.
    std::erase_if(program.actions, [](const BlockTransfer& action) {
        const bool sends = action.kind == TransferKind::send;
        return action.step == 0 && world().rank() == (sends ? 1 : 2) &&
               action.peer == (sends ? 2 : 1);
    });
    EXPECT_GT(wrong_after(operation, spec, program), 0);
}

TEST(MixedMessages, MessagesToTheWrongPeersShow) {
    if (world().size() < 3) GTEST_SKIP() << "needs two nodes of which one has two ranks";
    const Declared declared(Topology::blocked(world().size(), 2));
    const CollectiveSpec spec = floats(16 * world().size() * world().size());
    const Operation& operation = find_operation("all_to_all");
    RankProgram program = program_of(find_algorithm("all_to_all", "linear"), spec, 1);
    EXPECT_EQ(wrong_after(operation, spec, program), 0);
    // Rank 0 gives rank 1, on its node, what is for rank 2, on the next one, and the reverse.
    const auto sent_to = [&](int peer) {
        return std::ranges::find_if(program.actions, [=](const BlockTransfer& action) {
            return action.kind == TransferKind::send && action.peer == peer;
        });
    };
    if (world().is_root()) std::swap(sent_to(1)->blocks, sent_to(2)->blocks);
    EXPECT_GT(wrong_after(operation, spec, program), 0);
}

TEST(MemoryInCommon, DeclaredNodesThatSpanSeveralAreRefusedByName) {
    const Topology found = Topology::blocked(8, 4);
    EXPECT_NO_THROW(require_memory_in_common(Topology::blocked(8, 2), found));
    EXPECT_NO_THROW(require_memory_in_common(found, found));
    try {
        require_memory_in_common(Topology::blocked(8, 3), found);
        FAIL() << "accepted";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("ranks 3 and 4 are on node 1 as declared"), std::string::npos) << text;
        EXPECT_NE(text.find("2 nodes of 4 ranks as found"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace shardstone::validation
