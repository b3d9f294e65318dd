// SPDX-License-Identifier: BSD-3-Clause
// Stochastic rounding to bf16 on the GPU: a thread draws one counter of Philox for its eight
// numbers.
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "kernels/optimizer/stochastic_store.hpp"

namespace shardstone {

namespace {

using namespace device;

constexpr int per_counter = static_cast<int>(random_numbers_per_counter);

struct Draw {
    std::uint64_t seed, stream;

    __device__ Pack<std::uint32_t, per_counter> operator()(std::uint64_t counter) const {
        const auto words = philox(seed, stream, counter);
        Pack<std::uint32_t, per_counter> random;
#pragma unroll
        for (int i = 0; i < per_counter; ++i) {
            random.element[i] = words[i / 2] >> (i % 2 == 0 ? 0 : 16) & 0xffffU;
        }
        return random;
    }
};

/// Counter number c of the call has the numbers from place c * per_counter - skipped on.
__global__ void store(FactorsAt factors, Draw draw, std::uint64_t first_counter,
                      std::int64_t skipped, std::int64_t counters, bool aligned, const float* from,
                      bf16* to, std::int64_t count) {
    if (factors.skips()) return;
    for_each_of_grid(counters, [=](std::int64_t c) {
        const auto random = draw(first_counter + static_cast<std::uint64_t>(c));
        const std::int64_t place = c * per_counter - skipped;
        const auto rounded = [&](float value, int i) {
            return shardstone::detail::round_stochastically(value, random.element[i]);
        };
        if (aligned && place >= 0 && place + per_counter <= count) {
            const auto lower = load_pack<float>(from + place);
            const auto upper = load_pack<float>(from + place + 4);
            Pack<bf16, per_counter> stored;
#pragma unroll
            for (int i = 0; i < per_counter; ++i) {
                stored.element[i] = rounded(i < 4 ? lower.element[i] : upper.element[i - 4], i);
            }
            store_pack(stored, to + place);
            return;
        }
#pragma unroll
        for (int i = 0; i < per_counter; ++i) {
            const std::int64_t at = place + i;
            if (at >= 0 && at < count) to[at] = rounded(from[at], i);
        }
    });
}

}  // namespace

void store_stochastically(CudaQueue queue, const RoundingNumbers& numbers, const FactorsAt& factors,
                          Cuda::Span<const float> from, Cuda::Span<bf16> to) {
    const std::int64_t first = numbers.first;
    SHARDSTONE_EXPECTS(from.size() == to.size() && first >= 0);
    const auto count = static_cast<std::int64_t>(from.size());
    if (count == 0) return;
    const std::int64_t skipped = first % per_counter;
    const std::int64_t counters = (skipped + count + per_counter - 1) / per_counter;
    const bool aligned =
        are_aligned(16, from.data() - skipped) && are_aligned(16, to.data() - skipped);
    launch(store, elementwise(counters), queue.stream(), factors,
           Draw{numbers.seed, numbers.stream}, static_cast<std::uint64_t>(first / per_counter),
           skipped, counters, aligned, from.data(), to.data(), count);
}

}  // namespace shardstone
