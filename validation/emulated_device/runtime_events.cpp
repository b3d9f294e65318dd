// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: events.
#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/graphs.hpp"
#include "validation/emulated_device/sanitizers.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

namespace {

cudaError_t new_event(cudaEvent_t* event, unsigned flags) {
    *event = new CUevent_st;
    (*event)->flags = flags;
    (*event)->device = current_device();
    return cudaSuccess;
}

/// With each launch the graph gives such work a mark of its own, and that to the event.
Work recording_of(MarkPointer mark) {
    Work work;
    work.name = "an event is recorded";
    work.reaches = std::move(mark);
    return work;
}

cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    if (checked(stream)->device != event->device) return cudaErrorInvalidResourceHandle;
    event->mark = std::make_shared<Mark>();
    event->mark->stream = stream;
    event->mark->is_captured = stream->capture != nullptr;
    event->mark->is_looked_at = event->is_looked_at;
    enqueue(stream, recording_of(event->mark));
    return cudaSuccess;
}

bool tells_time(cudaEvent_t event) {
    return event->mark != nullptr && !event->mark->is_captured &&
           (event->flags & cudaEventDisableTiming) == 0;
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return call("cudaEventCreateWithFlags", [&] { return new_event(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return call("cudaEventCreate", [&] { return new_event(event, cudaEventDefault); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call("cudaEventDestroy", [&] {
        delete event;
        return cudaSuccess;
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return call("cudaEventRecord", [&] { return record(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return call("cudaEventRecordWithFlags", [&] {
        if (flags == cudaEventRecordDefault) return record(event, stream);
        if (flags != cudaEventRecordExternal) return cudaErrorInvalidValue;
        if (checked(stream)->capture == nullptr) return cudaErrorIllegalState;
        if (stream->device != event->device) return cudaErrorInvalidResourceHandle;
        stream->capture->graph->nodes.push_back({stream, recording_of(nullptr), event});
        return cudaSuccess;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return call("cudaEventSynchronize", [&] {
        ++counters().host_waits;
        const MarkPointer mark = event->mark;
        if (mark == nullptr) return cudaSuccess;
        if (mark->is_captured) return cudaErrorCapturedEvent;
        advance(mark->stream, [&] { return mark->is_reached; });
        acquire(mark.get());
        host_reaches(mark->time_s);
        return cudaSuccess;
    });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return call("cudaEventQuery", [&] {
        const MarkPointer& mark = event->mark;
        if (mark == nullptr) return cudaSuccess;
        if (mark->is_captured) return cudaErrorCapturedEvent;
        if (!mark->is_reached) {
            event->is_looked_at = mark->is_looked_at = true;
            progress();
            return cudaErrorNotReady;
        }
        acquire(mark.get());
        return cudaSuccess;
    });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call("cudaEventElapsedTime", [&] {
        if (!tells_time(start) || !tells_time(end)) return cudaErrorInvalidResourceHandle;
        if (!start->mark->is_reached || !end->mark->is_reached) return cudaErrorNotReady;
        *milliseconds = static_cast<float>((end->mark->time_s - start->mark->time_s) * 1e3);
        return cudaSuccess;
    });
}

}  // extern "C"
