// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: graphs, captured from streams.
#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/graphs.hpp"

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return call("cudaStreamBeginCapture", [&] {
        if (checked(stream)->capture != nullptr) return cudaErrorIllegalState;
        stream->capture = std::make_shared<Capture>(mode);
        stream->capture->graph = new CUgraph_st;
        stream->capture->graph->streams.push_back(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return call("cudaStreamEndCapture", [&] {
        *graph = nullptr;
        const std::shared_ptr<Capture> capture = checked(stream)->capture;
        if (capture == nullptr) return cudaErrorIllegalState;
        if (capture->graph->streams.front() != stream) return cudaErrorStreamCaptureUnmatched;
        const bool is_joined = are_streams_joined(*capture->graph);
        for (const cudaStream_t one : capture->graph->streams) one->capture = nullptr;
        if (capture->is_valid && is_joined) {
            *graph = capture->graph;
            return cudaSuccess;
        }
        delete capture->graph;
        return is_joined ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return call("cudaStreamIsCapturing", [&] {
        const auto& capture = checked(stream)->capture;
        *status = capture == nullptr  ? cudaStreamCaptureStatusNone
                  : capture->is_valid ? cudaStreamCaptureStatusActive
                                      : cudaStreamCaptureStatusInvalidated;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
    return call("cudaGraphInstantiate", [&] {
        *executable = new CUgraphExec_st{*graph, {}, nullptr};
        for (const cudaStream_t captured : graph->streams) {
            (*executable)->lanes.push_back(new_stream(captured->device, cudaStreamNonBlocking));
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    return call("cudaGraphExecUpdate", [&] {
        *info = {};
        if (!have_same_shape(executable->graph, *graph)) {
            info->result = cudaGraphExecUpdateErrorTopologyChanged;
            return cudaErrorGraphExecUpdateFailure;
        }
        executable->graph = *graph;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return call("cudaGraphLaunch", [&] {
        if (checked(stream)->capture != nullptr) return cudaErrorNotSupported;
        ++counters().graph_launches;
        launch_graph(*executable, stream);
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return call("cudaGraphExecDestroy", [&] {
        for (const cudaStream_t lane : executable->lanes) destroy_stream(lane);
        delete executable;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return call("cudaGraphDestroy", [&] {
        delete graph;
        return cudaSuccess;
    });
}

}  // extern "C"
