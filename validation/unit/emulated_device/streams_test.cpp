// SPDX-License-Identifier: BSD-3-Clause
// Streams, events and graphs of the emulated device: what they order, and waits that are missing.
#include <functional>

#include "validation/unit/emulated_device/emulated.hpp"

namespace shardstone::validation {
namespace {

using emulated::Sanitizer;
using emulated::StreamOrder;

constexpr StreamOrder all_orders[] = {StreamOrder::lazy, StreamOrder::others, StreamOrder::random,
                                      StreamOrder::issue};

/// A second stream, an event, and a second array.
class EmulatedStreams : public OnEmulatedDevice {
  protected:
    EmulatedStreams() {
        SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
        SHARDSTONE_CUDA(cudaEventCreate(&event_));
        SHARDSTONE_CUDA(cudaMalloc(reinterpret_cast<void**>(&results_), bytes_of_block));
    }
    ~EmulatedStreams() override {
        cudaFree(results_);
        cudaEventDestroy(event_);
        cudaStreamDestroy(other_);
    }

    /// Twice the numbers, computed in the other stream, which has to wait for the copy.
    float doubled_in_other_stream(Fault fault) {
        SHARDSTONE_CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < block_threads; ++i) pinned_[i] = 21.0F;
        SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, stream_));
        SHARDSTONE_CUDA(cudaStreamSynchronize(stream_));
        SHARDSTONE_CUDA(
            cudaMemcpyAsync(numbers_, pinned_, bytes_of_block, cudaMemcpyHostToDevice, stream_));
        SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
        if (fault == Fault::none) SHARDSTONE_CUDA(cudaStreamWaitEvent(other_, event_, 0));
        launch_scale(results_, numbers_, 2.0F, block_threads, Fault::none, other_);
        SHARDSTONE_CUDA(cudaStreamSynchronize(other_));
        float first = 0;
        SHARDSTONE_CUDA(cudaMemcpy(&first, results_, sizeof first, cudaMemcpyDeviceToHost));
        return first;
    }

    cudaStream_t other_ = nullptr;
    cudaEvent_t event_ = nullptr;
    float* results_ = nullptr;
};

TEST_F(EmulatedStreams, EventsOrderThem) {
    for (const StreamOrder order : all_orders) {
        emulated::settings().streams = order;
        EXPECT_EQ(doubled_in_other_stream(Fault::none), 42.0F);
    }
}

TEST_F(EmulatedStreams, AMissingWaitShowsButInTheOrderOfTheCalls) {
    if (is_built_with(Sanitizer::thread)) {
        expect_race([this] {
            doubled_in_other_stream(Fault::planted);
            cudaDeviceSynchronize();  // by then the copy has run
        });
        return;
    }
    emulated::settings().streams = StreamOrder::issue;
    EXPECT_EQ(doubled_in_other_stream(Fault::planted), 42.0F);
    emulated::settings().streams = StreamOrder::lazy;
    EXPECT_EQ(doubled_in_other_stream(Fault::planted), 0.0F);
    emulated::settings().streams = StreamOrder::random;
    int wrong = 0;
    for (int i = 0; i < 20; ++i) wrong += doubled_in_other_stream(Fault::planted) == 42.0F ? 0 : 1;
    EXPECT_GT(wrong, 0);
}

// The lazy order runs the other stream late; where the host waits for the reader, it is the first.
TEST_F(EmulatedStreams, MemoryThatIsUsedAgainTooEarlyShowsWithOthersFirst) {
    const auto read_before_overwritten = [this](StreamOrder order) {
        emulated::settings().streams = order;
        write_numbers();
        launch_scale(results_, numbers_, 1.0F, block_threads, Fault::none, stream_);
        SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, other_));
        SHARDSTONE_CUDA(cudaStreamSynchronize(stream_));
        float second = 0;
        SHARDSTONE_CUDA(cudaMemcpy(&second, results_ + 1, sizeof second, cudaMemcpyDeviceToHost));
        SHARDSTONE_CUDA(cudaDeviceSynchronize());
        return second;
    };
    if (is_built_with(Sanitizer::thread)) return;
    EXPECT_EQ(read_before_overwritten(StreamOrder::lazy), 1.0F);
    EXPECT_EQ(read_before_overwritten(StreamOrder::others), 0.0F);
}

TEST_F(EmulatedStreams, WorkRunsAfterItsStreamWasDestroyed) {
    cudaStream_t gone = nullptr;
    SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, bytes_of_block, gone));
    SHARDSTONE_CUDA(cudaStreamDestroy(gone));
    SHARDSTONE_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(read_numbers()[0], 0.0F);
    EXPECT_EXIT(cudaStreamSynchronize(gone), ends_by_fault, "destroyed or never created");
}

