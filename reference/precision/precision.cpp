// SPDX-License-Identifier: BSD-3-Clause
// The table of precision policies that a training can be run in, and their look-up by name.
#include "reference/precision/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

const std::vector<Precision>& precisions() {
    using Kind = LossScaling::Kind;
    static const std::vector<Precision> all{
        {},
        {.name = "bf16",
         .summary = "BF16 products and activations, FP32 master weights",
         .storage = Storage::bf16,
         .master_weights = true},
        {.name = "bf16-stream",
         .summary =
             "as bf16, with a BF16 residual stream, between ranks as well, as is common practice",
         .storage = Storage::bf16,
         .stream = Storage::bf16,
         .master_weights = true},
        {.name = "bf16-pure",
         .summary = "BF16 products, activations and weights; updates rounded to nearest",
         .storage = Storage::bf16},
        {.name = "bf16-stochastic",
         .summary = "BF16 products, activations and weights; updates rounded stochastically",
         .storage = Storage::bf16,
         .stochastic_rounding = true},
        {.name = "fp16",
         .summary = "FP16 products and activations, FP32 master weights, dynamic loss scale",
         .storage = Storage::fp16,
         .master_weights = true,
         .scaling = {.kind = Kind::dynamic}},
        {.name = "fp16-static",
         .summary = "FP16 products and activations, FP32 master weights, constant loss scale",
         .storage = Storage::fp16,
         .master_weights = true,
         .scaling = {.kind = Kind::constant, .initial = 1024.0}},
        {.name = "fp8",
         .summary = "FP8 factors in the blocks' linear layers, delayed scaling; otherwise as bf16",
         .storage = Storage::bf16,
         .master_weights = true,
         .fp8_products = true},
        {.name = "fp64", .summary = "everything in FP64", .fp64 = true},
    };
    return all;
}

std::string precision_names() {
    std::string names;
    for (const Precision& each : precisions()) names += (names.empty() ? "" : ", ") + each.name;
    return names;
}

const Precision& find_precision(const std::string& name) {
    const auto found = std::ranges::find(precisions(), name, &Precision::name);
    require(found != precisions().end(), [&] {
        return fmt::format("unknown precision '{}'; choose from {}", name, precision_names());
    });
    return *found;
}

}  // namespace shardstone::reference
