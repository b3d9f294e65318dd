// SPDX-License-Identifier: BSD-3-Clause
// Positions reach their experts' rows on the device and come back: as on the host, dots within
// bounds.
#include "kernels/transformer/expert_rows.hpp"

#include <algorithm>
#include <limits>

#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"
#include "validation/unit/kernels/device/same_as_host.hpp"

namespace shardstone::validation {
namespace {

using Indices = std::vector<std::int32_t>;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Shape {
    Size positions, top_k, channels, leading;
};
// More than a block's positions; packs that are whole, broken and shifted, once and several times a
// lane's; more choices than lanes.
const std::vector<Shape> shapes{{1, 1, 1, 1},      {11, 3, 131, 131}, {9, 2, 768, 768},
                                {17, 5, 520, 528}, {9, 2, 776, 777},  {3, 35, 40, 40}};

/// Positions with choices among twice as many experts as each has, every fourth of them dropped.
struct Routed {
    Shape shape;
    Size experts, buffer_rows;
    Indices rows, choices;
    std::vector<float> gates;

    explicit Routed(const Shape& of)
        : shape(of), experts(2 * of.top_k), buffer_rows(of.positions * of.top_k + 4) {
        for (Size i = 0; i < of.positions * of.top_k; ++i) {
            rows.push_back(i % 4 == 2 ? -1
                                      : static_cast<std::int32_t>(of.positions * of.top_k - 1 - i));
            const Size n = i / of.top_k, k = i % of.top_k;
            choices.push_back(static_cast<std::int32_t>((n + 2 * k) % experts));
        }
        gates = as<float>(random_values(of.positions * experts, "gates"));
        // Of experts that nobody chose, or whose choice was dropped: not to be read.
        std::vector<bool> is_read(gates.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i] >= 0) is_read[at(i)] = true;
        }
        for (std::size_t i = 0; i < gates.size(); ++i) gates[i] = is_read[i] ? gates[i] : nan;
    }
    std::size_t at(std::size_t i) const {
        const auto n = static_cast<Size>(i) / shape.top_k;
        return static_cast<std::size_t>(n * experts + choices[i]);
    }
    /// So many rows, with NaNs after the columns and, of the buffer, in rows that nobody has.
    template <class T>
    std::vector<T> numbers(Size count, const std::string& name) const {
        const auto values = as<T>(random_values(count * shape.leading, name));
        std::vector<T> all = values;
        for (Size i = 0; i < count * shape.leading; ++i) {
            const bool is_read =
                count != buffer_rows ||
                std::ranges::find(rows, static_cast<std::int32_t>(i / shape.leading)) != rows.end();
            if (i % shape.leading >= shape.channels || !is_read) all[i] = T(nan);
        }
        return all;
    }
    template <class T>
    Matrix<T> of(std::vector<T>& numbers) const {
        return {numbers.data(), static_cast<Size>(numbers.size()) / shape.leading, shape.channels,
                shape.leading};
    }
    template <class T>
    Matrix<T, Cuda> of(Located<T, Cuda>& numbers) const {
        return {numbers.data(), numbers.size() / shape.leading, shape.channels, shape.leading};
    }
};

/// The indices and gates on the device.
struct Devices {
    Located<std::int32_t, Cuda> rows, choices;
    Located<float, Cuda> gates;
    Size positions;

    explicit Devices(const Routed& of)
        : rows(of.rows), choices(of.choices), gates(of.gates), positions(of.shape.positions) {}
};

template <class S>
class DeviceExpertRows : public OnDevice {};
TYPED_TEST_SUITE(DeviceExpertRows, DeviceStorageTypes);

TYPED_TEST(DeviceExpertRows, AreDispatchedAsOnTheHost) {
    using S = TypeParam;
    for (const Shape& shape : shapes) {
        Routed of(shape);
        Devices there(of);
        const Size n = shape.positions;
        auto x = of.numbers<S>(n, "x");
        auto expected = of.numbers<S>(of.buffer_rows, "to"), expected_d = expected;
        Located<S, Cuda> device_x(x), to(expected), d(expected);
        dispatch_rows<S>(CudaQueue(), of.of(device_x), there.rows.view(n), of.of(to));
        dispatch_gradient<S>(CudaQueue(), of.of(device_x), there.rows.view(n),
                             there.choices.view(n), there.gates.view(n), of.of(d));
        dispatch_rows<S>(HostQueue(), of.of(x), view(of.rows, n), of.of(expected));
        dispatch_gradient<S>(HostQueue(), of.of(x), view(of.rows, n), view(of.choices, n),
                             view(of.gates, n), of.of(expected_d));
        expect_same_as_host(to.read(), expected);
        expect_same_as_host(d.read(), expected_d);
    }
}

