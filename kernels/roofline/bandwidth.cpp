// SPDX-License-Identifier: BSD-3-Clause
// Measures a core's memory bandwidth for a roofline, for any mix of reads, updates and writes.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/base/clock.hpp"
#include "kernels/base/error.hpp"
#include "kernels/roofline/roofline.hpp"
#include "kernels/tensor/buffer.hpp"

namespace shardstone {

namespace {

/// Which is the quicker depends on the processor: within its second cache a Xeon is by 6 % with the
/// shorter one, which compilers prefer, too.
typedef double Lanes32 __attribute__((vector_size(32)));
typedef double Lanes64 __attribute__((vector_size(64)));
template <class Lanes>
constexpr std::int64_t lanes = sizeof(Lanes) / sizeof(double);
/// Vectors per turn of the loop: enough sums that do not wait for one another.
constexpr std::int64_t unrolled = 8;

/// Elements of each array between two looks at the clock: short against a time slice of the
/// scheduler, so that on a shared core some runs are undisturbed, and long against the clock.
constexpr std::int64_t elements_per_run = std::int64_t{1} << 17;
constexpr int passes = 4;  ///< with either vector in turn

/// Keeps the sums of loops that write nothing.
volatile double sink = 0.0;

using Arrays = std::array<double*, most_streams>;

/// The first R arrays are read, the next U updated, the next W written.
template <class Lanes, std::size_t R, std::size_t U, std::size_t W>
[[gnu::noipa]] void stream(const Arrays& arrays, std::int64_t elements) {
    std::array<Lanes*, most_streams> at{};
    for (std::size_t i = 0; i < most_streams; ++i) at[i] = reinterpret_cast<Lanes*>(arrays[i]);
    const std::int64_t vectors = elements / lanes<Lanes>;
    std::array<Lanes, unrolled> sums{};
    for (std::int64_t i = 0; i + unrolled <= vectors; i += unrolled) {
#pragma GCC unroll 8
        for (std::int64_t k = 0; k < unrolled; ++k) {
            Lanes value = Lanes{} + 1.0;
            if constexpr (R > 0) value = at[0][i + k];
#pragma GCC unroll 8
            for (std::size_t r = 1; r < R; ++r) value += at[r][i + k];
#pragma GCC unroll 8
            for (std::size_t u = R; u < R + U; ++u) at[u][i + k] += value;
#pragma GCC unroll 8
            for (std::size_t w = R + U; w < R + U + W; ++w) at[w][i + k] = value;
            if constexpr (U + W == 0) sums[static_cast<std::size_t>(k)] += value;
        }
    }
    for (const Lanes& sum : sums) sink = sink + sum[0];
}

using Loop = void (*)(const Arrays&, std::int64_t);

template <class Lanes, std::size_t... Index>
constexpr auto loops_of(std::index_sequence<Index...>) {
    return std::array<Loop, sizeof...(Index)>{
        stream<Lanes, Index / (most_of_kind * most_of_kind), Index / most_of_kind % most_of_kind,
               Index % most_of_kind>...};
}

/// By how many arrays are read, updated and written.
template <class Lanes>
Loop loop_of(const Streams& streams) {
    static constexpr auto loops =
        loops_of<Lanes>(std::make_index_sequence<most_of_kind * most_of_kind * most_of_kind>{});
    return loops.at(static_cast<std::size_t>(
        (streams.read * most_of_kind + streams.updated) * most_of_kind + streams.written));
}

}  // namespace

double measured_bandwidth_b_s(std::int64_t working_set_bytes, const Streams& streams) {
    const int count = streams.read + streams.updated + streams.written;
    SHARDSTONE_EXPECTS(working_set_bytes >= 4096 && count > 0 && streams.read < most_of_kind &&
                       streams.updated < most_of_kind && streams.written < most_of_kind);
    constexpr std::int64_t turn = lanes<Lanes64> * unrolled;
    const auto size =
        std::max<std::int64_t>(
            1, working_set_bytes / static_cast<std::int64_t>(sizeof(double)) / count / turn) *
        turn;
    const std::int64_t piece = std::min(size, elements_per_run);
    const std::int64_t repeats = elements_per_run / piece;
    std::vector<Buffer<double>> buffers;
    for (int i = 0; i < count; ++i) buffers.emplace_back(size);
    const std::array loops{loop_of<Lanes32>(streams), loop_of<Lanes64>(streams)};
    double best_s = std::numeric_limits<double>::max();
    for (std::size_t pass = 0; pass < passes; ++pass) {
        const Loop loop = loops[pass % loops.size()];
        for (std::int64_t begin = 0; begin + piece <= size; begin += piece) {
            Arrays arrays{};
            for (std::size_t i = 0; i < buffers.size(); ++i) {
                arrays[i] = buffers[i].data() + begin;
            }
            const double begin_s = now_s();
            for (std::int64_t repeat = 0; repeat < repeats; ++repeat) loop(arrays, piece);
            best_s = std::min(best_s, now_s() - begin_s);
        }
    }
    const double bytes =
        sizeof(double) * streams.bytes_per_byte() * static_cast<double>(piece * repeats);
    return bytes / best_s;
}

}  // namespace shardstone
