// SPDX-License-Identifier: BSD-3-Clause
// Attention's gradients on the device equal the oracle's, whole and in pieces, at all sizes of
// heads.
#include "kernels/transformer/attention.hpp"
#include "kernels/transformer/partial_attention.hpp"
#include "validation/numerics/kernels/attention_bounds.hpp"
#include "validation/numerics/kernels/located.hpp"
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceTypes = ::testing::Types<float, bf16, fp16>;

/// Inputs, and what the host's forward pass gives backward.
template <class S>
struct Given {
    oracle::AttentionSizes sizes;
    Values qkv_, d_out_;
    std::vector<S> qkv, d_out, out;
    std::vector<float> log_sum;

    explicit Given(const oracle::AttentionSizes& given) : sizes(given) {
        const AttentionShape shape = this->shape();
        const Size count = sizes.batch * sizes.sequence * shape.channels();
        qkv_ = stored<S>(random_values(3 * count, "qkv"));
        d_out_ = stored<S>(random_values(count, "d_out"));
        qkv = as<S>(qkv_), d_out = as<S>(d_out_), out = d_out;
        log_sum.resize(static_cast<std::size_t>(sizes.batch * sizes.heads * sizes.sequence));
        std::vector<float> scratch(static_cast<std::size_t>(shape.template scratch_elements<S>()));
        attention_forward<S>(HostQueue(), shape, qkv.data(), out.data(), log_sum.data(),
                             scratch.data());
    }
    AttentionShape shape() const {
        return {sizes.batch, sizes.sequence, sizes.heads, sizes.head_size};
    }
    std::string name() const {
        return "attention, T = " + std::to_string(sizes.sequence) +
               ", D = " + std::to_string(sizes.head_size);
    }
    /// An output in T, held against the oracle.
    template <class T>
    KernelOutput compared(const std::vector<T>& d_qkv, Planted bug = Planted::none) const {
        AttentionBounds bounds(sizes, qkv_, d_out_, AttentionRoundings::of<S>());
        add_storage_error<T>(oracle::attention_gradient(sizes, qkv_, d_out_), bounds.d_qkv);
        return output_of<S>(name(), "d_qkv", d_qkv,
                            oracle::attention_gradient(sizes, qkv_, d_out_, bug), bounds.d_qkv);
    }
};

template <class S>
std::vector<S> gradient_of(const Given<S>& given) {
    // NaN everywhere first: the result is overwritten and scratch is never read unwritten.
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const AttentionShape shape = given.shape();
    const Located<S, Cuda> qkv(given.qkv), out(given.out), d_out(given.d_out);
    const Located<float, Cuda> log_sum(given.log_sum);
    Located<S, Cuda> d_qkv(qkv.size(), S(nan));
    Located<float, Cuda> scratch(shape.template scratch_elements<S, Cuda>(), nan);
    attention_backward<S>(CudaQueue(), shape, {qkv.data(), out.data(), log_sum.data()},
                          d_out.data(), d_qkv.data(), scratch.data());
    return d_qkv.read();
}

template <class S>
class DeviceAttentionBackward : public OnDevice {};
TYPED_TEST_SUITE(DeviceAttentionBackward, DeviceTypes);

TYPED_TEST(DeviceAttentionBackward, AfterForwardEqualsOracle) {
    expect_equal_to_oracle(attention_outputs<Cuda>(element_traits<TypeParam>::type));
}

// With the host's forward pass. Heads as large as their tile, smaller, and odd.
TYPED_TEST(DeviceAttentionBackward, EqualsOracle) {
    for (const oracle::AttentionSizes& sizes : std::vector<oracle::AttentionSizes>{{1, 1, 1, 4},
                                                                                   {1, 65, 2, 5},
                                                                                   {2, 7, 3, 64},
                                                                                   {1, 127, 2, 64},
                                                                                   {1, 65, 1, 24},
                                                                                   {2, 65, 2, 48},
                                                                                   {1, 7, 2, 80}}) {
        const Given<TypeParam> given(sizes);
        const auto d_qkv = gradient_of(given);
        expect_equal_to_oracle({given.compared(d_qkv)});
        if (sizes.sequence == 1) continue;  // nothing to mask
        expect_seen({given.compared(d_qkv, Planted::mask_off_by_one)}, {"d_qkv"});
    }
}

