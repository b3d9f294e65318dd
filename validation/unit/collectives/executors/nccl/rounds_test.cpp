// SPDX-License-Identifier: BSD-3-Clause
// The rounds in which schedules are handed to NCCL, run by a model of it: a rank's group ends when
// all its messages have met their other ends, and only then does the rank's next group begin.
#include "collectives/executors/nccl/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "collectives/operation/algorithm.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

using Order = std::function<std::vector<Round>(const TransferPlan&, int segments)>;

/// The plans of all ranks and the groups that each takes one after another.
struct Job {
    std::vector<TransferPlan> plans;
    std::vector<std::vector<Round>> rounds;
};

Job make_job(const Algorithm& algorithm, const Topology& topology, int segments, int root,
             const Order& order) {
    const CollectiveSpec spec{
        {16 * 37 * topology.size(), ElementType::fp32, Reduction::sum}, root, {}};
    const Sharing sharing = algorithm.operation->sharing;
    Job job;
    for (int rank = 0; rank < topology.size(); ++rank) {
        const RankProgram program = rooted_program(algorithm, topology, rank, root, segments);
        const BlockLayout layout(spec, sharing, program.channels, topology.size());
        job.plans.push_back(make_plan(program, layout, rank, 4, 1 << 30));
        job.rounds.push_back(order(job.plans.back(), segments));
    }
    return job;
}

/// Runs a job the way NCCL would; what is wrong with it, or nothing.
class Model {
  public:
    explicit Model(const Job& job) : job_(job), current_(job.plans.size(), 0) {}

    std::string run() {
        for (std::size_t rank = 0; rank < current_.size(); ++rank) begin_group(rank);
        for (bool some = true; some;) {
            some = false;
            for (std::size_t rank = 0; rank < current_.size(); ++rank) some |= end_group(rank);
            if (!fault_.empty()) return fault_;
        }
        for (std::size_t rank = 0; rank < current_.size(); ++rank) {
            if (current_[rank] < job_.rounds[rank].size()) {
                return "rank " + std::to_string(rank) + " waits for ever in group " +
                       std::to_string(current_[rank]);
            }
        }
        return {};
    }

  private:
    /// From whom to whom, and at which end.
    struct End {
        int from, to;
        bool sends;
        auto operator<=>(const End&) const = default;
    };

    /// Posts what the rank's current group holds; ends meet in the order in which they are posted.
    void begin_group(std::size_t rank) {
        open_[rank] = 0;
        if (current_[rank] == job_.rounds[rank].size()) return;
        for (const int t : job_.rounds[rank][current_[rank]]) {
            const Transfer& mine = job_.plans[rank].transfers[static_cast<std::size_t>(t)];
            const bool sends = mine.kind == TransferKind::send;
            const int self = static_cast<int>(rank);
            const End end{sends ? self : mine.peer, sends ? mine.peer : self, sends};
            auto& others = posted_[{end.from, end.to, !sends}];
            if (others.empty()) {
                posted_[end].emplace_back(rank, &mine);
                ++open_[rank];
                continue;
            }
            const auto [peer, theirs] = others.front();
            others.pop_front();
            --open_[peer];
            if (theirs->size_bytes != mine.size_bytes || theirs->channel != mine.channel ||
                theirs->step != mine.step) {
                fault_ = "ranks " + std::to_string(end.from) + " and " + std::to_string(end.to) +
                         " take two different messages for one";
            }
        }
    }

    bool end_group(std::size_t rank) {
        if (open_[rank] > 0 || current_[rank] == job_.rounds[rank].size()) return false;
        ++current_[rank];
        begin_group(rank);
        return true;
    }

    const Job& job_;
    std::vector<std::size_t> current_;  ///< group of each rank
    std::map<std::size_t, int> open_;   ///< ends of a rank's group that have not met the other
    std::map<End, std::deque<std::pair<std::size_t, const Transfer*>>> posted_;
    std::string fault_;
};

/// Every algorithm with a schedule, on several numbers of ranks, whole and in segments; returns how
/// many jobs had a fault.
int faults(const Order& order) {
    int found = 0;
    for (const auto& operation : operations()) {
        for (const auto& name : algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            if (!algorithm.has_plain_messages()) continue;
            for (const int size : {1, 2, 3, 4, 5, 7, 8, 13, 16}) {
                for (const int segments : {1, 3}) {
                    const int root = find_operation(operation).rooted ? size / 2 : 0;
                    const Job job =
                        make_job(algorithm, Topology::blocked(size, 4), segments, root, order);
                    found += Model(job).run().empty() ? 0 : 1;
                }
            }
        }
    }
    return found;
}

TEST(Rounds, EveryScheduleRunsToItsEnd) {
    EXPECT_EQ(faults(rounds_of), 0);
}

TEST(Rounds, HoldEveryTransferOnce) {
    const Algorithm ring = find_algorithm("all_reduce", "ring");
    const Job job = make_job(ring, Topology::one_node(5), 3, 0, rounds_of);
    std::vector<int> count(job.plans[2].transfers.size());
    for (const Round& round : job.rounds[2]) {
        for (const int t : round) ++count[static_cast<std::size_t>(t)];
    }
    EXPECT_EQ(count, std::vector<int>(count.size(), 1));
    // 2 (P - 1) steps, and each further segment one round later.
    EXPECT_EQ(job.rounds[2].size(), 8U + 2U);
}

/// Planted: channels merged by each rank's own count of steps with something to do.
std::vector<Round> by_own_count(const TransferPlan& plan, int) {
    std::vector<Round> rounds;
    for (const auto& channel : plan.channels) {
        for (int step = channel.begin; step < channel.end; ++step) {
            const auto [begin, end] = plan.steps[static_cast<std::size_t>(step)];
            const auto place = static_cast<std::size_t>(step - channel.begin);
            rounds.resize(std::max(rounds.size(), place + 1));
            const int first = plan.messages[static_cast<std::size_t>(begin)].begin;
            const int last = plan.messages[static_cast<std::size_t>(end - 1)].end;
            for (int t = first; t < last; ++t) rounds[place].push_back(t);
        }
    }
    return rounds;
}

TEST(Rounds, AnOrderOfEachRanksOwnIsCaught) {
    EXPECT_GT(faults(by_own_count), 0);
}

/// Planted: the receives of a round the other way round.
TEST(Rounds, ReceivesOutOfOrderAreCaught) {
    const Order reversed = [](const TransferPlan& plan, int segments) {
        auto rounds = rounds_of(plan, segments);
        for (Round& round : rounds) {
            const auto sends = std::partition_point(round.begin(), round.end(), [&](int t) {
                return plan.transfers[static_cast<std::size_t>(t)].kind != TransferKind::send;
            });
            std::reverse(round.begin(), sends);
        }
        return rounds;
    };
    EXPECT_GT(faults(reversed), 0);
}

}  // namespace
}  // namespace shardstone::validation
