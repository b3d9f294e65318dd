// SPDX-License-Identifier: BSD-3-Clause
// Experts that are all alike, and all picked, are one plain MLP; and in narrow storage a mixture is
// what it is without, but for the rounding.
#include <algorithm>

#include "reference/precision/precision.hpp"
#include "validation/unit/reference/model/experts/expert_models.hpp"

namespace shardstone::validation {
namespace {

const MicroBatch data = random_batch(3, 10);

/// "blocks.0.experts.3.projection.bias" becomes "blocks.0.mlp.projection.bias".
std::string name_of_mlp(const std::string& name) {
    const std::size_t first = name.find("experts.");
    if (first == std::string::npos) return name;
    const std::size_t rest = name.find('.', first + 8);
    return name.substr(0, first) + "mlp" + name.substr(rest);
}

/// All experts have the MLP's weights; routers those that they would have anyway.
NamedValues copied(const NamedValues& dense, const GptConfig& config) {
    NamedValues weights = lively_weights(config);
    for (auto& [name, values] : weights) {
        if (name.find("router") == std::string::npos) values = dense.at(name_of_mlp(name));
    }
    return weights;
}

/// Gradients of experts added up, without those of routers.
NamedValues added_up(const NamedValues& gradient) {
    NamedValues sums;
    for (const auto& [name, values] : gradient) {
        if (name.find("router") != std::string::npos) continue;
        Values& sum = sums[name_of_mlp(name)];
        sum.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) sum[i] += values[i];
    }
    return sums;
}

GptConfig all_of(Size experts, double capacity) {
    GptConfig config = mixture(experts, experts, capacity);
    config.experts.balance = config.experts.z = 0.0;
    return config;
}

/// In units of the bound, that of the dense model for a chain that is the mixture's.
template <class Real>
double share_of_bound(const GptConfig& config, bool alike = true) {
    const NamedValues dense = lively_weights(small_config);
    NamedValues weights = copied(dense, config);
    if (!alike) {
        for (double& weight : weights["blocks.1.experts.0.expansion.weight"]) weight *= 1.25;
    }
    const double ku = roundoff<Real> * chain_length(config, data);
    return worst_ratio(added_up(gradient_of<Real>(weights, data, config)),
                       oracle::gpt_gradient(small_config, dense, data),
                       bounds_of_chain(dense, data, ku, small_config));
}

TEST(AllExperts, AlikeAreOneMlp) {
    for (const Size experts : {2, 3, 4}) {
        for (const double capacity : {0.0, 1.0}) {
            EXPECT_LE(share_of_bound<double>(all_of(experts, capacity)), 1.0);
            EXPECT_LE(share_of_bound<float>(all_of(experts, capacity)), 1.0);
        }
    }
}

// The softmax leaves of its gates' gradients the difference to their mean, and they are equal.
TEST(AllExperts, AlikeLeaveTheRouterAlone) {
    const GptConfig config = all_of(4, 0.0);
    NamedValues weights = copied(lively_weights(small_config), config);
    const auto largest_share = [&] {
        const auto bounds = gradient_bounds(weights, data, roundoff<double>, config);
        double worst = 0.0;
        for (const auto& [name, values] : gradient_of<double>(weights, data, config)) {
            if (name.find("router") == std::string::npos) continue;
            worst = std::max(worst, largest(values.data(), std::ssize(values)) / bounds.at(name));
        }
        return worst;
    };
    EXPECT_LE(largest_share(), 1.0);
    weights["blocks.1.experts.0.expansion.weight"][3] *= 1.25;
    EXPECT_GT(largest_share(), 1.0);
}

TEST(AllExperts, OfWhichOneIsOtherAreNot) {
    EXPECT_GT(share_of_bound<float>(all_of(4, 0.0), false), 1.0);
}

TEST(AllExperts, DropNothingWithinACapacityOfOne) {
    const GptConfig config = all_of(4, 1.0);
    const NamedValues weights = copied(lively_weights(small_config), config);
    EXPECT_EQ(oracle::gpt_routing_figures(config, weights, data).dropped, 0);
    EXPECT_EQ(gradient_of<double>(weights, data, config),
              gradient_of<double>(weights, data, all_of(4, 0.0)));
}

/// Weights that bf16 holds exactly.
NamedValues rounded(NamedValues weights) {
    for (auto& [name, values] : weights) {
        for (double& value : values) {
            value = static_cast<float>(static_cast<bf16>(static_cast<float>(value)));
        }
    }
    return weights;
}

NamedValues gradient_in(const char* precision, const GptConfig& config,
                        const NamedValues& weights) {
    Gpt<float> model(config, data.batch, data.sequence, reference::find_precision(precision));
    std::vector<float> flat;
    for (const auto& info : model.parameters()) {
        const Values& values = weights.at(info.name);
        flat.insert(flat.end(), values.begin(), values.end());
    }
    model.set_weights(flat);
    const double loss = model.forward(data.tokens, data.targets);
    EXPECT_TRUE(std::isfinite(loss));
    model.backward(1.0);
    return named_gradients(model);
}

/// Products add up in FP32, so what rounds to the storage type is what is stored: in a block the
/// outputs of two norms and four products, attention and GELU, and the rows that go to experts and
/// come back, ten, and going backward as many gradients; with the head's norm, logits, their
/// gradient and that of the norm. They go up or down as if by chance, so that k of them move a
/// result by sqrt(k) u; higher_orders makes it two deviations.
double moves(const GptConfig& config, double u) {
    return std::sqrt(static_cast<double>(20 * config.layers + 4)) * u;
}

// All experts are picked, so that no choice can change.
TEST(AllExperts, InNarrowStorageAreWithinItsRoundingOfTheOracle) {
    const GptConfig config = mixture(4, 4, 0.0);
    const NamedValues weights = rounded(lively_weights(config));
    const auto bounds = bounds_of_chain(weights, data, moves(config, 0x1p-9), config);
    const NamedValues narrow = gradient_in("bf16", config, weights);
    EXPECT_LE(worst_ratio(narrow, oracle::gpt_gradient(config, weights, data), bounds), 1.0);
    for (const Planted bug : {Planted::no_bias_gradient, Planted::experts_no_gate_gradient}) {
        const NamedValues wrong = oracle::gpt_gradient(config, weights, data, bug);
        EXPECT_GT(worst_ratio(narrow, wrong, bounds), 1.0) << static_cast<int>(bug);
    }
    EXPECT_NE(narrow, gradient_in("fp32", config, weights));
}

/// Of all numbers together.
double distance(const NamedValues& a, const NamedValues& b) {
    double sum = 0.0;
    for (const auto& [name, values] : a) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            sum += std::pow(b.at(name)[i] - values[i], 2);
        }
    }
    return std::sqrt(sum);
}

