// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/optimizer/update_factors.hpp"
#include "kernels/tensor/for_each.hpp"

namespace shardstone {

/// rule(arrays[i]...) for each i in [0, count), vectorised, with the rule's factors, unless they
/// skip it: a rule of rules.hpp changes elements of the arrays that it takes by reference.
template <class Rule, class... T>
void update_elements(HostQueue queue, std::int64_t count, const FactorsAt& factors, Rule rule,
                     T*... arrays) {
    if (factors.skips()) return;
    rule.take(factors);
    for_each_block(queue, count, [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) rule(arrays[i]...);
    });
}

}  // namespace shardstone
