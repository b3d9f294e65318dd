// SPDX-License-Identifier: BSD-3-Clause
// Each tensor's gradient under a precision policy, against FP64 and a statistical rounding bound.
#include "validation/numerics/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/base/random.hpp"
#include "reference/model/gpt.hpp"
#include "validation/numerics/vectors.hpp"

namespace shardstone::validation {

using namespace reference;

namespace {

constexpr double fp32_roundoff = element_traits<float>::unit_roundoff;

/// Of the signs with which weights are moved, for each batch.
constexpr std::size_t sign_draws = 4;

/// Layer of "blocks.3.norm1.weight"; -1 of what is in no block.
std::int64_t layer_of(const std::string& tensor) {
    constexpr std::string_view blocks = "blocks.";
    if (!tensor.starts_with(blocks)) return -1;
    return std::stoll(tensor.substr(blocks.size()));
}

/// Every weight moved relatively by +-u, signs at random: other ones in every draw.
std::vector<double> moved(const GradientPoint& point, double u, std::size_t draw) {
    const RandomStream signs(draw, "validation/numerics/signs");
    std::vector<double> weights = point.weights;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] *= signs.bits(i) % 2 == 0 ? 1.0 + u : 1.0 - u;
    }
    return weights;
}

double root_mean_square(const std::vector<double>& values) {
    double squares = 0.0;
    for (const double value : values) squares += value * value;
    return std::sqrt(squares / static_cast<double>(values.size()));
}

/// Of a tensor in all batches, against what it should be.
struct Deviation {
    std::vector<double> relative;  ///< per batch
    double cosine = 1.0;           ///< the smallest
};

Deviation deviation_of(const std::vector<std::vector<double>>& found,
                       const std::vector<std::vector<double>>& expected,
                       const ParameterInfo& tensor) {
    Deviation result;
    for (std::size_t b = 0; b < found.size(); ++b) {
        const auto mine = part_of(found[b], tensor);
        const auto right = part_of(expected[b], tensor);
        result.relative.push_back(distance(mine, right) / norm(right));
        result.cosine = std::min(result.cosine, cosine(mine, right));
    }
    return result;
}

}  // namespace

double storage_roundoff(const Precision& policy) {
    const ElementType type = element_type<float>(policy.storage);
    if (type == ElementType::fp32) return 0.0;
    // Gradients, the coarsest of what FP8 products read, are in e5m2.
    const ElementType coarsest = policy.fp8_products ? ElementType::fp8_e5m2 : type;
    return dispatch(coarsest, [](auto zero) {
        if constexpr (element_traits<decltype(zero)>::is_integer)
            return 0.0;
        else
            return double{element_traits<decltype(zero)>::unit_roundoff};
    });
}

GradientStudy::GradientStudy(GradientPoint point) : point_(std::move(point)) {
    SHARDSTONE_EXPECTS(point_.batches.size() >= 2);
    for (const auto& batch : point_.batches) {
        exact_.push_back(fp64_gradient(point_, point_.weights, batch));
        fp32_.push_back(gradient_under(Precision{})(point_, point_.weights, batch));
    }
    const auto& shape = point_.batches.front();
    longest_sum_ = static_cast<double>(std::max(
        {point_.model.vocabulary, 4 * point_.model.channels, shape.batch * shape.sequence}));
}

const GradientStudy::PerTensor& GradientStudy::changes(double roundoff) {
    const auto [known, is_new] = changes_.try_emplace(roundoff);
    if (!is_new) return known->second;
    PerTensor& all = known->second;
    const ParameterLayout layout(point_.model);
    const auto& tensors = layout.parameters();
    for (std::size_t b = 0; b < point_.batches.size(); ++b) {
        std::vector<std::vector<double>> of_draws(tensors.size());
        for (std::size_t draw = 0; draw < sign_draws; ++draw) {
            const auto weights = moved(point_, roundoff, b * sign_draws + draw);
            const auto gradient = fp64_gradient(point_, weights, point_.batches[b]);
            for (std::size_t t = 0; t < tensors.size(); ++t) {
                const auto right = part_of(exact_[b], tensors[t]);
                of_draws[t].push_back(distance(part_of(gradient, tensors[t]), right) / norm(right));
            }
        }
        all.emplace_back();
        for (const auto& draws : of_draws) all.back().push_back(root_mean_square(draws));
    }
    return all;
}