// Where choices may change nothing is said of single numbers, but gradients as a whole stay.
TEST(Experts, RunInEveryNarrowPrecisionThatTheyAreFor) {
    constexpr double delta = 0x1p-20;
    for (const double capacity : {0.0, 1.0}) {
        const GptConfig config = mixture(4, 2, capacity);
        const NamedValues weights = rounded(lively_weights(config));
        const NamedValues exact = oracle::gpt_gradient(config, weights, data);
        const NamedValues none =
            oracle::gpt_gradient(config, weights, data, Planted::no_bias_gradient);
        const double change =
            distance(exact, oracle::gpt_gradient(config, moved_by(weights, delta), data)) / delta;
        NamedValues zero = exact;
        for (auto& [name, values] : zero) std::ranges::fill(values, 0.0);
        for (const reference::Precision& precision : reference::precisions()) {
            if (precision.fp8_products || precision.storage == reference::Storage::full) continue;
            const double u = precision.storage == reference::Storage::bf16 ? 0x1p-9 : 0x1p-12;
            const double bound =
                higher_orders * moves(config, u) * (change + distance(exact, zero));
            const NamedValues actual = gradient_in(precision.name.c_str(), config, weights);
            EXPECT_LE(distance(exact, actual), bound) << precision.name << ", " << capacity;
            EXPECT_GT(distance(none, actual), bound) << precision.name << ", " << capacity;
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
