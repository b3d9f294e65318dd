// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/interconnect/gpu_work.hpp"
#include "collectives/executors/pair_messages.hpp"

namespace shardstone::benchmarks {

/// What a rank does in its turn, the same on all of them.
enum class RankTest : std::uint8_t {
    arithmetic,    ///< multiply-adds in registers, whose time is told for each GFLOP
    memory,        ///< copies of an array of 32 MiB, more than a core's own caches hold
    wake_up,       ///< sleeps of a millisecond, of which the excess counts
    gpu_product,   ///< GpuWork::product_s()
    gpu_memory,    ///< GpuWork::copy_s()
    gpu_transfer,  ///< GpuWork::transfer_s()
};
/// Those of ranks whose messages are between such memories.
std::span<const RankTest> rank_tests(collectives::DataMemory memory);
const char* to_string(RankTest test);
/// Whoever takes the cores takes nothing of a GPU's computations and memory.
constexpr bool needs_cores(RankTest test) {
    return test != RankTest::gpu_product && test != RankTest::gpu_memory;
}
/// The same by to_string(); also of a test that only other programs know.
bool test_needs_cores(std::string_view test);

/// How much one piece is.
struct PieceSizes {
    std::int64_t steps = 1000;  ///< of arithmetic
    std::int64_t rows = 0;      ///< of a GPU's product
};

/// The work behind the tests of ranks, in pieces of a few milliseconds.
class RankWork {
  public:
    /// `gpu` may be null where no test is of GPUs.
    explicit RankWork(std::unique_ptr<GpuWork> gpu = nullptr);
    RankWork(const RankWork&) = delete;
    RankWork& operator=(const RankWork&) = delete;
    ~RankWork();

    /// Such that a piece takes some milliseconds here; others take over the result.
    PieceSizes find_sizes();
    void take_over(const PieceSizes& sizes);

    /// Does one piece; its time, of a GPU's on the clock of that; of arithmetic and products that
    /// of a GFLOP and a TFLOP, of a sleep the excess.
    double piece_s(RankTest test);
    /// The last piece of a turn: the same, but that a GPU is read during its products.
    double last_piece_s(RankTest test);
    /// How long a piece takes on a core of its own: its CPU time, which neighbours do not lengthen;
    /// of a sleep its length; of a GPU's the host's time, which an emulated GPU takes.
    double usual_piece_s(RankTest test);

    /// As of GpuWork; of no GPU nothing.
    std::vector<results::GpuReadingRow> take_gpu_readings();
    std::string why_no_gpu_readings() const;

  private:
    void multiply_and_add();
    void copy();
    static void sleep();

    std::unique_ptr<GpuWork> gpu_;
    int exceptions_ = std::uncaught_exceptions();
    std::int64_t steps_ = PieceSizes().steps;
    std::vector<std::byte> from_, to_;
    double sum_ = 0.0;  ///< so that nothing is optimised away
};

}  // namespace shardstone::benchmarks