TEST_F(EmulatedStreams, AnEventOfACaptureIsNotWaitedForOutsideIt) {
    cudaGraph_t graph = nullptr;
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
    SHARDSTONE_CUDA(cudaStreamEndCapture(stream_, &graph));
    EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaErrorCapturedEvent);
    EXPECT_EQ(cudaGetLastError(), cudaErrorCapturedEvent);
    SHARDSTONE_CUDA(cudaGraphDestroy(graph));
}

TEST_F(EmulatedStreams, FunctionsOfTheHostRunInOrderAndCannotTouchDeviceMemory) {
    const auto write = [](void* number) { *static_cast<float*>(number) = 7.0F; };
    SHARDSTONE_CUDA(cudaLaunchHostFunc(stream_, write, pinned_));
    SHARDSTONE_CUDA(cudaMemcpyAsync(numbers_, pinned_, 4, cudaMemcpyHostToDevice, stream_));
    EXPECT_EQ(read_numbers()[0], 7.0F);
    EXPECT_EXIT(
        {
            SHARDSTONE_CUDA(cudaLaunchHostFunc(stream_, write, numbers_));
            wait();
        },
        ends_by_fault, "access to device memory by the host");
}

TEST_F(EmulatedStreams, EventsTellTimesThatAddUp) {
    cudaEvent_t begin = nullptr, middle = nullptr;
    SHARDSTONE_CUDA(cudaEventCreate(&begin));
    SHARDSTONE_CUDA(cudaEventCreate(&middle));
    SHARDSTONE_CUDA(cudaEventRecord(begin, stream_));
    launch_scale(numbers_, numbers_, 1.0F, block_threads, Fault::none, stream_);
    SHARDSTONE_CUDA(cudaEventRecord(middle, stream_));
    launch_scale(numbers_, numbers_, 1.0F, block_threads, Fault::none, stream_);
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
    float first = 0, second = 0, both = 0;
    EXPECT_EQ(cudaEventElapsedTime(&both, begin, event_), cudaErrorNotReady);
    cudaGetLastError();
    SHARDSTONE_CUDA(cudaEventSynchronize(event_));
    SHARDSTONE_CUDA(cudaEventElapsedTime(&first, begin, middle));
    SHARDSTONE_CUDA(cudaEventElapsedTime(&second, middle, event_));
    SHARDSTONE_CUDA(cudaEventElapsedTime(&both, begin, event_));
    EXPECT_GT(first, 0.0F);
    EXPECT_NEAR(both, first + second, 1e-6F);
    SHARDSTONE_CUDA(cudaEventDestroy(begin));
    SHARDSTONE_CUDA(cudaEventDestroy(middle));
}

TEST_F(EmulatedStreams, GraphsRunAgainWithWhatIsInMemoryThen) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaEvent_t joined = nullptr;
    SHARDSTONE_CUDA(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    SHARDSTONE_CUDA(
        cudaMemcpyAsync(numbers_, pinned_, bytes_of_block, cudaMemcpyHostToDevice, stream_));
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
    SHARDSTONE_CUDA(cudaStreamWaitEvent(other_, event_, 0));
    launch_scale(results_, numbers_, 3.0F, block_threads, Fault::none, other_);
    SHARDSTONE_CUDA(cudaEventRecord(joined, other_));
    SHARDSTONE_CUDA(cudaStreamWaitEvent(stream_, joined, 0));
    launch_scale(numbers_, results_, 2.0F, block_threads, Fault::none, stream_);
    SHARDSTONE_CUDA(cudaStreamEndCapture(stream_, &graph));
    SHARDSTONE_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    SHARDSTONE_CUDA(cudaGraphDestroy(graph));
    for (const StreamOrder order : all_orders) {
        emulated::settings().streams = order;
        for (const float number : {1.0F, 5.0F}) {
            for (int i = 0; i < block_threads; ++i) pinned_[i] = number;
            SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
            EXPECT_EQ(read_numbers()[9], 6.0F * number);
        }
    }
    EXPECT_EXIT(cudaGraphLaunch(executable, other_), ends_by_fault, "launched in another stream");
    SHARDSTONE_CUDA(cudaGraphExecDestroy(executable));
    SHARDSTONE_CUDA(cudaEventDestroy(joined));
}

/// The executable graph of `enqueue`, which gives its work to the stream.
cudaGraph_t captured(cudaStream_t stream, const std::function<void()>& enqueue) {
    cudaGraph_t graph = nullptr;
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    enqueue();
    SHARDSTONE_CUDA(cudaStreamEndCapture(stream, &graph));
    return graph;
}

