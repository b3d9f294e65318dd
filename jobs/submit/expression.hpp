// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace shardstone::submit {

/// What the expressions of a study may name.
struct Sizes {
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t ranks_per_node = 1;
};

/// `text` with every {EXPRESSION} replaced by its value: "dp={ranks/8},tp=8", "{4*ranks}". An
/// expression is a product of whole numbers and names of Sizes, with * and / from left to right;
/// every division must leave no rest. Throws Error that quotes `text`.
std::string expand(std::string_view text, const Sizes& sizes);

}  // namespace shardstone::submit
