// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/base/check_cuda.hpp"

namespace shardstone {

/// A mark in a stream, with the time on the GPU's clock when it was reached.
class TimedEvent {
  public:
    TimedEvent() { SHARDSTONE_CUDA(cudaEventCreate(&event_)); }
    ~TimedEvent() { cudaEventDestroy(event_); }
    TimedEvent(const TimedEvent&) = delete;
    TimedEvent& operator=(const TimedEvent&) = delete;

    /// Where the stream is being captured: in each launch of the graph.
    void record(cudaStream_t stream) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        SHARDSTONE_CUDA(cudaStreamIsCapturing(stream, &status));
        const bool is_captured = status != cudaStreamCaptureStatusNone;
        SHARDSTONE_CUDA(cudaEventRecordWithFlags(
            event_, stream, is_captured ? cudaEventRecordExternal : cudaEventRecordDefault));
    }
    /// From `earlier` to this one, both reached.
    double since_s(const TimedEvent& earlier) const {
        float passed_ms = 0.0F;
        SHARDSTONE_CUDA(cudaEventElapsedTime(&passed_ms, earlier.event_, event_));
        return 1e-3 * static_cast<double>(passed_ms);
    }

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace shardstone
