// SPDX-License-Identifier: BSD-3-Clause
// Faults of kernels that the emulated device finds, and that it finds none where there are none.
#include <cmath>

#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

using emulated::Sanitizer;
using emulated::ThreadOrder;
using KernelFaults = OnEmulatedDevice;

constexpr ThreadOrder orders[] = {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random};

TEST_F(KernelFaults, NoneAreFoundWhereThereAreNone) {
    for (const ThreadOrder order : orders) {
        emulated::settings().threads = order;
        write_numbers();
        launch_reversal(numbers_, Fault::none, stream_);
        EXPECT_EQ(read_numbers(), reversed_numbers());
        write_numbers();
        launch_late_copy(numbers_, Fault::none, stream_);
        EXPECT_EQ(read_numbers(), reversed_numbers());
        launch_barriers(Fault::none, stream_);
        write_numbers();
        launch_warp_sums(numbers_, Fault::none, stream_);
        EXPECT_EQ(read_numbers()[40], (32 + 63) * 16.0F);
        wait();
    }
}

TEST_F(KernelFaults, AMissingBarrierIsWrongInMostOrdersAndARace) {
    int wrong = 0;
    if (is_built_with(Sanitizer::thread)) {
        expect_race([&] {
            launch_reversal(numbers_, Fault::planted, stream_);
            wait();
        });
        return;
    }
    for (const ThreadOrder order : orders) {
        emulated::settings().threads = order;
        write_numbers();
        launch_reversal(numbers_, Fault::planted, stream_);
        wrong += read_numbers() == reversed_numbers() ? 0 : 1;
    }
    EXPECT_GE(wrong, 2);
}

TEST_F(KernelFaults, ACopyThatNobodyWaitsForHasNotLanded) {
    write_numbers();
    launch_late_copy(numbers_, Fault::planted, stream_);
    EXPECT_TRUE(std::isnan(read_numbers()[0]));
}

TEST_F(KernelFaults, ADivergentBarrierIsNamedWithBothPlaces) {
    EXPECT_EXIT(
        {
            launch_barriers(Fault::planted, stream_);
            wait();
        },
        ends_by_fault,
        "divergent __syncthreads, others are at "
        "validation/unit/emulated_device/test_kernels.cu:[0-9]+"
        ": kernel .*pass_barriers\\(bool\\), block \\(0,0,0\\), thread \\(32,0,0\\), at "
        "validation/unit/emulated_device/test_kernels.cu:[0-9]+");
}

TEST_F(KernelFaults, LanesThatNeverComeAreADeadlock) {
    EXPECT_EXIT(
        {
            launch_warp_sums(numbers_, Fault::planted, stream_);
            wait();
        },
        ends_by_fault, "deadlock: lanes that the mask names have ended or wait elsewhere: kernel ");
}

TEST_F(KernelFaults, ShufflesAndVotesAreThoseOfCuda) {
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
    launch_shuffles(integers(), stream_);
    EXPECT_EQ(read_numbers()[0], 0.0F);
}

TEST_F(KernelFaults, AdditionsThatAreNotAtomicAreARaceAndNothingElse) {
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
    launch_count(integers(), Fault::none, stream_);
    wait();
    if (!is_built_with(Sanitizer::thread)) return;
    expect_race([&] {
        launch_count(integers(), Fault::planted, stream_);
        wait();
    });
}

TEST_F(KernelFaults, BlocksAreNotOrdered) {
    int* many = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&many), 4 * bytes_of_block));
    SHARDSTONE_CUDA(cudaMemsetAsync(many, 0, 4 * bytes_of_block, stream_));
    for (const auto launch : {launch_blocks, launch_neighbours}) {
        launch(many, Fault::none, stream_);
        wait();
        if (!is_built_with(Sanitizer::thread)) continue;
        expect_race([&] {
            launch(many, Fault::planted, stream_);
            wait();
        });
    }
    SHARDSTONE_CUDA(cudaFree(many));
}

TEST_F(KernelFaults, FencesOrderTheLastBlockAfterTheOthers) {
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
    auto* const ended = reinterpret_cast<unsigned*>(numbers_ + 32);
    launch_last_block(numbers_, ended, numbers_ + 33, Fault::none, stream_);
    EXPECT_EQ(read_numbers()[33], 8.0F);
    if (!is_built_with(Sanitizer::thread)) return;
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
    expect_race([&] {
        launch_last_block(numbers_, ended, numbers_ + 33, Fault::planted, stream_);
        wait();
    });
}

TEST_F(KernelFaults, SharedMemoryIsNaNAndHasToBeAskedFor) {
    for (const int bytes : {4, 48 * 1024, 200 * 1024}) {
        launch_with_shared_bytes(numbers_, bytes, stream_);
        EXPECT_TRUE(std::isnan(read_numbers()[0])) << bytes;
    }
    EXPECT_THROW(launch_with_shared_bytes(numbers_, 228 * 1024, stream_), std::exception);
}

TEST_F(KernelFaults, TheMatrixUnitMultiplies) {
    float* product = nullptr;
    SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&product), 128 * sizeof(float)));
    launch_product(product, stream_);
    wait();
    std::vector<float> read(128);
    SHARDSTONE_CUDA(cudaMemcpy(read.data(), product, 128 * sizeof(float), cudaMemcpyDeviceToHost));
    EXPECT_EQ(read, std::vector<float>(128, 16.0F));
    SHARDSTONE_CUDA(cudaFree(product));
}

}  // namespace
}  // namespace shardstone::validation
