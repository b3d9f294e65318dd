// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy on the device in three parts, as ranks compute it that share the vocabulary.
#include "validation/unit/kernels/compare.hpp"
#include "validation/unit/kernels/device/logit_problem.hpp"
#include "validation/unit/kernels/device/needs_gpu.hpp"

namespace shardstone::validation {
namespace {

using DeviceLogitsShards = OnDevice;

/// What each shard of the columns computes on the device, and the reductions in between, here.
template <class S>
struct Sharded {
    std::vector<float> maximum, sums, target_logits, log_sum;
    double loss = 0.0;
    std::vector<S> gradient;

    /// Shards begin at these columns.
    Sharded(const LogitProblem<S>& of, std::vector<Size> begins) {
        const CudaQueue queue;
        const auto& shape = of.shape;
        begins.push_back(shape.columns);
        Located<S, Cuda> logits(as<S>(of.whole));
        const Located<std::int32_t, Cuda> targets(of.targets);
        const Matrix<S, Cuda> all = shape.of(logits);
        const auto of_shards = [&](const auto& f) {
            for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
                f(begins[s], all.columns_from(begins[s], begins[s + 1] - begins[s]));
            }
        };
        const auto rows = static_cast<std::size_t>(shape.rows);
        maximum.assign(rows, -std::numeric_limits<float>::infinity());
        sums.assign(rows, 0.0F), target_logits.assign(rows, 0.0F);
        Located<float, Cuda> own(shape.rows), own_target(shape.rows);
        of_shards([&](Size, Matrix<S, Cuda> shard) {
            logits_maximum<S>(queue, shard, own.data());
            const auto read = own.read();
            for (std::size_t r = 0; r < rows; ++r) maximum[r] = std::max(maximum[r], read[r]);
        });
        Located<float, Cuda> its_maximum(maximum);
        of_shards([&](Size first, Matrix<S, Cuda> shard) {
            logits_sums<S>(queue, shard, targets.span(), first, its_maximum.data(), own.data(),
                           own_target.data());
            const auto read = own.read(), read_target = own_target.read();
            for (std::size_t r = 0; r < rows; ++r) sums[r] += read[r];
            for (std::size_t r = 0; r < rows; ++r) target_logits[r] += read_target[r];
        });
        const Located<float, Cuda> its_sums(sums), its_targets(target_logits);
        Located<double, Cuda> its_loss(1);
        // Log-sum-exps take the place of the maxima.
        cross_entropy_of_sums<float>(queue, targets.span(), its_maximum.data(), its_sums.data(),
                                     its_targets.data(), its_maximum.data(), its_loss.data());
        of_shards([&](Size first, Matrix<S, Cuda> shard) {
            cross_entropy_backward<S>(queue, shard, targets.span(), its_maximum.data(),
                                      static_cast<float>(of.scale), first);
        });
        log_sum = its_maximum.read();
        loss = its_loss.read().front();
        gradient = logits.read();
    }
};

template <class S>
void expect_equal_to_oracle(const LogitShape& shape) {
    const LogitProblem<S> of{shape};
    const double loss = oracle::cross_entropy(of.logits, of.targets);
    for (const auto& begins : std::vector<std::vector<Size>>{
             {0}, {0, 130}, {0, 87, 173}, {0, 1, 1, 101, 258}}) {  // one shard of five is empty
        SCOPED_TRACE(std::to_string(begins.size()) + " shards");
        const Sharded<S> sharded(of, begins);
        EXPECT_NEAR(sharded.loss, loss, of.loss_bound());
        EXPECT_LE(worst_ratio(of.own(sharded.gradient), of.gradient, of.gradient_bound()), 1.0);
    }
}

// The bounds are those of the fused kernel: sums of shards are no deeper than it allows.
TEST_F(DeviceLogitsShards, EqualOracle) {
    for (const LogitShape& shape : {LogitShape{8, 259, 0, 259}, {5, 300, 3, 311}}) {
        expect_equal_to_oracle<float>(shape);
        expect_equal_to_oracle<bf16>(shape);
        expect_equal_to_oracle<fp16>(shape);
    }
}

template <class S>
void expect_bits_of_the_fused_kernel(const LogitShape& shape) {
    SCOPED_TRACE(shape.columns);
    const LogitProblem<S> of{shape};
    const Sharded<S> sharded(of, {0});
    const FusedCrossEntropy<S> fused(of);
    EXPECT_EQ(sharded.log_sum, fused.log_sum);
    EXPECT_EQ(sharded.loss, fused.loss);
    EXPECT_TRUE(std::ranges::equal(sharded.gradient, fused.gradient, {}, wide<S>, wide<S>));
}

TEST_F(DeviceLogitsShards, OneShardGivesTheBitsOfTheFusedKernel) {
    for (const LogitShape& shape : {LogitShape{4, 13, 3, 23}, {3, 6001, 0, 6001}}) {
        expect_bits_of_the_fused_kernel<float>(shape);
        expect_bits_of_the_fused_kernel<bf16>(shape);
        expect_bits_of_the_fused_kernel<fp16>(shape);
    }
    expect_bits_of_the_fused_kernel<bf16>({1, 116'003, 5, 116'010});  // no shared memory holds it
}

template <class S>
float sum_of_row(const Values& logits, Size first) {
    const CudaQueue queue;
    const auto columns = std::ssize(logits);
    std::vector<S> whole(static_cast<std::size_t>(first + columns + 16));
    std::ranges::copy(as<S>(logits), whole.begin() + first);
    const Located<S, Cuda> its(whole);
    const Located<std::int32_t, Cuda> target(1, 0);
    const Located<float, Cuda> maximum(1, 20.0F);
    Located<float, Cuda> sum(1), target_logit(1);
    logits_sums<S>(queue, {its.data() + first, 1, columns, columns}, target.span(), 0,
                   maximum.data(), sum.data(), target_logit.data());
    return sum.read().front();
}

// A rank has rows of a batch at other addresses than one rank that has all of them. (The logarithm
// of a sum would hide its last bits.)
TEST_F(DeviceLogitsShards, TheSameRowHasTheSameSumWhereverItBegins) {
    for (const Size columns : {5, 3000, 9001}) {
        auto logits = stored<bf16>(random_values(columns, "logits", 5.0));
        const float expected = sum_of_row<bf16>(logits, 0);
        const float expected_fp32 = sum_of_row<float>(logits, 0);
        for (const Size first : {1, 2, 3, 5, 7, 8, 13}) {
            EXPECT_EQ(sum_of_row<bf16>(logits, first), expected) << first;
            EXPECT_EQ(sum_of_row<float>(logits, first), expected_fp32) << first;
        }
        logits.back() = 19.0;
        EXPECT_NE(sum_of_row<bf16>(logits, 5), expected);
    }
}

// Whole numbers, whose logarithms of sums are zero: the sum over more rows than there are threads
// is exact, and without any one of them another.
TEST_F(DeviceLogitsShards, EveryRowIsInTheLoss) {
    const CudaQueue queue;
    for (const Size rows : {1, 1000, 1024, 1025, 5003}) {
        std::vector<float> maxima;
        std::vector<std::int32_t> targets;
        double expected = 3.0;
        for (Size r = 0; r < rows; ++r) {
            maxima.push_back(static_cast<float>(1 + r % 7));
            targets.push_back(r % 5 == 3 ? ignored_target : 0);
            if (targets.back() == 0) expected += maxima.back() - 9.0;
        }
        const Located<float, Cuda> maximum(maxima), target_logits(rows, 9.0F);
        Located<float, Cuda> sums(rows, 1.0F);
        const Located<std::int32_t, Cuda> its_targets(targets);
        Located<double, Cuda> loss(1, 3.0);
        cross_entropy_of_sums<float>(queue, its_targets.span(), maximum.data(), sums.data(),
                                     target_logits.data(), sums.data(), loss.data());
        EXPECT_EQ(loss.read().front(), expected) << rows;
        EXPECT_EQ(sums.read(), maxima) << rows;
    }
}

TEST_F(DeviceLogitsShards, WithoutColumnsHaveNoMaximumAndNoSum) {
    const CudaQueue queue;
    Located<bf16, Cuda> logits(8);
    Located<float, Cuda> maximum(2), sums(2, 3.0F), target_logits(2, 3.0F);
    const Located<std::int32_t, Cuda> targets(std::vector<std::int32_t>{0, ignored_target});
    const Matrix<bf16, Cuda> none = logits.view(2).columns_from(3, 0);
    logits_sums<bf16>(queue, none, targets.span(), 7, maximum.data(), sums.data(),
                      target_logits.data());
    EXPECT_EQ(sums.read(), std::vector<float>(2));
    EXPECT_EQ(target_logits.read(), std::vector<float>(2));
    logits_maximum<bf16>(queue, none, maximum.data());
    EXPECT_EQ(maximum.read(), std::vector<float>(2, -std::numeric_limits<float>::infinity()));
    cross_entropy_of_sums<float>(queue, {}, nullptr, nullptr, nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace shardstone::validation
