// SPDX-License-Identifier: BSD-3-Clause
// Fixed pieces of arithmetic, memory traffic and sleep.
#include "benchmarks/interconnect/rank_work.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kernels/base/clock.hpp"
#include "kernels/base/cpu_clock.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::size_t copied_bytes = std::size_t{32} << 20U;
constexpr double compute_piece_s = 2e-3;  // at least
constexpr long sleep_ns = 1'000'000;

/// Enough independent sums to keep several multiply-add units of any latency up to ten busy.
constexpr std::size_t lanes = 64;

}  // namespace

const char* to_string(RankTest test) {
    switch (test) {
        case RankTest::compute:
            return "compute";
        case RankTest::memory:
            return "memory";
        case RankTest::wake_up:
            return "wake-up";
    }
    return "";
}

RankWork::RankWork() : from_(copied_bytes, std::byte{1}), to_(copied_bytes) {}

void RankWork::size_pieces() {
    while (usual_piece_s(RankTest::compute) < compute_piece_s) compute_steps_ *= 2;
}

double RankWork::usual_piece_s(RankTest test) {
    if (test == RankTest::wake_up) return 1e-9 * static_cast<double>(sleep_ns);
    constexpr int repetitions = 5;
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const double begin_s = thread_cpu_s();
        piece_s(test);
        shortest_s = std::min(shortest_s, thread_cpu_s() - begin_s);
    }
    return shortest_s;
}

double RankWork::piece_s(RankTest test) {
    const double begin_s = now_s();
    double expected_s = 0.0;
    switch (test) {
        case RankTest::compute:
            compute();
            break;
        case RankTest::memory:
            copy();
            break;
        case RankTest::wake_up:
            sleep();
            expected_s = 1e-9 * static_cast<double>(sleep_ns);
            break;
    }
    return now_s() - begin_s - expected_s;
}

void RankWork::compute() {
    std::array<double, lanes> sums{};
    for (std::int64_t step = 0; step < compute_steps_; ++step) {
        for (double& sum : sums) sum = sum * 0.999 + 1e-3;
    }
    for (const double sum : sums) sum_ += sum;
}

void RankWork::copy() {
    std::memcpy(to_.data(), from_.data(), from_.size());
    from_.swap(to_);
    sum_ += static_cast<double>(from_[from_.size() / 2]);
}

void RankWork::sleep() {
    const timespec pause{0, sleep_ns};
    nanosleep(&pause, nullptr);
}

}  // namespace shardstone::benchmarks
