// SPDX-License-Identifier: BSD-3-Clause
// Exact sums on the device, of gradients and of losses, bitwise those of the host.
#include "kernels/optimizer/exact_gradients.hpp"

#include <limits>

#include "reference/model/loss_totals.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone {

static bool operator==(const ExactPair& a, const ExactPair& b) {
    return a.high == b.high && a.low == b.low;
}

namespace validation {
namespace {

template <class Real>
class DeviceExactGradients : public OnDevice {};
TYPED_TEST_SUITE(DeviceExactGradients, RealTypes);
using DeviceExactSums = OnDevice;
using DeviceLosses = OnDevice;

constexpr double limit = 1000.0;

/// What is left when two passes have been moved to sums and these rounded.
template <class Real>
struct Left {
    std::vector<Real> gradients, rounded;
    std::vector<ExactPair> sums;
    std::int64_t lost = 0;
};

/// Numbers of many magnitudes; some are beyond the limit or no numbers.
template <class Real>
std::vector<Real> gradients_of(Size count, const std::string& pass) {
    Values values = random_values(count, pass, 1e-6);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] *= 1e8;
    for (std::size_t i = 1; i < values.size(); i += 50) values[i] = std::nan("");
    for (std::size_t i = 2; i < values.size(); i += 70) values[i] = i % 4 == 0 ? -limit : -1001.0;
    return as<Real>(values);
}

template <class Real, class Space>
Left<Real> moved(Size count) {
    const typename Space::Queue queue;
    Located<ExactPair, Space> sums(count);
    Located<std::int64_t, Space> lost(1, 7);
    Located<Real, Space> rounded(count, Real(-1));
    Left<Real> left;
    for (const char* pass : {"one", "two"}) {
        Located<Real, Space> gradients(gradients_of<Real>(count, pass));
        move_to_exact_sums(queue, gradients.span(), limit, sums.span(), *lost.data());
        left.gradients = gradients.read();
    }
    round_exact_sums<Real>(queue, std::as_const(sums).span(), rounded.span());
    left.rounded = rounded.read();
    left.sums = sums.read();
    left.lost = lost.read().front();
    return left;
}

TYPED_TEST(DeviceExactGradients, AreMovedCountedAndRounded) {
    for (const Size count : {0, 1, 5, 257, 10'007}) {
        const auto host = moved<TypeParam, Host>(count);
        const auto device = moved<TypeParam, Cuda>(count);
        EXPECT_EQ(device.lost, host.lost);
        EXPECT_TRUE(device.gradients == host.gradients) << count;
        EXPECT_TRUE(device.sums == host.sums) << count;
        EXPECT_TRUE(device.rounded == host.rounded) << count;
    }
}

TEST_F(DeviceExactSums, AreAddedWordByWord) {
    const auto others = moved<float, Host>(10'007).sums;
    auto expected = moved<float, Host>(10'007).sums;
    std::ranges::reverse(expected);
    Located<ExactPair, Cuda> sums(expected);
    const Located<ExactPair, Cuda> added(others);
    add_exact_sums(CudaQueue(), added.span(), sums.span());
    add_exact_sums(HostQueue(), others, expected);
    EXPECT_TRUE(sums.read() == expected);
}

template <class Space>
reference::LossTotals totals_of(const std::vector<reference::LossSums>& passes) {
    Located<reference::LossTotals, Space> totals(1);
    for (const reference::LossSums& pass : passes) {
        Located<reference::LossSums, Space> sums(1, pass);
        reference::add_losses(typename Space::Queue(), *sums.data(), 1.0 / 3.0, limit,
                              *totals.data());
        const reference::LossSums cleared = sums.read().front();
        for (const auto sum : reference::each_loss_sum) EXPECT_EQ(cleared.*sum, 0.0);
    }
    return totals.read().front();
}

TEST_F(DeviceLosses, AreAddedAsOnTheHost) {
    const std::vector<reference::LossSums> passes{
        {10.7, 0.1, 0.2, 3.0}, {11.3, 1e-5, 0.7, 1.0}, {0x1p-40, 1e9, -0.3, 0.0}};
    EXPECT_TRUE(totals_of<Cuda>(passes) == totals_of<Host>(passes));
}

TEST_F(DeviceLosses, AreNoNumberAfterALossThatCannotBeAdded) {
    for (const double bad : {3003.5, -3003.5, HUGE_VAL, std::nan("")}) {
        EXPECT_TRUE(std::isnan(totals_of<Cuda>({{1.0}, {bad}, {1.0}})[0].value())) << bad;
    }
    EXPECT_TRUE(std::isfinite(totals_of<Cuda>({{1.0}, {2999.0}})[0].value()));
}

}  // namespace
}  // namespace validation
}  // namespace shardstone
