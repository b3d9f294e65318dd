// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: streams, and waiting for them.
#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/graphs.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/streams.hpp"

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return call("cudaStreamCreateWithFlags", [&] {
        *stream = new_stream(current_device(), flags);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return call("cudaStreamCreate", [&] {
        *stream = new_stream(current_device(), cudaStreamDefault);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return call("cudaStreamCreateWithPriority", [&] {
        *stream = new_stream(current_device(), flags);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call("cudaDeviceGetStreamPriorityRange", [&] {
        *least = 0;
        *greatest = -5;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call("cudaStreamDestroy", [&] {
        destroy_stream(checked(stream));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return call("cudaStreamSynchronize", [&] {
        ++counters().host_waits;
        if (stream == cudaStreamLegacy || stream == nullptr) {
            if (is_capturing()) return invalidated_capture();
            finish_all(current_device(), true);
            return cudaSuccess;
        }
        if (checked(stream)->capture != nullptr) return invalidated_capture();
        finish(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return call("cudaDeviceSynchronize", [&] {
        ++counters().host_waits;
        if (is_capturing()) return invalidated_capture();
        finish_all(current_device(), false);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return call("cudaStreamQuery", [&] {
        if (checked(stream)->capture != nullptr) return invalidated_capture();
        if (stream->queue.empty()) {
            acquire(&stream->work_so_far);
            return cudaSuccess;
        }
        progress();
        return cudaErrorNotReady;
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return call("cudaStreamWaitEvent", [&] {
        checked(stream);
        const MarkPointer& mark = event->mark;
        if (mark == nullptr) return cudaSuccess;  // never recorded, which is not waited for
        const bool is_captured = stream->capture != nullptr;
        if (mark->is_captured && !is_captured) {
            if (mark->stream->capture == nullptr) return cudaErrorCapturedEvent;
            join_capture(stream, mark->stream);
        } else if (is_captured && !mark->is_captured) {
            stream->capture->is_valid = false;
            return cudaErrorStreamCaptureIsolation;
        }
        Work work;
        work.name = "wait for an event";
        work.awaits = mark;
        enqueue(stream, std::move(work));
        return cudaSuccess;
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return call("cudaLaunchHostFunc", [&] {
        enqueue(stream, "a function of the host", [=] {
            const DeviceMemoryClosed closed;
            function(data);
            return true;
        });
        return cudaSuccess;
    });
}

}  // extern "C"
