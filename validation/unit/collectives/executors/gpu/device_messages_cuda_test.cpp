// SPDX-License-Identifier: BSD-3-Clause
// What only an emulated device can count of messages between GPUs: long ones are cut, and memory
// that other processes may have open serves again.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "collectives/device/exported_memory_cuda.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/executors/gpu/messages_cuda.hpp"
#include "collectives/operation/algorithm.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// Reductions of an all-reduce in which each of two ranks sends its whole vector: of each piece.
std::int64_t pieces_of(const std::string& transport, std::int64_t count) {
    const Algorithm algorithm = find_algorithm("all_reduce", transport + ":recursive_doubling");
    const CollectiveSpec spec{{count, ElementType::fp32, Reduction::sum}, 0, {}};
    const auto data = make_buffer(world(), algorithm, spec.vector.size_bytes());
    SHARDSTONE_CUDA(cudaMemset(data.get(), 0, static_cast<std::size_t>(spec.vector.size_bytes())));
    Collective collective(world(), algorithm, spec);
    emulated::counters() = {};
    collective.run(data.get(), data.get());
    EXPECT_EQ(collective.bytes_sent(), spec.vector.size_bytes());
    return emulated::counters().launches;
}

TEST(DeviceMessages, LongOnesAreCut) {
    constexpr std::int64_t mib = 1 << 20;
    constexpr std::int64_t bytes = 9 * mib + 4;
    EXPECT_EQ(largest_message_bytes(MessagePlace::pinned), mib);
    EXPECT_EQ(largest_message_bytes(MessagePlace::peer), 4 * mib);
    EXPECT_EQ(pieces_of("over_pinned", bytes / 4), 10);
    EXPECT_EQ(pieces_of("over_ipc", bytes / 4), 3);
    EXPECT_EQ(pieces_of("over_cuda_mpi", bytes / 4), 1);
}

TEST(DeviceMessages, ExportedMemoryIsOneOwnersAndServesAgain) {
    use_gpu_of_rank(world());
    constexpr std::int64_t bytes = (31 << 20) + 1;  // more than other tests leave behind
    constexpr std::int64_t block_bytes = 32 << 20;  // in whole pages, of 2 MiB
    auto first = exported_memory(bytes);
    const auto second = exported_memory(bytes);
    EXPECT_NE(first.data.get(), second.data.get());
    EXPECT_NE(std::memcmp(&first.handle, &second.handle, sizeof first.handle), 0);
    const std::byte* const place = first.data.get();
    first = {};
    const auto allocations = emulated::counters().allocations;
    EXPECT_EQ(exported_memory(block_bytes).data.get(), place);
    EXPECT_EQ(exported_memory(bytes - 1).data.get(), place);
    EXPECT_EQ(emulated::counters().allocations, allocations);
    EXPECT_NE(exported_memory(block_bytes + 1).data.get(), place) << "which is too small";
}

// Of one after the other, none exports anything that the one before did not.
TEST(DeviceMessages, ExecutorsTakeWhatIsExported) {
    pieces_of("over_ipc", 1000);
    emulated::counters() = {};
    {
        const Collective one(world(), "all_reduce", "over_ipc:ring",
                             {{1000, ElementType::fp32, Reduction::sum}, 0, {}});
    }
    EXPECT_EQ(emulated::counters().allocations, 0);
}

}  // namespace
}  // namespace shardstone::validation
