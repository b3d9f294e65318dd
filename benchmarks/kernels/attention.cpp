// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/transformer/attention.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/kernels/comparison.hpp"
#include "benchmarks/kernels/kernel_benchmark.hpp"

namespace shardstone::benchmarks {

namespace {

constexpr const char* name = "causal attention forward";
constexpr std::int64_t heads = 12;  // as in GPT-2 124M
constexpr std::int64_t head_size = 64;

/// Two products over the keys that a query may see, T (T + 1) / 2 pairs a head; per score the
/// scaling, the subtraction of the maximum, the exponential, the sum and the division.
double flop_of(const AttentionShape& shape) {
    const auto length = static_cast<double>(shape.sequence);
    const double pairs =
        static_cast<double>(shape.batch * shape.heads) * length * (length + 1.0) / 2.0;
    return pairs * (4.0 * static_cast<double>(shape.head_size) + 5.0);
}

Workload prepare(std::int64_t sequence) {
    const AttentionShape shape{1, sequence, heads, head_size};
    const std::int64_t count = sequence * shape.channels();
    const auto qkv = normal_numbers("qkv", 3 * count);
    const auto out = std::make_shared<Buffer<float>>(count);
    const auto sums = std::make_shared<Buffer<float>>(heads * sequence);
    const auto scratch = std::make_shared<Buffer<float>>(shape.scratch_elements());
    return {flop_of(shape), 4.0 * 4.0 * static_cast<double>(count), [=] {
                attention_forward<float>(shape, qkv->data(), out->data(), sums->data(),
                                         scratch->data());
            }};
}

/// One query over the keys 0..t. A score is off by e = (D + 2) u sum(|q| |k|) / sqrt(D) at most; a
/// probability relatively by twice the largest e, two exponentials' 4 u with the roundings of their
/// arguments (|score| and |maximum| u), and t + 2 additions and a division; the weighted sum of the
/// values by t + 1 additions more.
void expect_query(const AttentionShape& shape, const float* qkv, std::int64_t t, std::int64_t head,
                  Expectation& expected) {
    const std::int64_t depth = shape.head_size;
    const auto at = [&](std::int64_t position, std::int64_t part, std::int64_t d) {
        return static_cast<double>(
            qkv[(position * 3 + part) * shape.channels() + head * depth + d]);
    };
    std::vector<double> weights;
    double score_error = 0.0;
    double largest = 0.0;
    double total = 0.0;
    for (std::int64_t s = 0; s <= t; ++s) {
        double score = 0.0;
        double magnitude = 0.0;
        for (std::int64_t d = 0; d < depth; ++d) {
            score += at(t, 0, d) * at(s, 1, d);
            magnitude += std::abs(at(t, 0, d) * at(s, 1, d));
        }
        const double scale = 1.0 / std::sqrt(static_cast<double>(depth));
        score_error = std::max(score_error, static_cast<double>(depth + 2) * magnitude * scale);
        largest = std::max(largest, std::abs(score * scale));
        weights.push_back(std::exp(score * scale));
        total += weights.back();
    }
    const double relative =
        2.0 * score_error + 2.0 * (4.0 + 2.0 * largest) + 2.0 * static_cast<double>(t + 2);
    for (std::int64_t d = 0; d < depth; ++d) {
        double sum = 0.0;
        double magnitude = 0.0;
        for (std::int64_t s = 0; s <= t; ++s) {
            const double term = weights[static_cast<std::size_t>(s)] / total * at(s, 2, d);
            sum += term;
            magnitude += std::abs(term);
        }
        expected.add(sum, unit_roundoff * relative * magnitude);
    }
}

results::Check verify() {
    const AttentionShape shape{1, 9, 2, 8};
    const std::int64_t count = shape.sequence * shape.channels();
    const auto qkv = normal_numbers("qkv", 3 * count);
    Buffer<float> out(count);
    Buffer<float> sums(shape.heads * shape.sequence);
    Buffer<float> scratch(shape.scratch_elements());
    attention_forward<float>(shape, qkv->data(), out.data(), sums.data(), scratch.data());
    Expectation expected;
    for (std::int64_t t = 0; t < shape.sequence; ++t) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            expect_query(shape, qkv->data(), t, head, expected);
        }
    }
    return compare(name, out.span(), expected);
}

const KernelRegistration registration{
    {name, "positions of 12 heads of 64", {128, 1024}, prepare, verify}};

}  // namespace

}  // namespace shardstone::benchmarks
