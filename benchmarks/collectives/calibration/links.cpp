// SPDX-License-Identifier: BSD-3-Clause
// Ring shifts time the messages of a link, repeated reductions the arithmetic of a collective.
#include "benchmarks/collectives/calibration/links.hpp"

#include <algorithm>
#include <optional>

#include "benchmarks/harness/measure.hpp"
#include "collectives/device/reductions.hpp"
#include "collectives/operation/algorithm.hpp"
#include "collectives/reduction/reduction.hpp"
#include "kernels/base/statistics.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::RankProgram;
using collectives::Topology;

/// Messages in a row, so that what a collective takes at its start can be told from them.
constexpr int shifts = 8;
/// Where the pages of a vector lie makes a difference, so every size gets so many places.
constexpr int link_rounds = 3;

struct Neighbours {
    int to = -1, from = -1;
};

bool stays_inside(MessagePath path) {
    return path == MessagePath::inside_node || path == MessagePath::shared_memory;
}

/// In the ring of all ranks of this rank's node, or of its lane over all nodes; none in a ring of
/// one, where a neighbouring node has no such lane, or where the path is another lane's alone.
std::optional<Neighbours> neighbours(const Topology& topology, int rank, MessagePath path) {
    const bool inside = stays_inside(path);
    const int node = topology.node_of(rank);
    const int lane = topology.lane_of(rank);
    const int lanes = path == MessagePath::between_nodes ? 1 : topology.smallest_node();
    const int length = inside ? static_cast<int>(topology.ranks_on(node).size()) : topology.nodes();
    if (length < 2 || (!inside && lane >= lanes)) return std::nullopt;
    const auto at = [&](int step) {
        const int place = ((inside ? lane : node) + step + length) % length;
        return inside ? topology.ranks_on(node)[static_cast<std::size_t>(place)]
                      : topology.ranks_on(place)[static_cast<std::size_t>(lane)];
    };
    return Neighbours{at(1), at(-1)};
}

/// What has come from one neighbour goes on to the other, again and again: as in a collective, the
/// bytes of a message are fresh in the sender's cache and in no other's.
RankProgram shift_program(const std::optional<Neighbours>& ring, int messages) {
    collectives::RankProgramBuilder program(2);
    for (int step = 0; ring && step < messages; ++step) {
        program.send(step, ring->to, {step % 2, 1});
        program.receive_replace(step, ring->from, {(step + 1) % 2, 1});
    }
    return program.build();
}

MeasurePolicy policy_of(const LinkOptions& options) {
    MeasurePolicy policy;
    policy.time_limit_s = options.seconds_per_size / link_rounds;
    policy.from = TimeFrom::last_start;
    return policy;
}

/// The shifts of one link.
class Ring {
  public:
    Ring(collectives::Communicator& communicator, MessagePath path, const LinkOptions& options)
        : communicator_(communicator),
          path_(path),
          options_(options),
          transport_(path == MessagePath::shared_memory
                         ? collectives::find_transport("shared_memory")
                         : *options.over) {}

    /// Of so many messages in a row, in memory of its own.
    std::vector<double> times_s(std::int64_t size_bytes, int messages) {
        const auto executor =
            transport_.carry(communicator_, shifts_of(messages), two_blocks_of(size_bytes));
        std::vector<std::byte> two_blocks(static_cast<std::size_t>(2 * size_bytes));
        const auto on_gpu = options_.on_gpus() ? copy_on_gpu(two_blocks) : nullptr;
        std::byte* const data = on_gpu != nullptr ? on_gpu.get() : two_blocks.data();
        return measure(communicator_, policy_of(options_), [&] { executor->run(data); }).samples_s;
    }

