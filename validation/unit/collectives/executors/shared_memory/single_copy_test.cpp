// SPDX-License-Identifier: BSD-3-Clause
// Memory of other ranks through the kernel, and the reduction that stands on it.
#include "collectives/executors/shared_memory/single_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "collectives/operation/layout.hpp"
#include "kernels/base/error.hpp"
#include "validation/unit/collectives/executors/shared_memory/random_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

std::uint64_t address_of(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data);
}

/// The addresses of all ranks; a double holds those that processes have.
std::vector<std::uint64_t> addresses_of_all(const void* data) {
    const std::array mine{static_cast<double>(address_of(data))};
    std::vector<std::uint64_t> addresses;
    for (const double address : world().all_gather(mine)) {
        addresses.push_back(static_cast<std::uint64_t>(address));
    }
    return addresses;
}

TEST(PeerMemory, BytesArriveAcrossPagesInBothDirections) {
    const PeerMemory peers(world());
    if (!peers.reachable()) GTEST_SKIP() << "the ranks may not reach each other's memory here";
    constexpr std::int64_t count = 300'001;
    const auto mine = random_vector<float>(world().rank(), count);
    std::vector<float> room(count);
    const int next = (world().rank() + 1) % world().size();
    const int previous = (world().rank() + world().size() - 1) % world().size();
    const auto vectors = addresses_of_all(mine.data());
    const auto rooms = addresses_of_all(room.data());

    std::vector<float> read(count);
    peers.read(next, vectors[static_cast<std::size_t>(next)], read.data(), 4 * count);
    EXPECT_TRUE(same_bits(read.data(), random_vector<float>(next, count)));
    peers.write(next, rooms[static_cast<std::size_t>(next)] + 4, mine.data(), 4 * (count - 1));
    world().barrier();
    auto want = random_vector<float>(previous, count - 1);
    EXPECT_TRUE(same_bits(room.data() + 1, want));
    EXPECT_EQ(room.front(), 0.0F);
}

TEST(PeerMemory, MemoryThatIsNotThereIsOneLineWithRankAndReason) {
    const PeerMemory peers(world());
    if (!peers.reachable()) GTEST_SKIP() << "the ranks may not reach each other's memory here";
    constexpr std::int64_t page = 4096;
    void* const two = mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(two, MAP_FAILED);
    ASSERT_EQ(munmap(static_cast<std::byte*>(two) + page, page), 0);
    const auto pages = addresses_of_all(two);
    const int next = (world().rank() + 1) % world().size();
    const auto message = [&](auto&& access) -> std::string {
        try {
            access();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    const auto place = pages[static_cast<std::size_t>(next)] + page / 2;
    std::vector<std::byte> local(page);
    for (const std::string& text :
         {message([&] { peers.read(next, place, local.data(), page); }),
          message([&] { peers.write(next, place, local.data(), page); })}) {
        EXPECT_NE(text.find("rank " + std::to_string(next)), std::string::npos) << text;
        EXPECT_NE(text.find("Bad address"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    }
    EXPECT_NO_THROW(peers.read(next, place, local.data(), page / 2)) << "the part that is there";
    world().barrier();
    munmap(two, page);
}

/// One sum over all ranks, which can be made to go wrong.
class Sum {
  public:
    /// Collective.
    Sum(PeerMemory peers, std::int64_t count)
        : partition_(count, world().size(), 1),
          data_(random_vector<float>(world().rank(), count)),
          addresses_(addresses_of_all(data_.data())),
          want_(sum_in_rank_order<float>(Reduction::sum, count)),
          copies_(std::move(peers), world(), {count, ElementType::fp32, Reduction::sum}, 256) {}

    void reduce_block() {
        auto block = addresses_;
        const std::int64_t begin = partition_.begin(world().rank());
        for (auto& address : block) address += static_cast<std::uint64_t>(4 * begin);
        copies_.reduce(block, partition_.elements({world().rank(), 1}));
    }
    bool right() const { return same_bits(data_.data(), want_); }
    std::vector<float>& data() { return data_; }

  private:
    BlockPartition partition_;
    std::vector<float> data_;
    std::vector<std::uint64_t> addresses_;
    std::vector<float> want_;
    SingleCopy copies_;
};

constexpr std::int64_t sum_count = 1003;

TEST(SingleCopy, EveryRankReducesItsBlockForAll) {
    PeerMemory peers(world());
    if (!peers.reachable()) GTEST_SKIP() << "the ranks may not reach each other's memory here";
    Sum sum(std::move(peers), sum_count);
    random_pause(0);
    sum.reduce_block();
    world().barrier();
    EXPECT_TRUE(sum.right());
    world().barrier();
}

// What the executor waits for in turn 1: vectors that are complete.
TEST(SingleCopy, AVectorThatIsReadBeforeItIsReadyIsCaught) {
    PeerMemory peers(world());
    if (world().size() < 2 || !peers.reachable()) GTEST_SKIP() << "needs two ranks in reach";
    Sum sum(std::move(peers), sum_count);
    const bool late = world().rank() == world().size() - 1;
    const auto ready = sum.data();
    if (late) sum.data().assign(ready.size(), 0.0F);
    world().barrier();
    if (!late) sum.reduce_block();
    world().barrier();
    if (late) sum.data() = ready;
    if (late) sum.reduce_block();
    world().barrier();
    EXPECT_FALSE(sum.right());
    world().barrier();
}

// What it waits for in turn 2: results of all blocks.
TEST(SingleCopy, AResultThatIsTakenBeforeAllHaveFinishedIsCaught) {
    PeerMemory peers(world());
    if (world().size() < 2 || !peers.reachable()) GTEST_SKIP() << "needs two ranks in reach";
    Sum sum(std::move(peers), sum_count);
    const bool late = world().rank() == world().size() - 1;
    if (!late) sum.reduce_block();
    world().barrier();
    EXPECT_FALSE(sum.right());
    world().barrier();
    if (late) sum.reduce_block();
    world().barrier();
    EXPECT_TRUE(sum.right());
    world().barrier();
}

}  // namespace
}  // namespace shardstone::validation