GradientComparison GradientStudy::compare(const std::string& policy, const GradientOf& gradient,
                                          double roundoff) {
    GradientComparison result{policy, point_.model.name, point_.state, {}};
    std::vector<std::vector<double>> found;
    for (const auto& batch : point_.batches) {
        found.push_back(gradient(point_, point_.weights, batch));
    }
    const PerTensor* const stored = roundoff > 0.0 ? &changes(roundoff) : nullptr;
    const PerTensor& summed = changes(fp32_roundoff);
    const ParameterLayout layout(point_.model);
    for (std::size_t t = 0; t < layout.parameters().size(); ++t) {
        const ParameterInfo& tensor = layout.parameters()[t];
        const Deviation exact = deviation_of(found, exact_, tensor);
        const Deviation fp32 = deviation_of(found, fp32_, tensor);
        TensorGradient row{tensor.name,
                           layer_of(tensor.name),
                           root_mean_square(exact.relative),
                           exact.cosine,
                           root_mean_square(fp32.relative),
                           fp32.cosine,
                           {}};
        for (std::size_t b = 0; b < found.size(); ++b) {
            const double bound = 2.0 * (stored == nullptr ? 0.0 : (*stored)[b][t]) +
                                 2.0 * std::sqrt(longest_sum_) * summed[b][t];
            // An error of nothing must not end in an infinite mean.
            row.log2_shares.push_back(std::log2(std::max(exact.relative[b] / bound, 0x1p-60)));
            if (!std::isfinite(exact.relative[b])) row.log2_shares.back() = std::nan("");
        }
        result.tensors.push_back(std::move(row));
    }
    return result;
}

std::vector<double> numbers_of(const GradientComparison& comparison) {
    std::vector<double> numbers;
    for (const TensorGradient& t : comparison.tensors) {
        numbers.insert(numbers.end(), {t.relative_norm, t.cosine, t.to_fp32, t.to_fp32_cosine});
        numbers.insert(numbers.end(), t.log2_shares.begin(), t.log2_shares.end());
    }
    return numbers;
}

GradientComparison from_numbers(std::span<const double> numbers, const GptConfig& model,
                                GradientComparison empty) {
    const ParameterLayout layout(model);
    const std::size_t width = numbers.size() / layout.parameters().size();
    for (const ParameterInfo& tensor : layout.parameters()) {
        const std::span row = numbers.first(width);
        numbers = numbers.subspan(width);
        empty.tensors.push_back({tensor.name,
                                 layer_of(tensor.name),
                                 row[0],
                                 row[1],
                                 row[2],
                                 row[3],
                                 {row.begin() + 4, row.end()}});
    }
    return empty;
}

PolicyFinding judge_gradients(const GradientComparison& comparison) {
    std::vector<PolicyFinding> findings;
    for (const TensorGradient& tensor : comparison.tensors) {
        const auto estimate = mean_estimate(tensor.log2_shares);
        const Interval allowed{-std::numeric_limits<double>::infinity(), 0.0};
        PolicyFinding finding;
        finding.part = "gradients";
        finding.subject = comparison.policy;
        finding.model = comparison.model;
        finding.quantity = "error of a tensor's gradient, of its bound";
        finding.verdict = judge(estimate.interval, allowed);
        finding.value = std::exp2(estimate.mean);
        finding.interval = {std::exp2(estimate.interval.low), std::exp2(estimate.interval.high)};
        finding.allowed = {0.0, 1.0};
        finding.worst = fmt::format("{}, {} weights", tensor.tensor, comparison.state);
        finding.sample_unit = "batches";
        if (finding.verdict == Verdict::undecided) {
            finding.further = further_samples(tensor.log2_shares, allowed);
        }
        findings.push_back(std::move(finding));
    }
    return worst_of(findings);
}

}  // namespace shardstone::validation