    /// Of one of `shifts` messages.
    std::vector<TimedSize> per_message_s(double start_s) {
        std::vector<TimedSize> times(options_.sizes_bytes.size());
        for (int round = 0; round < link_rounds; ++round) {
            for (std::size_t i = 0; i < times.size(); ++i) {
                times[i].size_bytes = options_.sizes_bytes[i];
                const auto of_round_s = times_s(times[i].size_bytes, shifts);
                times[i].of_rounds.push_back(of_round_s.size());
                for (const double time_s : of_round_s) {
                    // A sample that chance made short is still a positive time.
                    times[i].samples_s.push_back(std::max(time_s - start_s, 0.5 * time_s) / shifts);
                }
                const auto before = static_cast<std::size_t>(round) * times.size();
                options_.progress(before + i + 1, link_rounds * times.size());
            }
        }
        return times;
    }

    /// Of the smallest size, one message takes start + t, and several take start + shifts t.
    double start_s() {
        const std::int64_t size_bytes = options_.sizes_bytes.front();
        const double one_s = median(times_s(size_bytes, 1));
        const double several_s = median(times_s(size_bytes, shifts));
        return std::max(0.0, (shifts * one_s - several_s) / (shifts - 1));
    }

  private:
    /// As shares of the first two ranks, since only these may be of any length.
    collectives::CollectiveSpec two_blocks_of(std::int64_t size_bytes) const {
        const std::int64_t count =
            size_bytes / static_cast<std::int64_t>(element_size(options_.type));
        std::vector<std::int64_t> shares(static_cast<std::size_t>(communicator_.size()), 0);
        shares[0] = shares[1] = count;
        return {{2 * count, options_.type, options_.reduction}, 0, std::move(shares)};
    }

    collectives::Algorithm shifts_of(int messages) const {
        collectives::Algorithm shifts;
        shifts.operation = &collectives::find_operation("reduce_scatter");
        shifts.name = "ring shifts";
        shifts.program = [path = path_, messages](const Topology& topology, int rank) {
            return shift_program(neighbours(topology, rank, path), messages);
        };
        shifts.transport = &transport_;
        shifts.obstacle = transport_.obstacle;
        return shifts;
    }

    std::shared_ptr<std::byte> copy_on_gpu(const std::vector<std::byte>& data) {
        const auto bytes = std::ssize(data);
        auto memory = transport_.memory.allocate(communicator_, bytes);
        transport_.memory.copy(memory.get(), data.data(), bytes);
        return memory;
    }

    collectives::Communicator& communicator_;
    MessagePath path_;
    const LinkOptions& options_;
    const collectives::Transport& transport_;
};

/// So many of two vectors, one after another.
std::function<void(int)> reductions_of(std::int64_t count, const LinkOptions& options) {
    if (options.on_gpus()) {
        return collectives::DeviceReductions::function()(options.type, options.reduction, count);
    }
    const auto bytes = static_cast<std::size_t>(count) * element_size(options.type);
    return [reduce = collectives::reduce_function(options.type, options.reduction), count,
            mine = std::vector<std::byte>(bytes),
            theirs = std::vector<std::byte>(bytes)](int times) mutable {
        for (int i = 0; i < times; ++i) reduce(mine.data(), theirs.data(), count);
    };
}

}  // namespace

LinkTimes measure_link(collectives::Communicator& communicator, MessagePath path,
                       const LinkOptions& options) {
    Ring ring(communicator, path, options);
    LinkTimes times;
    times.start_s = ring.start_s();
    times.message = ring.per_message_s(times.start_s);
    return times;
}

std::vector<TimedSize> measure_reductions(const collectives::Communicator& communicator,
                                          const LinkOptions& options) {
    std::vector<TimedSize> times;
    for (const std::int64_t size_bytes : options.sizes_bytes) {
        const auto count = size_bytes / static_cast<std::int64_t>(element_size(options.type));
        const auto reductions = reductions_of(count, options);
        // Several in a row, since the smallest take no longer than reading the clock.
        const auto run = [&] { reductions(shifts); };
        times.push_back({size_bytes, measure(communicator, policy_of(options), run).samples_s});
        for (double& sample_s : times.back().samples_s) sample_s /= shifts;
        options.progress(times.size(), options.sizes_bytes.size());
    }
    return times;
}

}  // namespace shardstone::benchmarks
