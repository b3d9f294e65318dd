// SPDX-License-Identifier: BSD-3-Clause
// Model presets, bounds of the sizes, parameter counts and model FLOP per token.
#include "reference/model/gpt_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

/// With `mlps` MLPs in every block.
std::int64_t parameters_with(const GptConfig& config, std::int64_t mlps) {
    const std::int64_t c = config.channels;
    const std::int64_t router = config.experts.any() ? config.experts.count * c : 0;
    // Per block: two norms 4C, qkv 3C*C + 3C, projection C*C + C; an MLP 8C*C + 5C.
    const std::int64_t block = 4 * c * c + 8 * c + mlps * (8 * c * c + 5 * c) + router;
    return config.vocabulary * c + config.context * c + config.layers * block + 2 * c;
}

void validate_experts(const GptConfig& config) {
    const ExpertOptions& experts = config.experts;
    constexpr std::int64_t most = 4096;
    require(experts.count >= 1 && experts.count <= most, [&] {
        return fmt::format("--experts {}: give 1 (a plain MLP) to {}", experts.count, most);
    });
    require(experts.top_k >= 1 && experts.top_k <= experts.count, [&] {
        const bool none = experts.count == 1 && experts.top_k > 1;
        return none ? fmt::format("--top-k {} means nothing without --experts 2 or more",
                                  experts.top_k)
                    : fmt::format("--top-k {}: give 1 to the {} experts", experts.top_k,
                                  experts.count);
    });
    require(experts.capacity >= 0.0 && std::isfinite(experts.capacity), [&] {
        return fmt::format("--capacity {}: give a factor such as 1.25, or 0 to drop nothing",
                           experts.capacity);
    });
    for (const auto& [flag, weight] :
         {std::pair("--balance-loss", experts.balance), std::pair("--router-z-loss", experts.z)}) {
        require(weight >= 0.0 && weight <= 1000.0,
                [&] { return fmt::format("{} {}: give a factor from 0 to 1000", flag, weight); });
    }
}

}  // namespace

std::int64_t ExpertOptions::slots(std::int64_t length) const {
    const double even =
        static_cast<double>(top_k) * static_cast<double>(length) / static_cast<double>(count);
    // So that 1.1 times 50 is 55, which is not exact in FP64.
    constexpr double rounding = 1.0 - 1e-12;
    const double most = std::min(capacity * even * rounding, static_cast<double>(length));
    return static_cast<std::int64_t>(std::ceil(most));
}

std::int64_t GptConfig::parameter_count() const {
    return parameters_with(*this, experts.count);
}

void GptConfig::validate() const {
    require(vocabulary > 0 && context > 0 && layers > 0 && heads > 0 && channels > 0, [&] {
        return fmt::format(
            "model '{}': every size must be positive, got vocabulary {}, context {}, "
            "layers {}, heads {}, channels {}",
            name, vocabulary, context, layers, heads, channels);
    });
    // So that counts of parameters and bytes do not overflow; the largest models trained are far
    // below.
    constexpr std::int64_t most_wide = 1 << 20, most_layers = 1 << 14;
    require(context <= most_wide && channels <= most_wide && layers <= most_layers, [&] {
        return fmt::format(
            "model '{}': context {}, channels {} or layers {} out of bounds: give at most {}, {} "
            "and {}",
            name, context, channels, layers, most_wide, most_wide, most_layers);
    });
    require(channels % heads == 0, [&] {
        return fmt::format(
            "model '{}': {} channels do not divide into {} heads; choose channels "
            "that are a multiple of the heads",
            name, channels, heads);
    });
    require(vocabulary <= 65536, [&] {
        return fmt::format(
            "model '{}': vocabulary {} is over 65536, the most that 16-bit tokens "
            "can name",
            name, vocabulary);
    });
    validate_experts(*this);
}

std::string name_of(const ExpertOptions& experts) {
    const std::string name = fmt::format("-moe{}k{}", experts.count, experts.top_k);
    return experts.capacity == 0.0 ? name : fmt::format("{}c{}", name, experts.capacity);
}

const std::vector<GptConfig>& gpt_presets() {
    static const std::vector<GptConfig> presets{
        {"nano", 256, 64, 2, 2, 32},
        {"tiny", 256, 128, 4, 4, 128},
        {"small", 256, 256, 6, 6, 384},
        {"gpt2-124m", 50257, 1024, 12, 12, 768},
        {"gpt2-350m", 50257, 1024, 24, 16, 1024},
        {"gpt2-774m", 50257, 1024, 36, 20, 1280},
        {"gpt2-1558m", 50257, 1024, 48, 25, 1600},
    };
    return presets;
}

GptConfig gpt_preset(std::string_view name) {
    std::string choices;
    for (const GptConfig& preset : gpt_presets()) {
        if (preset.name == name) return preset;
        choices += (choices.empty() ? "" : ", ") + preset.name;
    }
    fail(fmt::format("unknown model '{}': use one of {}", name, choices));
}

double flop_parameters(const GptConfig& config, double dropped) {
    const std::int64_t without = parameters_with(config, 0) - config.context * config.channels;
    const std::int64_t of_mlps = parameters_with(config, 1) - parameters_with(config, 0);
    const double met = static_cast<double>(config.experts.top_k) * (1.0 - dropped);
    return static_cast<double>(without) + met * static_cast<double>(of_mlps);
}

double training_flop_per_token(const GptConfig& config, std::int64_t sequence, double dropped) {
    const auto attention = static_cast<double>(config.layers * config.channels * sequence);
    return 6.0 * flop_parameters(config, dropped) + 6.0 * attention;
}

}  // namespace shardstone::reference
