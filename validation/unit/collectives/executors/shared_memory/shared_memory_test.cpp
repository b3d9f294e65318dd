// SPDX-License-Identifier: BSD-3-Clause
// All-reduce through shared memory in all its ways (one shot, staged, single copies, direct), with
// segments so small that few elements reach every one. Results are held to the bits of a sum in
// rank order.
#include "collectives/executors/shared_memory/shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "collectives/cluster/shared_window.hpp"
#include "validation/unit/collectives/executors/shared_memory/random_vectors.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

constexpr std::int64_t no_limit = 1 << 30;
constexpr SharedMemoryTuning one_shot{.one_shot_bytes = no_limit,
                                      .one_shot_in_window_bytes = no_limit,
                                      .segment_bytes = 64,
                                      .lag = 1};
constexpr SharedMemoryTuning one_shot_if_ordinary{
    .one_shot_bytes = no_limit, .one_shot_in_window_bytes = 0, .segment_bytes = 64, .lag = 1};

constexpr SharedMemoryTuning segmented(std::int64_t segment_bytes, std::int64_t lag) {
    return {.one_shot_bytes = 0,
            .one_shot_in_window_bytes = 0,
            .segment_bytes = segment_bytes,
            .lag = lag};
}

std::vector<std::int64_t> counts() {
    const std::int64_t size = world().size();
    return {0, 1, 2, size - 1, size + 1, 16 * size + 1, 4099};
}

constexpr SharedMemoryTuning copied_once(std::int64_t chunk_bytes) {
    SharedMemoryTuning tuning = segmented(1024, 1);
    tuning.single_copy_bytes = 1;
    tuning.chunk_bytes = chunk_bytes;
    return tuning;
}

template <class T>
class SharedMemory : public testing::Test {
  protected:
    static constexpr ElementType type = element_traits<T>::type;

    /// Three runs on `buffer`, with pauses, each on other numbers: what is left of the run before
    /// would be wrong.
    static void expect_right(T* buffer, std::int64_t count, Reduction reduction,
                             const SharedMemoryTuning& tuning) {
        const auto executor =
            make_shared_memory_all_reduce(world(), {count, type, reduction}, tuning);
        constexpr int runs = 3;
        const auto mine = random_vector<T>(world().rank(), count + runs);
        const auto want = sum_in_rank_order<T>(reduction, count + runs);
        for (int run = 0; run < runs; ++run) {
            std::copy_n(mine.begin() + run, count, buffer);
            random_pause(run);
            executor->run(buffer);
            EXPECT_TRUE(same_bits(buffer, want.data() + run, count))
                << count << " elements, " << to_string(reduction) << ", run " << run
                << ", segments " << tuning.segment_bytes << ", lag " << tuning.lag;
        }
    }
};
using Types = testing::Types<float, double, bf16, fp16>;
TYPED_TEST_SUITE(SharedMemory, Types);

constexpr std::array reductions{Reduction::sum, Reduction::max, Reduction::min};

TYPED_TEST(SharedMemory, OrdinaryVectors) {
    std::vector<TypeParam> buffer(4099);
    for (const std::int64_t count : counts()) {
        this->expect_right(buffer.data(), count, Reduction::sum, one_shot);
        this->expect_right(buffer.data(), count, Reduction::sum, one_shot_if_ordinary);
        this->expect_right(buffer.data(), count, Reduction::sum, segmented(64, 2));
        this->expect_right(buffer.data(), count, Reduction::sum, segmented(192, 3));
        for (const Reduction reduction : reductions) {
            this->expect_right(buffer.data(), count, reduction, segmented(1024, 1));
            this->expect_right(buffer.data(), count, reduction, copied_once(192));
        }
    }
}

TYPED_TEST(SharedMemory, VectorsInTheWindowAtAnyOffset) {
    constexpr std::int64_t odd = 3;
    const auto memory = make_shared_buffer(world(), (4099 + odd) * 8);
    auto* const buffer = reinterpret_cast<TypeParam*>(memory.get()) + odd;
    for (const std::int64_t count : counts()) {
        for (const Reduction reduction : reductions) {
            this->expect_right(buffer, count, reduction, segmented(1024, 1));
            this->expect_right(buffer, count, reduction, copied_once(192));
        }
    }
}

/// Runs on ordinary vectors and on such in the window, three of each in turn, all on other numbers.
void stress(const SharedMemoryTuning& tuning) {
    constexpr std::int64_t count = 5000;
    const auto shared = make_shared_buffer(world(), count * 4);
    std::vector<float> ordinary(count);
    const std::array<float*, 2> buffers{reinterpret_cast<float*>(shared.get()), ordinary.data()};
    const auto executor =
        make_shared_memory_all_reduce(world(), {count, ElementType::fp32, Reduction::sum}, tuning);
    constexpr int runs = 300;
    const auto mine = random_vector<float>(world().rank(), count + runs);
    const auto want = sum_in_rank_order<float>(Reduction::sum, count + runs);
    for (int run = 0; run < runs; ++run) {
        float* const buffer = buffers[static_cast<std::size_t>(run / 3 % 2)];
        std::copy_n(mine.begin() + run, count, buffer);
        random_pause(run);
        executor->run(buffer);
        ASSERT_TRUE(same_bits(buffer, want.data() + run, count)) << "run " << run;
    }
}