TYPED_TEST(DeviceExpertRows, GateGradientsAreWithinTheirBound) {
    using S = TypeParam;
    for (const Shape& shape : shapes) {
        Routed of(shape);
        Devices there(of);
        const Size n = shape.positions;
        auto d_out = of.numbers<S>(n, "d_out");
        const auto from = of.numbers<S>(of.buffer_rows, "from");
        Located<S, Cuda> device_d(d_out), buffer(from);
        Located<float, Cuda> d_gates(n * shape.top_k, 99.0F);
        gate_gradients<S>(CudaQueue(), of.of(device_d), of.of(buffer), there.rows.view(n),
                          d_gates.view(n));
        const auto actual = d_gates.read();
        // A lane adds its packs of 16 B one by one, fused with the products; then the 32 lanes.
        constexpr Size pack = 16 / sizeof(S);
        const auto roundings =
            static_cast<double>((shape.channels + 32 * pack - 1) / (32 * pack) * pack + 5);
        const auto share = [&] {
            const PlainSums expected = plain_sums(
                Values(actual.size()), shape.top_k, shape.channels, [&](Size i, Size k, Size c) {
                    const Size row = of.rows[i * shape.top_k + k];
                    if (row < 0) return 0.0;
                    return wide(d_out[i * shape.leading + c]) * wide(from[row * shape.leading + c]);
                });
            return worst_ratio(actual, expected.sums, expected.bounds<float, float>(roundings));
        };
        EXPECT_LE(share(), 1.0) << shape.channels;
        d_out[shape.channels - 1] = S(wide(d_out[shape.channels - 1]) > 0 ? -1.0F : 1.0F);
        EXPECT_GT(share(), 1.0) << "the comparison misses another number";
    }
}

template <class Types>
class DeviceExpertSums : public OnDevice {};
TYPED_TEST_SUITE(DeviceExpertSums, DeviceStreamTypes);

TYPED_TEST(DeviceExpertSums, AreTheHosts) {
    if (!host_fuses) GTEST_SKIP() << "the host rounds products before it adds";
    using S = typename TypeParam::S;
    using R = typename TypeParam::R;
    for (const Shape& shape : shapes) {
        Routed of(shape);
        Devices there(of);
        const Size n = shape.positions;
        auto from = of.numbers<S>(of.buffer_rows, "from");
        auto expected = of.numbers<R>(n, "out"), expected_sum = expected;
        Located<S, Cuda> buffer(from);
        Located<R, Cuda> out(expected), sum(expected);
        combine_rows<S, R>(CudaQueue(), of.of(buffer), there.rows.view(n), there.choices.view(n),
                           there.gates.view(n), of.of(out));
        sum_rows<S, R>(CudaQueue(), of.of(buffer), there.rows.view(n), of.of(sum));
        combine_rows<S, R>(HostQueue(), of.of(from), view(of.rows, n), view(of.choices, n),
                           view(of.gates, n), of.of(expected));
        sum_rows<S, R>(HostQueue(), of.of(from), view(of.rows, n), of.of(expected_sum));
        expect_same_as_host(out.read(), expected);
        expect_same_as_host(sum.read(), expected_sum);
    }
}

using DeviceRows = OnDevice;

TEST_F(DeviceRows, OfNoPositionsChangeNothing) {
    Located<float, Cuda> numbers(8, 1.0F);
    Located<std::int32_t, Cuda> indices(8, 0);
    const Matrix<float, Cuda> none{numbers.data(), 0, 4, 4}, some{numbers.data(), 2, 4, 4};
    const Matrix<std::int32_t, Cuda> no_rows{indices.data(), 0, 2, 2};
    const CudaQueue queue;
    dispatch_rows<float>(queue, none, no_rows, some);
    dispatch_gradient<float>(queue, none, no_rows, no_rows, none, some);
    gate_gradients<float>(queue, none, some, no_rows, none);
    combine_rows<float, float>(queue, some, no_rows, no_rows, none, none);
    sum_rows<float, float>(queue, some, no_rows, none);
    EXPECT_EQ(numbers.read(), std::vector<float>(8, 1.0F));
}

}  // namespace
}  // namespace shardstone::validation
