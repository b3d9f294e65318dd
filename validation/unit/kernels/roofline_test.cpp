// SPDX-License-Identifier: BSD-3-Clause
// Measured peaks and bandwidths are plausible: no product beats them, and each type has its own.
#include "kernels/roofline/roofline.hpp"

#include "kernels/base/clock.hpp"
#include "kernels/gemm/gemm.hpp"
#include "validation/unit/kernels/compare.hpp"

namespace shardstone::validation {
namespace {

template <class S>
double best_product_flop_s() {
    constexpr Size n = 384;
    auto a = as<S>(random_values(n * n, "a")), b = as<S>(random_values(n * n, "b"));
    std::vector<float> c(n * n);
    double best_s = 1.0;
    for (int run = 0; run < 30; ++run) {
        const double begin_s = now_s();
        gemm<S>(HostQueue(), 1, view(a, n), view(b, n), 0, view(c, n));
        best_s = std::min(best_s, now_s() - begin_s);
    }
    return 2.0 * n * n * n / best_s;
}

// A peak below what a real product reaches is no peak: the loop has lost its vectors or its fusing.
// 10 % for the clock frequency, which may change between the two.
TEST(Roofline, NoProductIsFasterThanThePeak) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
    GTEST_SKIP() << "speed means nothing in this build";
#endif
    // Another process may have the core for as long as a measurement takes, but not for ten.
    const double product = best_product_flop_s<float>();
    double peak = 0.0;
    for (int attempt = 0; attempt < 10 && product >= 1.1 * peak; ++attempt) {
        peak = std::max(peak, measured_peak_flop_s());
    }
    EXPECT_LT(product, 1.1 * peak);
}

// Products of whole matrices were taken for the peak once: one of another size was 1.4 times as
// fast.
TEST(Roofline, NoProductIsFasterThanTheMatrixUnit) {
    if (!measured_matrix_unit_flop_s()) GTEST_SKIP() << "this processor has no matrix unit (AMX)";
    const double product = best_product_flop_s<bf16>();
    double peak = 0.0;
    for (int attempt = 0; attempt < 10 && product >= 1.1 * peak; ++attempt) {
        peak = std::max(peak, *measured_matrix_unit_flop_s());
    }
    EXPECT_LT(product, 1.1 * peak);
    EXPECT_GT(peak, 2.0 * measured_peak_flop_s());
}

TEST(Roofline, EachArithmeticHasAPeakOfItsOwn) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
    GTEST_SKIP() << "speed means nothing in this build";
#endif
    // Half as many numbers in a vector: half the peak, give or take what else runs.
    double fp32 = 0.0, fp64 = 0.0;
    for (int attempt = 0; attempt < 5; ++attempt) {
        fp32 = std::max(fp32, measured_peak_flop_s());
        fp64 = std::max(fp64, measured_fp64_peak_flop_s());
    }
    EXPECT_GT(fp64, 0.3 * fp32);
    EXPECT_LT(fp64, 0.7 * fp32);
    EXPECT_GT(measured_product_flop_s<bf16>(), 0.1 * fp32);
}

// A mixture of instructions is at least as quick as multiply-adds alone, which are one operation of
// two FLOP; no core has more than a few pipelines beside those.
TEST(Roofline, OperationsOfAnyKindAreAtLeastAsManyAsMultiplyAdds) {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
    GTEST_SKIP() << "speed means nothing in this build";
#endif
    double any32 = 0.0, any64 = 0.0, peak32 = 0.0, peak64 = 0.0;
    for (int attempt = 0; attempt < 5; ++attempt) {
        any32 = std::max(any32, measured_operations_s<float>());
        any64 = std::max(any64, measured_operations_s<double>());
        peak32 = std::max(peak32, measured_peak_flop_s());
        peak64 = std::max(peak64, measured_fp64_peak_flop_s());
    }
    EXPECT_GT(any32, 0.9 * peak32 / 2.0);
    EXPECT_GT(any64, 0.9 * peak64 / 2.0);
    EXPECT_LT(any32, 4.0 * peak32 / 2.0);
    EXPECT_LT(any64, 4.0 * peak64 / 2.0);
}

TEST(Roofline, BandwidthOfEveryPatternCountsEachArrayOnceARead) {
    EXPECT_EQ((Streams{1, 3, 0}.bytes_per_byte()), 7.0);
    EXPECT_EQ((Streams{0, 1, 2}.bytes_per_byte()), 4.0);
    constexpr std::int64_t in_cache = 64 << 10;
    double least = 1e18, most = 0.0;
    for (const Streams& streams : {Streams{1, 1, 0}, Streams{1, 3, 0}, Streams{2, 0, 1},
                                   Streams{0, 1, 1}, Streams{3, 3, 3}, Streams{2, 0, 0}}) {
        double rate = 0.0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            rate = std::max(rate, measured_bandwidth_b_s(in_cache, streams));
        }
        least = std::min(least, rate);
        most = std::max(most, rate);
    }
    // A cache reads at most a few times as fast as it writes: no pattern moves ten times another.
    EXPECT_GT(least, 1e9);
    EXPECT_LT(most, 10.0 * least);
}

TEST(Roofline, BandwidthIsPlausible) {
    const double rate = measured_bandwidth_b_s(std::int64_t{8} << 20);
    EXPECT_GT(rate, 1e8);
    EXPECT_LT(rate, 1e13);
}

// From emulation to matrix units.
TEST(Roofline, SpeedupOfNarrowProductsIsPlausible) {
    for (const double speedup :
         {measured_product_speedup<bf16>(), measured_product_speedup<fp16>()}) {
        EXPECT_GT(speedup, 0.01);
        EXPECT_LT(speedup, 100.0);
    }
}

}  // namespace
}  // namespace shardstone::validation
