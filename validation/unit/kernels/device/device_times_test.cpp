// SPDX-License-Identifier: BSD-3-Clause
// Times by the GPU's events are seconds, of one of the repetitions between two of them.
#include <algorithm>

#include "kernels/base/clock.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "kernels/tensor/arrays.hpp"
#include "kernels/tensor/buffer.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

class DeviceTimes : public OnDevice {
  protected:
    /// The shortest of five samples of clearing 64 MiB.
    static double least_s(int repetitions) {
        constexpr std::int64_t count = 1 << 24;
        Buffer<float, Cuda> cleared(count);
        const CudaQueue queue;
        return std::ranges::min(device_times_s(
            queue, [&] { clear_array(queue, cleared.data(), count); }, 5, repetitions));
    }
};

TEST_F(DeviceTimes, AreOfOneRepetition) {
    const double alone_s = least_s(1), of_sixteen_s = least_s(16);
    EXPECT_LT(of_sixteen_s, 4.0 * alone_s);
    EXPECT_GT(of_sixteen_s, alone_s / 4.0);
}

TEST_F(DeviceTimes, AreSeconds) {
    least_s(1);  // what it takes to begin is no part of it
    const double begin_s = now_s();
    const double of_sixteen_s = 16 * least_s(16);
    const double passed_s = now_s() - begin_s;
    EXPECT_LT(of_sixteen_s, passed_s);
    // Five samples; an emulated GPU's seconds are not the host's, nor are they milliseconds.
    EXPECT_GT(of_sixteen_s, passed_s / 5000.0);
}

}  // namespace
}  // namespace shardstone::validation
