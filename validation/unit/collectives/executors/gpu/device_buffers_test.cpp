// SPDX-License-Identifier: BSD-3-Clause
// A sweep's buffers in memory that the host reaches only by copies, as that of a GPU. Ordinary
// memory behind copies that are counted stands for it, so that no GPU is needed.
#include <gtest/gtest.h>

#include <cstring>

#include "benchmarks/collectives/sweep/buffers.hpp"
#include "collectives/executors/collective.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;
using namespace shardstone::benchmarks;

/// Runs twice, so that what the first run left is put right; then one element is spoilt.
void expect_checked(bool in_place) {
    SCOPED_TRACE(in_place ? "in place" : "out of place");
    const CollectiveSpec spec{{1003, ElementType::fp32, Reduction::sum}, 0, {}};
    const KnownData data(find_operation("all_reduce"), spec, world().size(), world().rank());
    Algorithm algorithm = find_algorithm("all_reduce", "ring");
    std::int64_t copied_bytes = 0;
    algorithm.memory.copy = [&](void* to, const void* from, std::int64_t size_bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(size_bytes));
        copied_bytes += size_bytes;
    };
    Buffers buffers(world(), algorithm, data, 4, {in_place, /*checked=*/true, {1}});
    Collective collective(world(), "all_reduce", "ring", spec);
    for (int run = 0; run < 2; ++run) {
        buffers.next();
        copied_bytes = 0;
        collective.run(buffers.input(), buffers.output());
        EXPECT_EQ(buffers.wrong_elements(), 0);
        EXPECT_EQ(copied_bytes, (in_place ? 1 : 2) * spec.vector.size_bytes());
    }
    static_cast<float*>(buffers.output())[77] += 1.0F;
    EXPECT_EQ(buffers.wrong_elements(), 1);
    buffers.next();
    if (in_place) return;
    EXPECT_EQ(buffers.wrong_elements(), spec.vector.count);  // filled with what is no result
}

TEST(DeviceBuffers, AreFilledAndCheckedThroughCopies) {
    expect_checked(/*in_place=*/true);
    expect_checked(/*in_place=*/false);
}

}  // namespace
}  // namespace shardstone::validation