TEST_F(EmulatedStreams, AGraphTakesOverTheValuesOfOneOfItsShapeOnly) {
    const auto scaled_by = [&](float factor, bool twice = false) {
        return captured(stream_, [&] {
            launch_scale(results_, numbers_, factor, block_threads, Fault::none, stream_);
            if (twice) {
                launch_scale(results_, results_, factor, block_threads, Fault::none, stream_);
            }
            SHARDSTONE_CUDA(
                cudaMemcpyAsync(numbers_, results_, 4, cudaMemcpyDeviceToDevice, stream_));
        });
    };
    for (int i = 0; i < block_threads; ++i) pinned_[i] = 1.0F;
    SHARDSTONE_CUDA(
        cudaMemcpyAsync(numbers_, pinned_, bytes_of_block, cudaMemcpyHostToDevice, stream_));
    cudaGraphExec_t executable = nullptr;
    cudaGraphExecUpdateResultInfo info{};
    const cudaGraph_t by_two = scaled_by(2.0F), by_five = scaled_by(5.0F),
                      twice = scaled_by(5.0F, true);
    SHARDSTONE_CUDA(cudaGraphInstantiate(&executable, by_two, 0));
    SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
    SHARDSTONE_CUDA(cudaGraphExecUpdate(executable, by_five, &info));  // not what is under way
    SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
    EXPECT_EQ(cudaGraphExecUpdate(executable, twice, &info), cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(cudaGetLastError(), cudaErrorGraphExecUpdateFailure);
    SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
    EXPECT_EQ(read_numbers()[0], 2.0F * 5.0F * 5.0F);
    SHARDSTONE_CUDA(cudaGraphExecDestroy(executable));
    for (const cudaGraph_t graph : {by_two, by_five, twice}) {
        SHARDSTONE_CUDA(cudaGraphDestroy(graph));
    }
}

TEST_F(EmulatedStreams, EventsForOutsideAreRecordedByEachLaunch) {
    cudaEvent_t begin = nullptr, end = nullptr;
    SHARDSTONE_CUDA(cudaEventCreate(&begin));
    SHARDSTONE_CUDA(cudaEventCreate(&end));
    const cudaGraph_t graph = captured(stream_, [&] {
        SHARDSTONE_CUDA(cudaEventRecordWithFlags(begin, stream_, cudaEventRecordExternal));
        launch_scale(results_, numbers_, 2.0F, block_threads, Fault::none, stream_);
        SHARDSTONE_CUDA(cudaEventRecordWithFlags(end, stream_, cudaEventRecordExternal));
    });
    EXPECT_EQ(cudaEventQuery(end), cudaSuccess) << "it was never recorded";
    cudaGraphExec_t executable = nullptr;
    SHARDSTONE_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) {
        SHARDSTONE_CUDA(cudaGraphLaunch(executable, stream_));
        EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
        cudaGetLastError();
        SHARDSTONE_CUDA(cudaEventSynchronize(end));
        float passed_ms = 0;
        SHARDSTONE_CUDA(cudaEventElapsedTime(&passed_ms, begin, end));
        EXPECT_GT(passed_ms, 0.0F);
    }
    EXPECT_EQ(cudaEventRecordWithFlags(end, stream_, cudaEventRecordExternal),
              cudaErrorIllegalState)
        << "outside a capture";
    cudaGetLastError();
    SHARDSTONE_CUDA(cudaGraphExecDestroy(executable));
    SHARDSTONE_CUDA(cudaGraphDestroy(graph));
    SHARDSTONE_CUDA(cudaEventDestroy(begin));
    SHARDSTONE_CUDA(cudaEventDestroy(end));
}

TEST_F(EmulatedStreams, WhatIsNotPermittedInACaptureEndsIt) {
    cudaGraph_t graph = nullptr;
    for (const auto forbidden : {+[](cudaStream_t stream) { return cudaStreamSynchronize(stream); },
                                 +[](cudaStream_t) { return cudaDeviceSynchronize(); },
                                 +[](cudaStream_t) {
                                     void* memory = nullptr;
                                     return cudaMalloc(&memory, 4);
                                 }}) {
        SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        EXPECT_EQ(forbidden(stream_), cudaErrorStreamCaptureUnsupported);
        EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
        EXPECT_EQ(graph, nullptr);
    }
    // Memory, where the program asks for it so.
    void* memory = nullptr;
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    SHARDSTONE_CUDA(cudaMallocHost(&memory, 4));
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    SHARDSTONE_CUDA(cudaFreeHost(memory));
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
    SHARDSTONE_CUDA(cudaStreamWaitEvent(other_, event_, 0));
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, 4, other_));
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
    cudaGetLastError();
    // Work behind what was waited for.
    cudaEvent_t joined = nullptr;
    SHARDSTONE_CUDA(cudaEventCreate(&joined));
    SHARDSTONE_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream_));
    SHARDSTONE_CUDA(cudaStreamWaitEvent(other_, event_, 0));
    SHARDSTONE_CUDA(cudaEventRecord(joined, other_));
    SHARDSTONE_CUDA(cudaStreamWaitEvent(stream_, joined, 0));
    SHARDSTONE_CUDA(cudaMemsetAsync(numbers_, 0, 4, other_));
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
    cudaGetLastError();
    SHARDSTONE_CUDA(cudaEventDestroy(joined));
}

}  // namespace
}  // namespace shardstone::validation
