// SPDX-License-Identifier: BSD-3-Clause
// Wrong uses of memory that the emulated device finds.
#include <cmath>

#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

using emulated::Sanitizer;
using MemoryFaults = OnEmulatedDevice;

TEST_F(MemoryFaults, TheHostCannotTouchDeviceMemory) {
    EXPECT_EXIT(
        numbers_[3] = 1.0F, ends_by_fault,
        "access to device memory by the host: byte 12 of an allocation of 256 B on device 0");
}

TEST_F(MemoryFaults, WhatNobodyWroteIsNaN) {
    for (const float number : read_numbers()) EXPECT_TRUE(std::isnan(number));
}

TEST_F(MemoryFaults, AWriteJustPastTheEndIsFound) {
    float* few = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&few), 40));
    SHARDSTONE_CUDA(cudaMemsetAsync(few, 0, 40, stream_));
    launch_scale(few, few, 2.0F, 10, Fault::none, stream_);
    wait();
    const auto overrun = [&] {
        launch_scale(few, few, 2.0F, 10, Fault::planted, stream_);
        wait();
    };
    if (is_built_with(Sanitizer::address)) {
        EXPECT_EXIT(overrun(), ends_by_sanitizer, "use-after-poison");
    } else {
        EXPECT_EXIT(overrun(), ends_by_fault, "written past the end of an allocation of 40 B");
    }
    SHARDSTONE_CUDA(cudaFree(few));
}

TEST_F(MemoryFaults, AReadFarPastTheEndIsFound) {
    if (is_built_with(Sanitizer::address)) return;  // which tells it itself
    EXPECT_EXIT(
        {
            launch_read(numbers_, numbers_, block_threads, stream_);
            wait();
        },
        ends_by_fault,
        "access to device memory outside of any allocation, byte 256 of an allocation of 256 B on "
        "device 0: kernel .*read\\(float\\*, float const\\*, int\\), block \\(0,0,0\\), thread "
        "\\(0,0,0\\)");
}

TEST_F(MemoryFaults, UseAfterFreeIsFound) {
    float* freed = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&freed), bytes_of_block));
    SHARDSTONE_CUDA(cudaFree(freed));
    EXPECT_EXIT(launch_read(numbers_, freed, 0, stream_), ends_by_fault,
                "kernel .*read.*: an argument points to device memory that was freed");
    EXPECT_EXIT(cudaMemcpy(pinned_, freed, 4, cudaMemcpyDefault), ends_by_fault,
                "cudaMemcpy of device memory that was freed");
    EXPECT_EXIT(cudaFree(freed), ends_by_fault, "device memory is freed twice");
    if (is_built_with(Sanitizer::address)) return;
    EXPECT_EXIT(
        {
            const auto distance = static_cast<int>(freed - numbers_);
            launch_read(numbers_, numbers_, distance, stream_);
            wait();
        },
        ends_by_fault, "after it was freed: byte 0 of an allocation of 256 B on device 0: kernel ");
}

TEST_F(MemoryFaults, AKernelCannotReachOrdinaryMemory) {
    const float ordinary = 1.0F;
    EXPECT_EXIT(launch_read(numbers_, &ordinary, 0, stream_), ends_by_fault,
                "kernel .*read.*: an argument points to memory that a device cannot reach");
}

TEST_F(MemoryFaults, CopiesThatRunLaterNeedPinnedMemory) {
    float ordinary = 1.0F;
    EXPECT_EXIT(cudaMemcpyAsync(&ordinary, numbers_, 4, cudaMemcpyDeviceToHost, stream_),
                ends_by_fault, "cudaMemcpyAsync of memory that is neither a device's nor pinned");
    EXPECT_EXIT(
        cudaMemcpyAsync(numbers_, pinned_, bytes_of_block + 4, cudaMemcpyHostToDevice, stream_),
        ends_by_fault, "cudaMemcpyAsync past the end of an allocation of 256 B");
    EXPECT_EXIT(cudaMemcpyAsync(numbers_, pinned_, 4, cudaMemcpyDeviceToHost, stream_),
                ends_by_fault, "the memory is elsewhere than its cudaMemcpyKind says");
}

TEST_F(MemoryFaults, WorkOnTheDefaultStreamIsRefused) {
    EXPECT_EXIT(launch_read(numbers_, numbers_, 0, nullptr), ends_by_fault, "name a stream");
}

TEST_F(MemoryFaults, OrderedAllocationsExistInTheOrderOfTheirStream) {
    float* memory = nullptr;
    cudaStream_t other = nullptr;
    SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    SHARDSTONE_CUDA(cudaMallocAsync(reinterpret_cast<void**>(&memory), bytes_of_block, stream_));
    if (!is_built_with(Sanitizer::address)) {
        EXPECT_EXIT(
            {
                launch_read(memory, numbers_, 0, other);
                SHARDSTONE_CUDA(cudaStreamSynchronize(other));
            },
            ends_by_fault, "before its cudaMallocAsync has run: byte 0 of an allocation");
    }
    write_numbers();
    launch_scale(memory, numbers_, 2.0F, block_threads, Fault::none, stream_);
    launch_scale(numbers_, memory, 2.0F, block_threads, Fault::none, stream_);
    SHARDSTONE_CUDA(cudaFreeAsync(memory, stream_));
    EXPECT_EQ(read_numbers()[5], 20.0F);
    EXPECT_EXIT(launch_read(numbers_, memory, 0, stream_), ends_by_fault, "that was freed");
    SHARDSTONE_CUDA(cudaStreamDestroy(other));
}

}  // namespace
}  // namespace shardstone::validation
