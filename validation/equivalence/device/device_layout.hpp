// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

#include "validation/equivalence/layouts.hpp"

namespace shardstone::validation {

/// Why a layout is not trained on any number of GPUs; empty: it is.
inline std::string why_left_out(const Layout& layout, const std::string& precision) {
    if (!layout.works_between_gpus()) return "NCCL has no messages to send";
    const bool in_fp8 = precision == "fp8" && layout.experts.any();
    return in_fp8 ? "products of experts have no FP8 scales" : "";
}

/// As GoogleTest takes names: "dp=2,zero=3" is dp_2_zero_3.
inline std::string test_name_of(const testing::TestParamInfo<Layout>& layout) {
    std::string name = layout.param.name();
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

}  // namespace shardstone::validation
