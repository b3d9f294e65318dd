// SPDX-License-Identifier: BSD-3-Clause
// Streams of the emulated devices: which exist, and what is put into them.
#include "validation/emulated_device/streams.hpp"

#include <algorithm>

#include "validation/emulated_device/block.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/graphs.hpp"
#include "validation/emulated_device/sanitizers.hpp"

namespace shardstone::emulated {

namespace {

std::vector<std::unique_ptr<CUstream_st>>& streams() {
    static std::vector<std::unique_ptr<CUstream_st>> all;
    return all;
}

unsigned long serials = 0, stream_numbers = 0;

}  // namespace

const std::vector<std::unique_ptr<CUstream_st>>& all_streams() {
    return streams();
}

unsigned long last_serial() {
    return serials;
}

cudaStream_t new_stream(int device, unsigned flags) {
    std::erase_if(streams(), [](const auto& one) {
        const bool has_ended = one->is_destroyed && one->queue.empty();
        if (has_ended) {
            end_thread_lines(one->line_of_execution);
            end_line_of_execution(one->line_of_execution);
        }
        return has_ended;
    });
    auto stream = std::make_unique<CUstream_st>();
    stream->device = device;
    stream->flags = flags;
    stream->number = ++stream_numbers;
    stream->line_of_execution = new_line_of_execution();
    streams().push_back(std::move(stream));
    return streams().back().get();
}

void destroy_stream(cudaStream_t stream) {
    stream->is_destroyed = true;
}

cudaStream_t checked(cudaStream_t stream) {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        fault("work on the default stream, which orders all others: name a stream");
    }
    const auto found = std::ranges::find_if(
        streams(), [=](const auto& one) { return one.get() == stream && !one->is_destroyed; });
    if (found == streams().end()) fault("a stream that was destroyed or never created");
    return stream;
}

void enqueue(cudaStream_t stream, Work work) {
    release(work.issued.get());
    work.serial = ++serials;
    work.issued_s = host_time_s();
    if (stream->capture != nullptr) {
        stream->capture->graph->nodes.push_back({stream, std::move(work)});
    } else {
        stream->queue.push_back(std::move(work));
    }
}

void enqueue(cudaStream_t stream, std::string name, Run run, double duration_s) {
    Work work;
    work.name = std::move(name);
    work.run = std::move(run);
    work.duration_s = duration_s;
    enqueue(checked(stream), std::move(work));
}

bool is_capturing() {
    return std::ranges::any_of(streams(), [](const auto& one) { return one->capture != nullptr; });
}

bool is_capturing_strictly() {
    return std::ranges::any_of(streams(), [](const auto& one) {
        return one->capture != nullptr && one->capture->mode != cudaStreamCaptureModeRelaxed;
    });
}

cudaError_t invalidated_capture() {
    for (const auto& stream : streams()) {
        if (stream->capture != nullptr) stream->capture->is_valid = false;
    }
    return cudaErrorStreamCaptureUnsupported;
}

}  // namespace shardstone::emulated