// What one rank alone does differently from run to run is what the others must hear of: they go by
// what they heard last.
TEST(SharedMemory, ARankAloneMovesItsVector) {
    constexpr std::int64_t count = 500, most_shift = 16;
    const auto shared = make_shared_buffer(world(), (count + most_shift) * 4);
    auto* const begin = reinterpret_cast<float*>(shared.get());
    const auto executor = make_shared_memory_all_reduce(
        world(), {count, ElementType::fp32, Reduction::sum}, segmented(512, 1));
    constexpr int runs = 200;
    const auto mine = random_vector<float>(world().rank(), count + runs);
    const auto want = sum_in_rank_order<float>(Reduction::sum, count + runs);
    for (int run = 0; run < runs; ++run) {
        const bool moves = run / 3 % world().size() == world().rank();
        float* const buffer = begin + (moves ? run % most_shift : 0);
        std::copy_n(mine.begin() + run, count, buffer);
        executor->run(buffer);
        EXPECT_TRUE(same_bits(buffer, want.data() + run, count)) << "run " << run;
        world().barrier();  // each rank writes its next vector where others may have read this one
    }
}

TEST(SharedMemory, StressWithRandomDelays) {
    stress(segmented(512, 2));
    stress(one_shot_if_ordinary);
    stress(copied_once(512));
}

TEST(SharedMemory, SeveralInFlight) {
    constexpr std::int64_t count = 1000;
    const auto want = sum_in_rank_order<float>(Reduction::sum, count);
    std::vector<std::unique_ptr<Executor>> executors;
    std::vector<std::vector<float>> vectors;
    for (const auto& tuning : {segmented(256, 1), one_shot, copied_once(256), segmented(1024, 2)}) {
        executors.push_back(make_shared_memory_all_reduce(
            world(), {count, ElementType::fp32, Reduction::sum}, tuning));
        vectors.push_back(random_vector<float>(world().rank(), count));
    }
    for (std::size_t i = 0; i < executors.size(); ++i) executors[i]->start(vectors[i].data());
    // Each rank moves another one on first; all wait in one order.
    for (std::size_t i = 0; i < executors.size(); ++i) {
        executors[(i + static_cast<std::size_t>(world().rank())) % executors.size()]->progress();
    }
    for (const auto& executor : executors) executor->wait();
    for (const auto& vector : vectors) EXPECT_TRUE(same_bits(vector.data(), want));
}

// One rank cuts its segments elsewhere, and so reduces another slice than the others count on.
TEST(SharedMemory, AWrongSliceIsCaught) {
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    constexpr std::int64_t count = 1000;
    const bool culprit = world().rank() == 1;
    const auto executor =
        make_shared_memory_all_reduce(world(), {count, ElementType::fp32, Reduction::sum},
                                      segmented(culprit ? 2048 - 64 : 2048, 1));
    auto data = random_vector<float>(world().rank(), count);
    executor->run(data.data());
    const bool right = same_bits(data.data(), sum_in_rank_order<float>(Reduction::sum, count));
    EXPECT_EQ(world().min(right ? 1.0 : 0.0), 0.0);
}

void expect_two_kinds_are_refused(const SharedMemoryTuning& tuning) {
    constexpr std::int64_t count = 100;
    const auto shared = make_shared_buffer(world(), count * 4);
    std::vector<float> ordinary(count);
    const bool other = world().rank() == world().size() - 1;
    const auto executor =
        make_shared_memory_all_reduce(world(), {count, ElementType::fp32, Reduction::sum}, tuning);
    float* const buffer = other ? ordinary.data() : reinterpret_cast<float*>(shared.get());
    EXPECT_THROW(executor->run(buffer), Error);
    world().barrier();
}

TEST(SharedMemory, VectorsOfTwoKindsAreRefusedOnAllRanks) {
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    expect_two_kinds_are_refused(segmented(1024, 1));
    expect_two_kinds_are_refused(copied_once(64));
}

TEST(SharedMemory, SeveralNodesAreRefusedByName) {
    if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
    try {
        require_one_node(Topology::blocked(4, 2));
        FAIL() << "accepted";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("ranks 0,1 on node 0; ranks 2,3 on node 1"), std::string::npos) << text;
        EXPECT_NE(text.find("use ring"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace shardstone::validation
