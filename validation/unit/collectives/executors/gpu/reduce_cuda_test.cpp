// SPDX-License-Identifier: BSD-3-Clause
// The reductions on the GPU give the bits of those on the CPU.
#include "collectives/device/reduce_cuda.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "collectives/device/devices.hpp"
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/reduction/reduction_operations.hpp"
#include "kernels/base/random.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::collectives;

/// Every pattern of bits: subnormal numbers, infinities and NaNs are among them.
template <class T>
std::vector<T> random_bits(const char* name, std::int64_t count) {
    const RandomStream stream(1, name);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = stream.bits(i);
        std::memcpy(static_cast<void*>(&values[i]), &bits, sizeof(T));
    }
    return values;
}

template <class T>
bool same(T a, T b) {
    using Wide = arithmetic_of<T>;
    if (std::isnan(static_cast<Wide>(a))) return std::isnan(static_cast<Wide>(b));
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// How many elements into their memory arrays begin.
struct Shifts {
    std::int64_t mine, theirs;
};

/// Reduces on the device; returns how many elements differ.
template <class T>
int differences(ElementType type, Reduction reduction, std::int64_t count, const Shifts& shifts) {
    const auto theirs = random_bits<T>("theirs", count);
    auto want = random_bits<T>("mine", count);
    auto got = want;
    const auto bytes = static_cast<std::int64_t>(sizeof(T)) * count;
    const auto spare = static_cast<std::int64_t>(sizeof(T)) * shifts.mine;
    const auto spare_of_theirs = static_cast<std::int64_t>(sizeof(T)) * shifts.theirs;
    const CudaStream stream;
    const auto a = device_memory(bytes + spare);
    const auto b = device_memory(bytes + spare_of_theirs);
    copy_anywhere(a.get() + spare, got.data(), bytes);
    copy_anywhere(b.get() + spare_of_theirs, theirs.data(), bytes);
    device_reduce_function(type, reduction)(a.get() + spare, b.get() + spare_of_theirs, count,
                                            stream.get());
    SHARDSTONE_CUDA(cudaStreamSynchronize(stream.get()));
    copy_anywhere(got.data(), a.get() + spare, bytes);
    reduce_function(type, reduction)(want.data(), theirs.data(), count);
    int found = 0;
    for (std::size_t i = 0; i < got.size(); ++i) found += same(got[i], want[i]) ? 0 : 1;
    return found;
}

TEST(ReduceOnDevice, GivesTheBitsOfTheCpu) {
    const DeviceList list = list_devices();
    if (list.devices.empty()) GTEST_SKIP() << "no GPU: " << list.why_none;
    for (const char* name :
         {"fp32", "fp64", "bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "int32", "int64"}) {
        const ElementType type = parse_element_type(name);
        for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
            dispatch(type, [&](auto zero) {
                using T = decltype(zero);
                for (const std::int64_t count : {1, 15, 4099, 3000017}) {
                    for (const Shifts& shifts : {Shifts{0, 0}, {1, 0}, {0, 1}}) {
                        EXPECT_EQ(differences<T>(type, reduction, count, shifts), 0)
                            << name << count;
                    }
                }
            });
        }
    }
}

// The comparison can fail: a maximum is not a minimum.
TEST(ReduceOnDevice, AnotherReductionIsSeen) {
    const auto a = random_bits<float>("mine", 1000);
    auto smaller = a;
    auto larger = a;
    const auto b = random_bits<float>("theirs", 1000);
    reduce_function(ElementType::fp32, Reduction::min)(smaller.data(), b.data(), 1000);
    reduce_function(ElementType::fp32, Reduction::max)(larger.data(), b.data(), 1000);
    int found = 0;
    for (std::size_t i = 0; i < a.size(); ++i) found += same(smaller[i], larger[i]) ? 0 : 1;
    EXPECT_GT(found, 900);
}

}  // namespace
}  // namespace shardstone::validation
