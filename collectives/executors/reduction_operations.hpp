// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>
#include <utility>

#include "collectives/executors/reduction.hpp"
#include "kernels/base/element_type.hpp"

namespace shardstone::collectives {

// What the loops over elements are made of, wherever two or more vectors are combined; constexpr,
// so that kernels on GPUs are made of the same.

struct Sum {
    template <class T>
    static constexpr T combine(T a, T b) {
        return a + b;
    }
};

struct Max {
    template <class T>
    static constexpr T combine(T a, T b) {
        return a < b ? b : a;
    }
};

struct Min {
    template <class T>
    static constexpr T combine(T a, T b) {
        return b < a ? b : a;
    }
};

/// What an element type is combined in.
template <class T>
using arithmetic_of = std::conditional_t<(sizeof(T) < sizeof(float)), float, T>;

/// Calls `f(element, operation)` with values of the types that stand for both.
template <class F>
decltype(auto) dispatch_reduction(ElementType type, Reduction reduction, F&& f) {
    return dispatch(type, [&](auto zero) {
        switch (reduction) {
            case Reduction::sum:
                return f(zero, Sum{});
            case Reduction::max:
                return f(zero, Max{});
            case Reduction::min:
                return f(zero, Min{});
        }
        fail("unknown reduction");
    });
}

}  // namespace shardstone::collectives
