// SPDX-License-Identifier: BSD-3-Clause
// Fixed pieces of arithmetic, memory traffic and sleep.
#include "benchmarks/interconnect/rank_work.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "kernels/base/clock.hpp"
#include "kernels/base/cpu_clock.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr std::size_t copied_bytes = std::size_t{32} << 20U;
constexpr double arithmetic_piece_s = 2e-3;  // at least
constexpr long sleep_ns = 1'000'000;

/// Enough independent sums to keep several multiply-add units of any latency up to ten busy.
constexpr std::size_t lanes = 64;

/// In the order of the enumerators, so that those of hosts are the first.
constexpr std::array all_tests{RankTest::arithmetic,  RankTest::memory,     RankTest::wake_up,
                               RankTest::gpu_product, RankTest::gpu_memory, RankTest::gpu_transfer};
constexpr std::size_t tests_of_hosts = 3;

bool is_of_gpu(RankTest test) {
    return test >= RankTest::gpu_product;
}

}  // namespace

std::span<const RankTest> rank_tests(collectives::DataMemory memory) {
    const bool is_of_hosts = memory == collectives::DataMemory::host;
    return std::span(all_tests).first(is_of_hosts ? tests_of_hosts : all_tests.size());
}

const char* to_string(RankTest test) {
    switch (test) {
        case RankTest::arithmetic:
            return "arithmetic";
        case RankTest::memory:
            return "memory";
        case RankTest::wake_up:
            return "wake-up";
        case RankTest::gpu_product:
            return "GPU product";
        case RankTest::gpu_memory:
            return "GPU memory";
        case RankTest::gpu_transfer:
            return "GPU transfer";
    }
    return "";
}

bool test_needs_cores(std::string_view test) {
    return std::ranges::none_of(
        all_tests, [&](RankTest known) { return to_string(known) == test && !needs_cores(known); });
}

RankWork::RankWork(std::unique_ptr<GpuWork> gpu)
    : gpu_(std::move(gpu)), from_(copied_bytes, std::byte{1}), to_(copied_bytes) {}

/// To free a GPU's memory waits for the GPU, and thus for a message that may never come: what an
/// exception ends leaves it to the end of the process.
RankWork::~RankWork() {
    if (std::uncaught_exceptions() != exceptions_) static_cast<void>(gpu_.release());
}

PieceSizes RankWork::find_sizes() {
    while (usual_piece_s(RankTest::arithmetic) < arithmetic_piece_s) steps_ *= 2;
    return {steps_, gpu_ ? gpu_->rows_to_time() : 0};
}

void RankWork::take_over(const PieceSizes& sizes) {
    steps_ = sizes.steps;
    if (gpu_) gpu_->take_over(sizes.rows);
}

double RankWork::usual_piece_s(RankTest test) {
    if (test == RankTest::wake_up) return 1e-9 * static_cast<double>(sleep_ns);
    constexpr int repetitions = 5;
    const auto clock_s = is_of_gpu(test) ? now_s : thread_cpu_s;
    double shortest_s = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        const double begin_s = clock_s();
        piece_s(test);
        shortest_s = std::min(shortest_s, clock_s() - begin_s);
    }
    return shortest_s;
}

double RankWork::piece_s(RankTest test) {
    const double begin_s = now_s();
    double expected_s = 0.0, gflop = 1.0;
    switch (test) {
        case RankTest::arithmetic:
            multiply_and_add();
            gflop = 2e-9 * static_cast<double>(lanes) * static_cast<double>(steps_);
            break;
        case RankTest::memory:
            copy();
            break;
        case RankTest::wake_up:
            sleep();
            expected_s = 1e-9 * static_cast<double>(sleep_ns);
            break;
        case RankTest::gpu_product:
            return gpu_->product_s();
        case RankTest::gpu_memory:
            return gpu_->copy_s();
        case RankTest::gpu_transfer:
            return gpu_->transfer_s();
    }
    return (now_s() - begin_s - expected_s) / gflop;
}

double RankWork::last_piece_s(RankTest test) {
    return test == RankTest::gpu_product ? gpu_->watched_product_s() : piece_s(test);
}

std::vector<results::GpuReadingRow> RankWork::take_gpu_readings() {
    return gpu_ ? gpu_->take_readings() : std::vector<results::GpuReadingRow>{};
}

std::string RankWork::why_no_gpu_readings() const {
    return gpu_ ? gpu_->why_no_readings() : "";
}

void RankWork::multiply_and_add() {
    std::array<double, lanes> sums{};
    for (std::int64_t step = 0; step < steps_; ++step) {
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
