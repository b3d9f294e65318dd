// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/command/precision_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "kernels/base/error.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

TrainOptions::Overflow parse_overflow(const std::string& text) {
    TrainOptions::Overflow overflow;
    const char* const end = text.data() + text.size();
    const auto [colon, error] = std::from_chars(text.data(), end, overflow.step);
    const bool has_step = error == std::errc{} && colon != end && *colon == ':';
    const auto rest = has_step ? std::from_chars(colon + 1, end, overflow.rank)
                               : std::from_chars_result{colon, std::errc::invalid_argument};
    require(
        rest.ec == std::errc{} && rest.ptr == end && overflow.step > 0 && overflow.rank >= 0, [&] {
            return fmt::format("--inject-overflow '{}': write STEP:RANK, for example 12:0", text);
        });
    return overflow;
}

}  // namespace

void declare_precision(CLI::App& app, PrecisionArguments& arguments) {
    constexpr const char* group = "Precision";
    app.add_option("--precision", arguments.name, reference::precision_names())
        ->capture_default_str()
        ->group(group);
    app.add_option("--gradient-wire", arguments.gradient_wire,
                   "what gradients travel in between replicas: full, bf16, fp16")
        ->capture_default_str()
        ->group(group);
    app.add_option("--loss-scale", arguments.loss_scale,
                   "fp16: the scale, a power of two; the first one where it is dynamic")
        ->group(group);
    app.add_option("--scale-growth", arguments.scale_growth,
                   "fp16: steps without overflow after which the scale doubles (default: 200)")
        ->group(group);
    app.add_option("--inject-overflow", arguments.overflow,
                   "STEP:RANK, a fault to see survived: an infinite gradient")
        ->group(group);
}

void resolve_precision(const PrecisionArguments& arguments, TrainOptions& options) {
    options.precision = find_precision(arguments.name);
    options.communication.gradient_wire = parse_storage(arguments.gradient_wire);
    const bool full_wire = options.communication.gradient_wire == Storage::full;
    require(full_wire || !options.precision.fp64, [&] {
        return fmt::format("--gradient-wire {} with --precision fp64: gradients travel in full",
                           arguments.gradient_wire);
    });
    LossScaling& scaling = options.precision.scaling;
    const bool scales = scaling.kind != LossScaling::Kind::none;
    require(scales || (!arguments.loss_scale && !arguments.scale_growth), [&] {
        return fmt::format(
            "--precision {} does not scale the loss: leave out --loss-scale and "
            "--scale-growth",
            options.precision.name);
    });
    scaling.initial = arguments.loss_scale.value_or(scaling.initial);
    scaling.growth_interval = arguments.scale_growth.value_or(scaling.growth_interval);
    if (arguments.overflow) options.overflow = parse_overflow(*arguments.overflow);
}

}  // namespace shardstone::command
