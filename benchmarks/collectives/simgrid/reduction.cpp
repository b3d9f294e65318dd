// SPDX-License-Identifier: BSD-3-Clause
// In place of collectives/reduction/reduction.cpp: reducing takes simulated time, gamma per byte
// (platform.cpp makes a host's speed bytes reduced per second), and is carried out, for the types
// the processor adds, unless the memory is folded.
#include "collectives/reduction/reduction.hpp"

#include <simgrid/s4u.hpp>
#include <type_traits>

#include "benchmarks/collectives/simgrid/folded_memory.hpp"
#include "collectives/reduction/reduction_operations.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

template <class T, class Operation>
void reduce(void* mine, const void* theirs, std::int64_t count) {
    simgrid::s4u::this_actor::execute(static_cast<double>(count) * sizeof(T));
    if (benchmarks::is_folded(mine)) return;
    auto* const a = static_cast<T*>(mine);
    const auto* const b = static_cast<const T*>(theirs);
    if constexpr (std::is_arithmetic_v<T>) {
        for (std::int64_t i = 0; i < count; ++i) a[i] = Operation::combine(a[i], b[i]);
    }
}

}  // namespace

ReduceFunction reduce_function(ElementType type, Reduction reduction) {
    return dispatch_reduction(type, reduction, [](auto zero, auto operation) -> ReduceFunction {
        return reduce<decltype(zero), decltype(operation)>;
    });
}

ScaleFunction scale_function(ElementType) {
    fail("averages are not compared with SimGrid: give a sum");
}

}  // namespace shardstone::collectives
