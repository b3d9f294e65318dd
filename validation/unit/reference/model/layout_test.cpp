// SPDX-License-Identifier: BSD-3-Clause
// The flat buffer and the initial weights of a whole model.
#include <algorithm>
#include <set>

#include "validation/unit/reference/model/small_model.hpp"

namespace shardstone::validation {
namespace {

template <class Real>
std::span<Real> part(Gpt<Real>& model, const std::string& name) {
    for (const auto& info : model.parameters()) {
        if (info.name == name) {
            return model.weights().subspan(static_cast<std::size_t>(info.offset),
                                           static_cast<std::size_t>(info.count));
        }
    }
    throw std::out_of_range(name);
}

TEST(Layout, ParametersFillTheBufferWithoutGaps) {
    for (const char* preset : {"nano", "tiny", "small"}) {
        const GptConfig config = reference::gpt_preset(preset);
        Gpt<float> model(config, 1, 8);
        std::int64_t end = 0;
        std::set<std::string> names;
        for (const auto& info : model.parameters()) {
            EXPECT_EQ(info.offset, end);
            end += info.count;
            EXPECT_TRUE(names.insert(info.name).second) << info.name;
            EXPECT_EQ(info.decay, info.shape.size() == 2) << info.name;
        }
        EXPECT_EQ(end, config.parameter_count());
        EXPECT_EQ(std::ssize(model.parameters()), reference::tensor_count(config));
        EXPECT_EQ(end, static_cast<std::int64_t>(model.weights().size()));
        EXPECT_EQ(model.parameters().front().name, "final_norm.weight");
        EXPECT_EQ(model.parameters().back().name, "token_embedding.weight");
    }
}

TEST(InitialWeights, DependOnSeedAndNameAlone) {
    GptConfig deeper = small_config;
    deeper.layers = 4;
    Gpt<float> model(small_config, 1, 8), other_layout(deeper, 1, 8),
        other_seed(small_config, 1, 8);
    Gpt<double> wide(small_config, 1, 8);
    model.initialize(9);
    other_layout.initialize(9);
    wide.initialize(9);
    other_seed.initialize(10);
    const std::string name = "blocks.1.attention.qkv.weight";
    EXPECT_TRUE(std::ranges::equal(part(model, name), part(other_layout, name)));
    EXPECT_FALSE(std::ranges::equal(part(model, name), part(other_seed, name)));
    EXPECT_TRUE(std::ranges::equal(model.weights(), wide.weights()));
}

TEST(InitialWeights, HaveTheDeviationsOfGpt2) {
    Gpt<float> model(reference::gpt_preset("tiny"), 1, 8);  // L = 4
    model.initialize(1);
    const auto deviation = [&](const std::string& name) {
        double squares = 0.0;
        for (const float v : part(model, name)) squares += static_cast<double>(v) * v;
        return std::sqrt(squares / static_cast<double>(part(model, name).size()));
    };
    // The deviation of n normal samples is known to 1 / sqrt(2 n), n >= 16384: five of those.
    const double relative = 5.0 / std::sqrt(2.0 * 16384.0);
    const double residual = 0.02 / std::sqrt(8.0);
    EXPECT_NEAR(deviation("token_embedding.weight"), 0.02, 0.02 * relative);
    EXPECT_NEAR(deviation("blocks.0.mlp.expansion.weight"), 0.02, 0.02 * relative);
    EXPECT_NEAR(deviation("blocks.3.mlp.projection.weight"), residual, residual * relative);
    EXPECT_NEAR(deviation("blocks.3.attention.projection.weight"), residual, residual * relative);
    EXPECT_EQ(deviation("blocks.2.norm1.weight"), 1.0);
    EXPECT_EQ(deviation("blocks.2.norm1.bias"), 0.0);
    EXPECT_EQ(deviation("blocks.2.attention.qkv.bias"), 0.0);
}

}  // namespace
}  // namespace shardstone::validation
