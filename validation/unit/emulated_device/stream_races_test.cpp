// SPDX-License-Identifier: BSD-3-Clause
// The race detector on the emulated device: what streams do to the same memory is a race unless
// events order it, in whatever order the device happens to run them, and whatever ran before.
#include <functional>

#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

using emulated::StreamOrder;

class StreamRaces : public OnEmulatedDevice {
  protected:
    StreamRaces() {
        SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
        SHARDSTONE_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
        SHARDSTONE_CUDA(cudaEventCreateWithFlags(&joined_, cudaEventDisableTiming));
        for (float** array : {&results_, &more_}) {
            SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(array), bytes_of_block));
        }
        write_numbers();
    }
    ~StreamRaces() override {
        for (float* array : {results_, more_}) cudaFree(array);
        for (const cudaEvent_t event : {event_, joined_}) cudaEventDestroy(event);
        cudaStreamDestroy(other_);
    }

    /// What the other stream gets from here on comes after what this one has got so far.
    void other_waits() {
        SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
        SHARDSTONE_CUDA(cudaStreamWaitEvent(other_, event_, 0));
    }
    void wait_for_other() {
        SHARDSTONE_CUDA(cudaEventRecord(joined_, other_));
        SHARDSTONE_CUDA(cudaStreamWaitEvent(stream_, joined_, 0));
    }
    static void scale(float* to, const float* from, cudaStream_t stream) {
        launch_scale(to, from, 2.0F, block_threads, Fault::none, stream);
    }

    /// Right as it is, a race where the wait is left out.
    void expect_race_without_wait(const std::function<void(Fault)>& work) {
        for (const StreamOrder order :
             {StreamOrder::lazy, StreamOrder::others, StreamOrder::random, StreamOrder::issue}) {
            emulated::settings().streams = order;
            const auto run = [&](Fault fault) {
                work(fault);
                SHARDSTONE_CUDA(cudaDeviceSynchronize());
            };
            for (const bool in_kernels : {true, false}) {
                emulated::settings().races_in_kernels = in_kernels;
                run(Fault::none);
                if (!is_built_with(emulated::Sanitizer::thread)) continue;
                expect_race([&] { run(Fault::planted); });
            }
        }
    }

    cudaStream_t other_ = nullptr;
    cudaEvent_t event_ = nullptr, joined_ = nullptr;
    float *results_ = nullptr, *more_ = nullptr;
};

// The same thread of both kernels touches the same element.
TEST_F(StreamRaces, AreFoundBetweenKernels) {
    expect_race_without_wait([this](Fault fault) {
        scale(results_, numbers_, stream_);
        if (fault == Fault::none) other_waits();
        scale(more_, results_, other_);
        wait_for_other();
    });
}

// As of gradients that are received, added up, and overwritten while computations still read them.
TEST_F(StreamRaces, AreFoundBehindAKernelOfTheSameStream) {
    expect_race_without_wait([this](Fault fault) {
        scale(results_, numbers_, stream_);
        if (fault == Fault::none) other_waits();
        scale(more_, more_, other_);
        SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, other_));
        wait_for_other();
    });
}

// Fences are of one kernel's blocks.
TEST_F(StreamRaces, AreFoundBehindFences) {
    const auto sum_in = [](float* sums, cudaStream_t stream) {
        auto* const ended = reinterpret_cast<unsigned*>(sums + 32);
        launch_last_block(sums, ended, sums + 33, Fault::none, stream);
    };
    expect_race_without_wait([&](Fault fault) {
        SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
        SHARDSTONE_CUDA(cudaMemsetAsync(more_, 0, bytes_of_block, other_));
        scale(results_, results_, stream_);
        sum_in(numbers_, stream_);
        if (fault == Fault::none) other_waits();
        sum_in(more_, other_);
        scale(results_, results_, other_);
        wait_for_other();
    });
}

TEST_F(StreamRaces, AreFoundBetweenBranchesOfAGraph) {
    const auto branches = [this](Fault fault) {
        if (fault == Fault::planted) other_waits();  // or it would be in no graph
        scale(results_, numbers_, stream_);
        if (fault == Fault::none) other_waits();
        scale(more_, results_, other_);
        wait_for_other();
    };
    expect_race_without_wait([&](Fault fault) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
        branches(fault);
        SHARDSTONE_CUDA(cudaStreamEndCapture(stream_, &graph));
        SHARDSTONE_CUDA(cudaGraphInstantiate(&executable, graph, 0));
        scale(more_, more_, stream_);  // before and behind it, in the stream that it is launched in
        SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
        scale(more_, more_, stream_);
        SHARDSTONE_CUDA(cudaDeviceSynchronize());
        SHARDSTONE_CUDA(cudaGraphExecDestroy(executable));
        SHARDSTONE_CUDA(cudaGraphDestroy(graph));
    });
}

}  // namespace
}  // namespace shardstone::validation
