// SPDX-License-Identifier: BSD-3-Clause
// Clocks of other machines, read by short exchanges of messages.
#include "benchmarks/interconnect/clock_readings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "benchmarks/interconnect/waiting.hpp"
#include "collectives/cluster/peer_message.hpp"
#include "kernels/base/failure_log.hpp"

namespace shardstone::benchmarks {

namespace {

using collectives::Communicator;
using collectives::PeerMessage;

constexpr int exchanges = 8;
constexpr std::int64_t question_id = 0, answer_id = 1;

Waiting reading_with(int rank) {
    return Waiting(fmt::format("rank {} while clocks are read", rank));
}

using Clock = std::function<std::int64_t()>;

ClockReading exchange(const Communicator& calls, int rank, const Clock& clock) {
    const Waiting reading = reading_with(rank);
    const std::byte question{};
    std::int64_t theirs_ns = 0;
    auto answer = PeerMessage::receive(calls, rank, answer_id,
                                       std::as_writable_bytes(std::span(&theirs_ns, 1)));
    const std::int64_t asked_ns = clock();
    auto asked = PeerMessage::send(calls, rank, question_id, std::span(&question, 1));
    reading.wait(asked);
    reading.wait(answer);
    const std::int64_t answered_ns = clock();
    // Differences first: times since 1970 in nanoseconds are no exact doubles.
    const double behind_ns = static_cast<double>(theirs_ns - asked_ns);
    const double before_ns = static_cast<double>(theirs_ns - answered_ns);
    return {rank, 1e-9 * static_cast<double>(asked_ns), 1e-9 * (behind_ns + before_ns) / 2.0,
            1e-9 * static_cast<double>(answered_ns - asked_ns) / 2.0};
}

ClockReading read_once(const Communicator& calls, int rank, const Clock& clock) {
    std::optional<ClockReading> best;
    for (int i = 0; i < exchanges; ++i) {
        const auto one = exchange(calls, rank, clock);
        if (!best || one.error_s < best->error_s) best = one;
    }
    return *best;
}

void answer_questions(const Communicator& calls, int count, const Clock& clock) {
    const Waiting reading = reading_with(0);
    for (int i = 0; i < count * exchanges; ++i) {
        std::byte question{};
        auto asked = PeerMessage::receive(calls, 0, question_id, std::span(&question, 1));
        reading.wait(asked);
        const std::int64_t now_ns = clock();
        auto answer = PeerMessage::send(calls, 0, answer_id, std::as_bytes(std::span(&now_ns, 1)));
        reading.wait(answer);
    }
}

}  // namespace

std::int64_t unix_now_ns() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::vector<ClockReading> read_clocks(const Communicator& world, std::span<const int> ranks,
                                      int count, const Clock& clock) {
    enter_phase("clocks of nodes");
    const Communicator calls = world.split(0);
    std::vector<ClockReading> readings;
    if (world.is_root()) {
        for (const int rank : ranks) {
            for (int i = 0; i < count; ++i) readings.push_back(read_once(calls, rank, clock));
        }
    } else if (std::ranges::find(ranks, world.rank()) != ranks.end()) {
        answer_questions(calls, count, clock);
    }
    world.barrier();
    return readings;
}

}  // namespace shardstone::benchmarks
