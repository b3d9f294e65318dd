// SPDX-License-Identifier: BSD-3-Clause
// Device memory that processes share: what one writes the other reads, and wrong uses.
#include <unistd.h>

#include "validation/emulated_device/calls.hpp"
#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

const auto ends_well = testing::ExitedWithCode(0);

/// Memory that this process exports; what runs in EXPECT_EXIT is another process, a fork of it.
class EmulatedIpc : public OnEmulatedDevice {
  protected:
    EmulatedIpc() { SHARDSTONE_CUDA(cudaIpcGetMemHandle(&handle_, numbers_)); }

    float* open() {
        void* memory = nullptr;
        SHARDSTONE_CUDA(cudaIpcOpenMemHandle(&memory, handle_, cudaIpcMemLazyEnablePeerAccess));
        return static_cast<float*>(memory);
    }
    cudaError_t error_of_opening(unsigned flags = cudaIpcMemLazyEnablePeerAccess) {
        void* memory = nullptr;
        return cudaIpcOpenMemHandle(&memory, handle_, flags);
    }
    /// Ends the other process.
    static void end(bool is_well) { std::_Exit(is_well ? 0 : 1); }

    /// Frees memory that a process started meanwhile has open, and keeps open until this one ends.
    void free_while_open() {
        int is_open[2], has_ended[2];
        char byte = 0;
        if (pipe(is_open) != 0 || pipe(has_ended) != 0) end(false);
        void* memory = nullptr;
        SHARDSTONE_CUDA(cudaMalloc(&memory, bytes_of_block));
        SHARDSTONE_CUDA(cudaIpcGetMemHandle(&handle_, memory));
        if (fork() == 0) {
            close(has_ended[1]);
            open();
            end(write(is_open[1], &byte, 1) == 1 && read(has_ended[0], &byte, 1) == 0);
        }
        if (read(is_open[0], &byte, 1) != 1) end(false);
        cudaFree(memory);
    }

    cudaIpcMemHandle_t handle_{};
};

TEST_F(EmulatedIpc, WhatAnotherProcessWritesIsThere) {
    write_numbers();
    EXPECT_EXIT(
        {
            float* const theirs = open();
            launch_scale(theirs, theirs, 2.0F, block_threads, Fault::none, stream_);
            SHARDSTONE_CUDA(cudaMemcpyAsync(theirs + 1, theirs + 5, 4, cudaMemcpyDefault, stream_));
            wait();
            end(true);
        },
        ends_well, "");
    const auto read = read_numbers();
    EXPECT_EQ(read[1], 10.0F);
    EXPECT_EQ(read[7], 14.0F);
}

// It had data before it was exported, and what the owner does afterwards is seen.
TEST_F(EmulatedIpc, WhatTheOwnerWroteIsRead) {
    float* exported_late = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&exported_late), 40));
    SHARDSTONE_CUDA(cudaMemset(exported_late, 0, 40));
    SHARDSTONE_CUDA(cudaIpcGetMemHandle(&handle_, exported_late));
    SHARDSTONE_CUDA(cudaMemset(exported_late + 9, 1, 4));
    EXPECT_EXIT(
        {
            int read[10];
            SHARDSTONE_CUDA(cudaMemcpy(read, open(), 40, cudaMemcpyDefault));
            end(read[0] == 0 && read[8] == 0 && read[9] == 0x01010101);
        },
        ends_well, "");
    SHARDSTONE_CUDA(cudaFree(exported_late));
}

TEST_F(EmulatedIpc, IsMemoryOfItsDevice) {
    EXPECT_EXIT(
        {
            cudaPointerAttributes attributes{};
            SHARDSTONE_CUDA(cudaPointerGetAttributes(&attributes, open()));
            end(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
        },
        ends_well, "");
    EXPECT_EXIT(*open() = 1.0F, ends_by_fault, "access to device memory by the host");
    EXPECT_EXIT(cudaMemcpyAsync(open(), pinned_, bytes_of_block + 4, cudaMemcpyDefault, stream_),
                ends_by_fault, "past the end of an allocation of 256 B");
}

TEST_F(EmulatedIpc, OpenedTwiceItIsTheSameUntilItIsClosedTwice) {
    EXPECT_EXIT(
        {
            float* const theirs = open();
            const bool is_same = open() == theirs;
            SHARDSTONE_CUDA(cudaIpcCloseMemHandle(theirs));
            SHARDSTONE_CUDA(cudaMemset(theirs, 0, 4));
            SHARDSTONE_CUDA(cudaIpcCloseMemHandle(theirs));
            end(is_same && cudaIpcCloseMemHandle(theirs) == cudaErrorInvalidValue);
        },
        ends_well, "");
    EXPECT_EXIT(
        {
            float* const theirs = open();
            SHARDSTONE_CUDA(cudaIpcCloseMemHandle(theirs));
            cudaMemset(theirs, 0, 4);
        },
        ends_by_fault, "of device memory that was freed");
}

TEST_F(EmulatedIpc, OnlyWholeOwnMemoryCanBeExported) {
    EXPECT_EQ(cudaIpcGetMemHandle(&handle_, numbers_ + 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaIpcGetMemHandle(&handle_, pinned_), cudaErrorInvalidValue);
    EXPECT_EXIT(end(cudaIpcGetMemHandle(&handle_, open()) == cudaErrorInvalidValue), ends_well, "");
    cudaGetLastError();
}

TEST_F(EmulatedIpc, WhatCannotBeOpenedIsAnError) {
    EXPECT_EQ(error_of_opening(), cudaErrorDeviceUninitialized);  // in the same process
    EXPECT_EXIT(end(error_of_opening(0) == cudaErrorInvalidValue), ends_well, "");
    EXPECT_EXIT(
        {
            emulated::order_failure("cudaIpcOpenMemHandle", 1, cudaErrorUnknown);
            end(error_of_opening() == cudaErrorUnknown && error_of_opening() == cudaSuccess);
        },
        ends_well, "");
    SHARDSTONE_CUDA(cudaFree(numbers_));
    EXPECT_EXIT(end(error_of_opening() == cudaErrorInvalidResourceHandle), ends_well, "");
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&numbers_), bytes_of_block));
    handle_.reserved[0] ^= 1;
    EXPECT_EXIT(end(error_of_opening() == cudaErrorInvalidResourceHandle), ends_well, "");
    cudaGetLastError();
}

TEST_F(EmulatedIpc, DevicesMayHaveNoAccessToEachOther) {
    emulated::settings().devices = 2;
    int can = 0;
    SHARDSTONE_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 1);
    SHARDSTONE_CUDA(cudaDeviceCanAccessPeer(&can, 1, 1));
    EXPECT_EQ(can, 0);  // as CUDA says of a device and itself
    emulated::settings().peers = false;
    SHARDSTONE_CUDA(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 0);
    EXPECT_EXIT(end(error_of_opening() == cudaSuccess), ends_well, "");  // of the same device
    SHARDSTONE_CUDA(cudaSetDevice(1));
    EXPECT_EXIT(end(error_of_opening() == cudaErrorPeerAccessUnsupported), ends_well, "");
    SHARDSTONE_CUDA(cudaSetDevice(0));
}

TEST_F(EmulatedIpc, MemoryIsClosedByOthersBeforeItIsFreed) {
    EXPECT_EXIT(cudaFree(open()), ends_by_fault, "of another process is freed, not closed");
    EXPECT_EXIT(free_while_open(), ends_by_fault, "is freed that another process has opened");
}

}  // namespace
}  // namespace shardstone::validation
