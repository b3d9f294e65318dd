// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/executors/reduction.hpp"

#include <array>
#include <string>
#include <type_traits>

namespace shardstone::collectives {

namespace {

constexpr std::array<std::string_view, 3> names{"sum", "max", "min"};

struct Sum {
    template <class T>
    static T combine(T a, T b) {
        return a + b;
    }
};

struct Max {
    template <class T>
    static T combine(T a, T b) {
        return a < b ? b : a;
    }
};

struct Min {
    template <class T>
    static T combine(T a, T b) {
        return b < a ? b : a;
    }
};

/// What an element type is combined in.
template <class T>
using arithmetic_of = std::conditional_t<(sizeof(T) < sizeof(float)), float, T>;

template <class T, class Operation>
void reduce(void* mine, const void* theirs, std::int64_t count) {
    auto* __restrict a = static_cast<T*>(mine);
    const auto* __restrict b = static_cast<const T*>(theirs);
    using Wide = arithmetic_of<T>;
    for (std::int64_t i = 0; i < count; ++i) {
        a[i] = T(Operation::combine(static_cast<Wide>(a[i]), static_cast<Wide>(b[i])));
    }
}

}  // namespace

std::string_view to_string(Reduction reduction) {
    return names[static_cast<std::size_t>(reduction)];
}

Reduction parse_reduction(std::string_view name) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return static_cast<Reduction>(i);
    }
    fail("unknown reduction '" + std::string(name) + "': use sum, max or min");
}

ReduceFunction reduce_function(ElementType type, Reduction reduction) {
    return dispatch(type, [&](auto zero) -> ReduceFunction {
        using T = decltype(zero);
        switch (reduction) {
            case Reduction::sum:
                return reduce<T, Sum>;
            case Reduction::max:
                return reduce<T, Max>;
            case Reduction::min:
                return reduce<T, Min>;
        }
        fail("unknown reduction");
    });
}

}  // namespace shardstone::collectives