TYPED_TEST(DeviceAttentionBackward, DoesNothingWithoutRows) {
    attention_backward<TypeParam>(CudaQueue(), {0, 64, 2, 64}, {}, nullptr, nullptr, nullptr);
    attention_backward<TypeParam>(CudaQueue(), {2, 0, 2, 64}, {}, nullptr, nullptr, nullptr);
    partial_attention_backward<TypeParam>(CudaQueue(), {2, 2, 64, 7, 0, false}, {}, nullptr);
    CudaQueue().wait();
}

TYPED_TEST(DeviceAttentionBackward, RefusesLargeHeads) {
    EXPECT_THROW(
        attention_backward<TypeParam>(CudaQueue(), {1, 1, 1, 129}, {}, nullptr, nullptr, nullptr),
        Error);
}

/// The gradient from two pieces of positions: the second one's queries see the first one's keys,
/// too. `pad` columns follow each row of Q, K and V, so that rows can be unaligned.
template <class S>
std::vector<float> gradient_in_pieces(const Given<S>& given, Size first_piece, Size pad) {
    const auto [batch, length, heads, head_size] = given.sizes;
    const Size channels = heads * head_size, wide = 3 * channels, padded = wide + pad;
    Located<S, Cuda> qkv(batch * length * padded);
    const Located<S, Cuda> given_qkv(given.qkv), out(given.out), d_out(given.d_out);
    const CudaQueue queue;
    copy_rows<S>(queue, given_qkv.view(batch * length),
                 qkv.view(batch * length).columns_from(pad, wide));
    const Located<float, Cuda> log_sum(given.log_sum);
    Located<float, Cuda> d_qkv(batch * length * wide, 0.0F), dots(log_sum.size());
    const auto piece = [&](auto* data, Size leading, Size row, Size part) {
        return PieceRows{data + row * leading + part * channels, leading, length * leading};
    };
    const S* const in = qkv.data() + pad;
    float* const to = d_qkv.data();
    const auto dots_at = [&](Size q) { return PieceNumbers<float>{dots.data() + q, length}; };
    for (const auto& [q, k] :
         {std::pair<Size, Size>{0, 0}, {first_piece, 0}, {first_piece, first_piece}}) {
        const Size queries = q == 0 ? first_piece : length - first_piece;
        const Size keys = k == 0 ? first_piece : length - first_piece;
        const PartialAttentionShape shape{batch, heads, head_size, queries, keys, q == k};
        attention_output_dots<S>(queue, shape, piece(out.data(), channels, q, 0),
                                 piece(d_out.data(), channels, q, 0), dots_at(q), nullptr);
        partial_attention_backward<S>(queue, shape,
                                      {piece(in, padded, q, 0),
                                       piece(in, padded, k, 1),
                                       piece(in, padded, k, 2),
                                       piece(d_out.data(), channels, q, 0),
                                       {log_sum.data() + q, length},
                                       {dots.data() + q, length},
                                       piece(to, wide, q, 0),
                                       piece(to, wide, k, 1),
                                       piece(to, wide, k, 2)},
                                      nullptr);
    }
    return d_qkv.read();
}

// Sums of pieces have the terms of the whole, in another order, and are not rounded to S.
TYPED_TEST(DeviceAttentionBackward, InPiecesEqualsOracle) {
    struct Case {
        oracle::AttentionSizes sizes;
        Size first_piece, pad;
    };
    for (const Case& one : std::vector<Case>{{{2, 7, 2, 4}, 3, 0},
                                             {{2, 130, 2, 64}, 65, 0},
                                             {{1, 97, 2, 64}, 33, 1},
                                             {{1, 140, 1, 128}, 100, 8}}) {
        const Given<TypeParam> given(one.sizes);
        const auto d_qkv = gradient_in_pieces(given, one.first_piece, one.pad);
        expect_equal_to_oracle({given.compared(d_qkv)});
        expect_seen({given.compared(d_qkv, Planted::mask_off_by_one)}, {"d_qkv"});
    }
}

// Blocks in another order of time must not change a bit: no sum depends on it.
TYPED_TEST(DeviceAttentionBackward, IsDeterministic) {
    const Given<TypeParam> given({2, 150, 2, 64});
    const auto once = gradient_of(given), again = gradient_of(given);
    EXPECT_EQ(std::memcmp(once.data(), again.data(), once.size() * sizeof(TypeParam)), 0);
}

}  // namespace
}  // namespace shardstone::validation
