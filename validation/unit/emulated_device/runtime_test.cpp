// SPDX-License-Identifier: BSD-3-Clause
// Errors, limits and counters of the emulated runtime.
#include <cmath>

#include "validation/emulated_device/calls.hpp"
#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

using EmulatedRuntime = OnEmulatedDevice;

TEST_F(EmulatedRuntime, ErrorsHaveCudasWords) {
    EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
}

TEST_F(EmulatedRuntime, TheLastErrorIsToldOnce) {
    EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(EmulatedRuntime, MemoryEndsWhereItIsLimited) {
    emulated::settings().memory_bytes = 1 << 20;
    std::size_t free = 0, total = 0;
    SHARDSTONE_CUDA(cudaMemGetInfo(&free, &total));
    EXPECT_EQ(total, std::size_t{1} << 20);
    EXPECT_EQ(free, total - bytes_of_block);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, free + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    SHARDSTONE_CUDA(cudaMalloc(&memory, free));
    SHARDSTONE_CUDA(cudaFree(memory));
}

TEST_F(EmulatedRuntime, WithoutADeviceNothingWorks) {
    emulated::settings().devices = 0;
    int count = -1;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
    EXPECT_EQ(count, 0);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorNoDevice);
    cudaGetLastError();
}

TEST_F(EmulatedRuntime, DevicesHaveMemoryAndStreamsOfTheirOwn) {
    emulated::settings().devices = 2;
    SHARDSTONE_CUDA(cudaSetDevice(1));
    float* there = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&there), bytes_of_block));
    EXPECT_THROW(launch_read(numbers_, numbers_, 0, stream_), std::exception);
    EXPECT_EXIT(launch_read(there, there, 0, stream_), ends_by_fault, "memory of another device");
    cudaDeviceProp first{}, second{};
    SHARDSTONE_CUDA(cudaGetDeviceProperties(&first, 0));
    SHARDSTONE_CUDA(cudaGetDeviceProperties(&second, 1));
    EXPECT_NE(std::string(first.uuid.bytes, 16), std::string(second.uuid.bytes, 16));
    SHARDSTONE_CUDA(cudaFree(there));
    SHARDSTONE_CUDA(cudaSetDevice(0));
}

TEST_F(EmulatedRuntime, CallsFailAsOrdered) {
    emulated::order_failure("cudaMemsetAsync", 2, cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemsetAsync(numbers_, 0, 4, stream_), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(numbers_, 0, 4, stream_), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemsetAsync(numbers_, 0, 4, stream_), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    wait();
}

// In a process of its own, since no call succeeds afterwards.
TEST_F(EmulatedRuntime, AKernelThatFailsIsToldByTheNextWaitAndForGood) {
    EXPECT_EXIT(
        {
            emulated::order_failure("kernel", 1, cudaErrorIllegalAddress);
            launch_read(numbers_, numbers_, 0, stream_);
            const bool is_told =
                cudaStreamSynchronize(stream_) == cudaErrorIllegalAddress &&
                cudaGetLastError() == cudaErrorIllegalAddress &&
                cudaMemsetAsync(numbers_, 0, 4, stream_) == cudaErrorIllegalAddress;
            std::_Exit(is_told ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
}

TEST_F(EmulatedRuntime, CallsAreCounted) {
    emulated::counters() = {};
    launch_read(numbers_, numbers_, 0, stream_);
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, 8, stream_));
    EXPECT_EQ(emulated::counters().launches, 1);
    EXPECT_EQ(emulated::counters().kernels_run, 0);
    wait();
    EXPECT_EQ(emulated::counters().kernels_run, 1);
    EXPECT_EQ(emulated::counters().copies, 1);
    EXPECT_EQ(emulated::counters().host_waits, 1);
    EXPECT_EQ(emulated::counters().allocations, 0);
}

TEST_F(EmulatedRuntime, ALookRunsNothingBehindTheEventThatItReaches) {
    if (is_built_with(emulated::Sanitizer::thread)) GTEST_SKIP() << "it would tell the early read";
    constexpr int pieces = 20;
    cudaEvent_t event = nullptr;
    SHARDSTONE_CUDA(cudaEventCreate(&event));
    write_numbers();
    pinned_[1] = 7.0F;
    for (int i = 0; i < pieces; ++i) {
        launch_scale(numbers_, numbers_, 2.0F, block_threads, Fault::none, stream_);
    }
    SHARDSTONE_CUDA(cudaEventRecord(event, stream_));
    SHARDSTONE_CUDA(
        cudaMemcpyAsync(pinned_, numbers_, bytes_of_block, cudaMemcpyDeviceToHost, stream_));
    int looks = 0;
    while (cudaEventQuery(event) == cudaErrorNotReady) ++looks;
    cudaGetLastError();
    EXPECT_EQ(pinned_[1], 7.0F) << "as a host sees it that reads too early";
    EXPECT_LT(looks, pieces / 2) << "more runs with each look of a host that only waits";
    EXPECT_GT(looks, 2) << "and little with the first ones";
    wait();
    EXPECT_EQ(pinned_[1], std::exp2(static_cast<float>(pieces)));
    SHARDSTONE_CUDA(cudaEventDestroy(event));
}

TEST_F(EmulatedRuntime, LaunchesAreRefusedAsByAGpu) {
    EXPECT_THROW(launch_with_shared_bytes(numbers_, -1, stream_), std::exception);
    const int attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    EXPECT_EQ(cudaFuncSetAttribute(numbers_, static_cast<cudaFuncAttribute>(attribute), 300'000),
              cudaErrorInvalidValue);
    cudaGetLastError();
}

}  // namespace
}  // namespace shardstone::validation
