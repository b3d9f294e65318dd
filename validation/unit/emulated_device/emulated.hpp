// SPDX-License-Identifier: BSD-3-Clause
// What tests of the emulated device have in common.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/base/check_cuda.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/settings.hpp"
#include "validation/unit/emulated_device/test_kernels.hpp"

namespace shardstone::validation {

inline constexpr std::size_t bytes_of_block = block_threads * sizeof(float);

/// A stream, memory of the device for one block, and pinned memory as large. Settings that a test
/// changes are as before after it.
class OnEmulatedDevice : public testing::Test {
  protected:
    OnEmulatedDevice() {
        SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
        SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&numbers_), bytes_of_block));
        SHARDSTONE_CUDA(cudaMallocHost(reinterpret_cast<void**>(&pinned_), bytes_of_block));
    }
    ~OnEmulatedDevice() override {
        emulated::settings() = before_;
        cudaFree(numbers_);
        cudaFreeHost(pinned_);
        cudaStreamDestroy(stream_);
    }

    /// 0, 1, 2, ... on the device.
    void write_numbers() {
        for (int i = 0; i < block_threads; ++i) pinned_[i] = static_cast<float>(i);
        SHARDSTONE_CUDA(
            cudaMemcpyAsync(numbers_, pinned_, bytes_of_block, cudaMemcpyHostToDevice, stream_));
        SHARDSTONE_CUDA(cudaStreamSynchronize(stream_));
    }
    std::vector<float> read_numbers() {
        SHARDSTONE_CUDA(cudaStreamSynchronize(stream_));
        std::vector<float> read(block_threads);
        SHARDSTONE_CUDA(cudaMemcpy(read.data(), numbers_, bytes_of_block, cudaMemcpyDeviceToHost));
        return read;
    }
    void wait() { SHARDSTONE_CUDA(cudaStreamSynchronize(stream_)); }
    /// The numbers as they are, as an array of as many.
    int* integers() { return reinterpret_cast<int*>(numbers_); }

    cudaStream_t stream_ = nullptr;
    float* numbers_ = nullptr;
    float* pinned_ = nullptr;

  private:
    emulated::Settings before_ = emulated::settings();
};

inline std::vector<float> reversed_numbers() {
    std::vector<float> expected;
    for (int i = block_threads; i-- > 0;) expected.push_back(static_cast<float>(i));
    return expected;
}

inline const auto ends_by_fault = testing::ExitedWithCode(emulated::fault_exit_code);
/// A sanitizer's own way to end.
inline const auto ends_by_sanitizer = [](int status) { return status != 0; };

/// `work` ends by the race detector. After a fork that one looks away: here the test begins anew.
template <class Work>
void expect_race(const Work& work) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(work(), ends_by_sanitizer, "data race");
    GTEST_FLAG_SET(death_test_style, "fast");
}

/// Those that a build can plainly not find: the test says so, and ends.
inline bool is_built_with(emulated::Sanitizer sanitizer) {
    return emulated::sanitizer() == sanitizer;
}

}  // namespace shardstone::validation
