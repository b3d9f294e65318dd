// SPDX-License-Identifier: BSD-3-Clause
// What is known of a mixture of experts without computing it, of the oracle's.
#include <algorithm>

#include "validation/oracle/initial_weights.hpp"
#include "validation/unit/kernels/expert_model.hpp"

namespace shardstone::validation {
namespace {

/// Of all numbers of the tensors that `from` has; relative to each tensor's largest.
double worst_relative(const NamedValues& from, const NamedValues& to) {
    double worst = 0.0;
    for (const auto& [name, values] : from) {
        double distance = 0.0, size = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            distance = std::max(distance, std::abs(values[i] - to.at(name)[i]));
            size = std::max(size, std::abs(values[i]));
        }
        worst = std::max(worst, distance / size);
    }
    return worst;
}

// The probabilities of all experts sum to 1, so that as many copies of an MLP are that MLP, and its
// gradient is the sum of theirs. What the roundings of that sum, a few u, become behind two blocks
// is bounded as generously as any oracle of FP64 allows.
TEST(OracleExperts, CopiesOfAnMlpAreThatMlp) {
    constexpr double most = 0x1p-40;
    const GptConfig dense = expert_model(1, 1, 0.0);
    GptConfig model = expert_model(5, 5, 0.0);
    model.experts.balance = model.experts.z = 0.0;
    const MicroBatch data = expert_batch(dense);
    const NamedValues of_dense = expert_weights(dense);
    NamedValues weights = expert_weights(model);
    // Every weight but the router's has the name of a weight of the dense model.
    const auto without_number = [](const std::string& name) {
        const auto at = name.find("experts.");
        return at == std::string::npos ? name : name.substr(0, at) + "mlp" + name.substr(at + 9);
    };
    for (auto& [name, values] : weights) {
        if (!name.ends_with("router.weight")) values = of_dense.at(without_number(name));
    }
    NamedValues sum;
    for (const auto& [name, values] : oracle::gpt_gradient(model, weights, data)) {
        if (name.ends_with("router.weight")) {
            // Whoever is chosen, the same comes out.
            for (const double v : values) EXPECT_NEAR(v, 0.0, most);
            continue;
        }
        Values& all = sum[without_number(name)];
        all.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) all[i] += values[i];
    }
    EXPECT_LE(worst_relative(oracle::gpt_gradient(dense, of_dense, data), sum), most);
    const double loss = oracle::gpt_loss(dense, of_dense, data);
    EXPECT_NEAR(oracle::gpt_loss(model, weights, data), loss, most * loss);
    EXPECT_EQ(oracle::gpt_objective(dense, of_dense, data), loss);
}

// A router of zeros finds all experts equal: everybody takes the first ones, f is 1/K for these, P
// 1/E, and the log-sum-exp ln E.
TEST(OracleExperts, FiguresOfARouterOfZeros) {
    const GptConfig model = expert_model(4, 2, 1.5);
    NamedValues weights = expert_weights(model);
    for (auto& [name, values] : weights) {
        if (name.ends_with("router.weight")) std::ranges::fill(values, 0.0);
    }
    const MicroBatch data = expert_batch(model);
    const auto choices = oracle::gpt_choices(model, weights, data);
    const auto positions = static_cast<double>(model.layers * data.batch * data.sequence);
    ASSERT_EQ(std::ssize(choices), static_cast<Size>(2.0 * positions));
    for (Size i = 0; i < std::ssize(choices); ++i) EXPECT_EQ(choices[i], i % 2);
    const auto figures = oracle::gpt_routing_figures(model, weights, data);
    EXPECT_NEAR(figures.balance, positions, 0x1p-40 * positions);
    EXPECT_NEAR(figures.z, std::pow(std::log(4.0), 2) * positions, 0x1p-40 * positions);
    // 6 of 8 positions have a place in each of the two.
    EXPECT_EQ(figures.dropped, model.layers * data.batch * 2 * 2);
    const double additions = model.experts.balance * figures.balance + model.experts.z * figures.z;
    EXPECT_DOUBLE_EQ(oracle::gpt_objective(model, weights, data),
                     oracle::gpt_loss(model, weights, data) + additions);
}

// Four positions that all want the first of two experts most: it takes two of them.
TEST(OracleExperts, TheFirstPositionsAreAccepted) {
    const oracle::RouterSizes sizes{1, 4, {2, 1, 1.0}};
    const Values logits{3.0, 1.0, 2.0, 1.0, 4.0, 1.0, 1.0, 0.0};
    const auto right = oracle::route(sizes, logits);
    EXPECT_EQ(right.chosen, std::vector<Size>(4, 0));
    EXPECT_EQ(right.accepted, (std::vector<bool>{true, true, false, false}));
    EXPECT_EQ(right.gates, (Values{right.p[0], 0.0, right.p[2], 0.0, 0.0, 0.0, 0.0, 0.0}));
    EXPECT_EQ(right.shares, (Values{1.0, 0.0}));
    const auto figures = oracle::figures_of(sizes, right);
    EXPECT_DOUBLE_EQ(figures.balance, 2.0 * (right.p[0] + right.p[2] + right.p[4] + right.p[6]));
    EXPECT_EQ(figures.dropped, 2);
    const auto wrong = oracle::route(sizes, logits, Planted::experts_later_first);
    EXPECT_EQ(wrong.accepted, (std::vector<bool>{false, false, true, true}));
}

// Capacity is given to earlier positions first, so that nothing is seen of later ones.
TEST(OracleExperts, CapacityKeepsTheOrderOfTime) {
    const GptConfig model = expert_model(4, 2, 0.5);
    const NamedValues weights = expert_weights(model);
    MicroBatch data = expert_batch(model);
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        if (i % 8 > 4) data.targets[i] = -1;
    }
    const double loss = oracle::gpt_loss(model, weights, data);
    const double objective = oracle::gpt_objective(model, weights, data);
    for (std::size_t i = 0; i < data.tokens.size(); ++i) {
        if (i % 8 > 4) data.tokens[i] = static_cast<std::uint16_t>((data.tokens[i] + 3) % 13);
    }
    EXPECT_EQ(oracle::gpt_loss(model, weights, data), loss);
    EXPECT_NE(oracle::gpt_objective(model, weights, data), objective);
}

TEST(OracleExperts, InitialWeightsAreNamedAsThoseOfAnMlp) {
    const std::string block = "blocks.1.", expert = block + "experts.3.";
    const auto of = [](const std::string& name, Size layers) {
        return oracle::initial_weights(1, name, 40, layers);
    };
    for (const std::string& name : {block + "router.weight", expert + "expansion.weight"}) {
        EXPECT_TRUE(oracle::is_matrix(name));
        EXPECT_EQ(of(name, 2), of(name, 8)) << "0.02 whatever the number of blocks";
    }
    EXPECT_TRUE(oracle::is_matrix(expert + "projection.weight"));
    const auto two = of(expert + "projection.weight", 2),
               eight = of(expert + "projection.weight", 8);
    for (std::size_t i = 0; i < two.size(); ++i) EXPECT_EQ(two[i], 2.0F * eight[i]);
    EXPECT_FALSE(oracle::is_matrix(expert + "expansion.bias"));
    EXPECT_EQ(of(expert + "projection.bias", 2), std::vector<float>(40, 0.0F));
}

}  // namespace
}  // namespace shardstone::validation
