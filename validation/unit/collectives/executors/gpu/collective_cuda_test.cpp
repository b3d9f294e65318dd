// SPDX-License-Identifier: BSD-3-Clause
// What runs on GPUs, over any transport: exact results in the memory of the device and in ordinary
// memory, in place and not, and for schedules the bits and the bytes that they have over MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/collectives/known_data.hpp"
#include "collectives/device/devices.hpp"
#include "collectives/executors/collective.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/random.hpp"
#include "validation/unit/mpi_test_main.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;
using benchmarks::KnownData;

/// Some bytes in memory of either kind, which the host fills and reads through a copy.
class Buffer {
  public:
    Buffer(const Algorithm& algorithm, std::int64_t size_bytes, bool on_device)
        : algorithm_(algorithm),
          host_(static_cast<std::size_t>(size_bytes)),
          device_(on_device ? make_buffer(world(), algorithm, size_bytes) : nullptr),
          on_device_(on_device) {}

    std::byte* host() { return host_.data(); }
    std::byte* data() { return on_device_ ? device_.get() : host_.data(); }
    void push() { move(data(), host()); }
    void pull() { move(host(), data()); }

  private:
    void move(std::byte* to, const std::byte* from) const {
        if (on_device_ && !host_.empty()) algorithm_.memory.copy(to, from, std::ssize(host_));
    }

    const Algorithm& algorithm_;
    std::vector<std::byte> host_;
    std::shared_ptr<std::byte> device_;
    bool on_device_;
};

void expect_exact(const Algorithm& algorithm, const CollectiveSpec& spec, bool in_place,
                  bool on_device) {
    SCOPED_TRACE(testing::Message()
                 << algorithm.operation->name << " " << algorithm.name << ", " << spec.vector.count
                 << " elements of " << to_string(spec.vector.type) << ", root " << spec.root
                 << (in_place ? ", in place" : "") << (on_device ? ", on the device" : ""));
    const KnownData data(*algorithm.operation, spec, world().size(), world().rank());
    const std::int64_t element = spec.vector.element_bytes();
    Collective collective(world(), algorithm, spec);
    Buffer input(algorithm, element * (in_place ? data.in_place_count() : data.input_count()),
                 on_device);
    Buffer output(algorithm, in_place ? 0 : element * data.output_count(), on_device);
    Buffer& result = in_place ? input : output;
    for (int run = 0; run < 2; ++run) {
        data.fill(input.host(), in_place);
        input.push();
        collective.run(input.data(), result.data());
        result.pull();
        EXPECT_EQ(data.wrong_elements(result.host(), in_place), 0);
    }
    EXPECT_EQ(collective.bytes_sent(),
              2 * scheduled_bytes(algorithm, world().topology(), world().rank(), spec));
}

bool is_possible(const Algorithm& algorithm) {
    return algorithm.obstacle(world()).empty();
}

/// Those that these ranks can run: ranks that share a GPU do without NCCL.
template <class Visit>
void for_all_possible(Visit&& visit) {
    for (const auto& operation : operations()) {
        for (const auto& name : conditional_algorithms_for(operation)) {
            const Algorithm algorithm = find_algorithm(operation, name);
            if (is_possible(algorithm)) visit(algorithm);
        }
    }
}

class OnGpus : public testing::Test {
    void SetUp() override {
        const auto why = find_algorithm("all_reduce", "over_pinned:ring").obstacle(world());
        if (!why.empty()) GTEST_SKIP() << why;
    }
};

void expect_every_operation_exact(std::int64_t share) {
    const std::int64_t count = share * world().size();
    for_all_possible([&](const Algorithm& algorithm) {
        for (const bool in_place : {false, true}) {
            for (const bool on_device : {false, true}) {
                expect_exact(algorithm, {{count, ElementType::fp32, Reduction::sum}, 0, {}},
                             in_place, on_device);
            }
        }
    });
}

TEST_F(OnGpus, EveryOperationIsExact) {
    for (const std::int64_t share : {0, 1, 1003}) expect_every_operation_exact(share);
}

TEST_F(OnGpus, LargeVectorsAreExact) {
    expect_every_operation_exact(300007);
}

TEST_F(OnGpus, AnyRootAndType) {
    const int last = world().size() - 1;
    for_all_possible([&](const Algorithm& algorithm) {
        const int root = algorithm.operation->rooted ? last : 0;
        for (const ElementType type :
             {ElementType::fp64, ElementType::bf16, ElementType::fp16, ElementType::fp8_e4m3,
              ElementType::fp8_e5m2, ElementType::int32, ElementType::int64}) {
            expect_exact(algorithm, {{1000 * world().size(), type, Reduction::max}, root, {}},
                         /*in_place=*/true, /*on_device=*/true);
        }
    });
}

