// SPDX-License-Identifier: BSD-3-Clause
// The pieces of work of a rank's GPU take what its measured rates let expect.
#include "benchmarks/interconnect/gpu_work.hpp"

#include <algorithm>
#include <functional>

#include "kernels/base/narrow_float.hpp"
#include "kernels/roofline/device_roofline.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

constexpr double mib = 1 << 20;

class GpuWorks : public OnDevice {
  protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (!IsSkipped()) work_ = benchmarks::GpuWorkSource::function()();
    }
    std::unique_ptr<benchmarks::GpuWork> work_;
};

/// Of ten, as rates are those of the best; a GPU's clock rises with its work.
void expect_about(const std::function<double()>& piece_s, double expected_s) {
    double least_s = piece_s();
    for (int i = 1; i < 10; ++i) least_s = std::min(least_s, piece_s());
    EXPECT_GT(least_s, expected_s / 1.6);
    EXPECT_LT(least_s, expected_s * 1.6);
}

TEST_F(GpuWorks, AProductIsOfATflopHoweverManyItsRows) {
    for (const std::int64_t rows : {256, 512}) {
        work_->take_over(rows);
        expect_about([&] { return work_->product_s(); },
                     1e12 / measured_device_product_flop_s<bf16>(rows));
    }
}

TEST_F(GpuWorks, ACopyReadsAndWritesItsBytes) {
    const auto bytes = static_cast<std::int64_t>(128 * mib);
    expect_about([&] { return work_->copy_s(); },
                 2.0 * 128 * mib / measured_device_copy_bytes_s(bytes));
}

TEST_F(GpuWorks, ATransferIsBetweenTheSpeedsOfLinks) {
    work_->transfer_s();
    const double rate_bytes_s = 2.0 * 32 * mib / work_->transfer_s();
    EXPECT_GT(rate_bytes_s, 1e9);
    EXPECT_LT(rate_bytes_s, 1e12);
}

TEST_F(GpuWorks, TheRowsWorthTimingAreAPowerOfTwo) {
    const std::int64_t rows = work_->rows_to_time();
    EXPECT_GE(rows, 128);
    EXPECT_LE(rows, 8192);
    EXPECT_EQ(rows & (rows - 1), 0);
}

}  // namespace
}  // namespace shardstone::validation