std::vector<float> random_numbers(std::int64_t count) {
    std::vector<float> data(static_cast<std::size_t>(count));
    const RandomStream stream(1, static_cast<std::uint64_t>(world().rank()));
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(stream.normal(i));
    return data;
}

/// The result of an all-reduce of random numbers, in ordinary memory.
std::vector<float> reduced(const std::string& algorithm, std::int64_t count) {
    auto data = random_numbers(count);
    AllReduce(world(), algorithm, count, ElementType::fp32, Reduction::sum).run(data.data());
    return data;
}

TEST_F(OnGpus, SchedulesGiveTheBitsThatTheyGiveOverMpi) {
    constexpr std::int64_t count = 1'200'007;  // blocks of two ranks are cut into pieces
    for (const char* name : {"ring", "rabenseifner", "double_binary_tree", "recursive_doubling"}) {
        const auto want = reduced(name, count);
        for (const Transport* transport : transports()) {
            const std::string over = name_over(*transport, name);
            if (!transport->obstacle || !is_possible(find_algorithm("all_reduce", over))) continue;
            const auto got = reduced(over, count);
            EXPECT_EQ(std::memcmp(want.data(), got.data(), sizeof(float) * count), 0) << over;
        }
    }
}

/// What two executors make of random numbers in ordinary memory, under way at the same time.
std::array<std::vector<float>, 2> reduced_together(const std::string& algorithm,
                                                   std::int64_t count) {
    std::array data{random_numbers(count), random_numbers(count)};
    for (float& number : data[1]) number *= 2.0F;
    const CollectiveSpec spec{{count, ElementType::fp32, Reduction::sum}, 0, {}};
    const Algorithm found = find_algorithm("all_reduce", algorithm);
    Collective first(world(), found, spec), second(world(), found, spec);
    first.start(data[0].data(), data[0].data());
    second.start(data[1].data(), data[1].data());
    while (!(first.progress() & second.progress())) std::this_thread::yield();
    return data;
}

// Each has places of its own for what arrives.
TEST_F(OnGpus, TwoThatRunTogetherGiveTheBitsOfOne) {
    constexpr std::int64_t count = 20'011;
    auto want = reduced("ring", count);
    for_all_possible([&](const Algorithm& algorithm) {
        if (algorithm.operation->name != "all_reduce" || !algorithm.name.ends_with(":ring")) return;
        auto got = reduced_together(algorithm.name, count);
        EXPECT_EQ(got[0], want) << algorithm.name;
        for (float& number : got[1]) number /= 2.0F;  // exactly
        EXPECT_EQ(got[1], want) << algorithm.name;
    });
}

// Nothing is left out of these tests unseen.
TEST_F(OnGpus, EachWayIsPossibleWhereItShouldBe) {
    const bool one_each = std::ssize(list_devices().devices) >= world().size();
    for (const char* name : {"nccl", "over_nccl:ring"}) {
        const auto known = conditional_algorithms_for("all_reduce");
        if (std::ranges::find(known, "nccl") == known.end()) break;
        EXPECT_EQ(is_possible(find_algorithm("all_reduce", name)), one_each) << name;
    }
    if (list_devices().devices.front().name == "emulated device") {
        EXPECT_TRUE(is_possible(find_algorithm("all_reduce", "over_cuda_mpi:ring")));
        EXPECT_TRUE(is_possible(find_algorithm("all_reduce", "over_ipc:ring")));
    }
}

TEST_F(OnGpus, AveragesAreRefused) {
    for (const auto& name : conditional_algorithms_for("all_reduce")) {
        EXPECT_THROW(Collective(world(), find_algorithm("all_reduce", name),
                                {{8, ElementType::fp32, Reduction::avg}, 0, {}}),
                     Error)
            << name;
    }
}

TEST(OverGpus, OnlySchedulesCanBeNamed) {
    EXPECT_THROW(find_algorithm("all_reduce", "over_pinned:mpi"), Error);
    EXPECT_THROW(find_algorithm("all_reduce", "over_pinned:over_cuda_mpi:ring"), Error);
    for (const std::string over : {"over_pinned:", "over_ipc:"}) {
        EXPECT_TRUE(find_algorithm("all_reduce", over + "hierarchical:ring/ring").has_schedule());
    }
}

}  // namespace
}  // namespace shardstone::validation
