// SPDX-License-Identifier: BSD-3-Clause
// Functions of the CUDA runtime: copies and fillings, and what is checked of their memory.
#include "validation/emulated_device/copies.hpp"

#include <fmt/format.h>

#include <cstring>

#include "validation/emulated_device/calls.hpp"
#include "validation/emulated_device/counters.hpp"
#include "validation/emulated_device/faults.hpp"
#include "validation/emulated_device/memory.hpp"
#include "validation/emulated_device/streams.hpp"

namespace shardstone::emulated {

Place place_of(const char* call, const void* data, const Extent& extent, bool runs_later) {
    const Allocation* const on_device = device_allocation(data);
    const Allocation* const found = on_device != nullptr ? on_device : pinned_allocation(data);
    if (found == nullptr) {
        if (runs_later) {
            fault(fmt::format("{} of memory that is neither a device's nor pinned", call));
        }
        return Place::pageable;
    }
    if (found->state == State::freed)
        fault(fmt::format("{} of device memory that was freed", call));
    const auto end = static_cast<const char*>(data) + extent.bytes();
    if (end > found->data + found->bytes) {
        fault(fmt::format("{} past the end of an allocation of {} B", call, found->bytes));
    }
    return on_device != nullptr ? Place::device : Place::pinned;
}

void expect_kind(const char* call, cudaMemcpyKind kind, Place from, Place to) {
    if (kind == cudaMemcpyDefault) return;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (from_device == (from == Place::device) && to_device == (to == Place::device)) return;
    fault(fmt::format("{}: the memory is elsewhere than its cudaMemcpyKind says", call));
}

namespace {

void copy_rows(void* to, std::size_t to_pitch, const void* from, const Extent& extent) {
    for (std::size_t row = 0; row < extent.rows; ++row) {
        std::memcpy(static_cast<char*>(to) + row * to_pitch,
                    static_cast<const char*>(from) + row * extent.pitch_bytes, extent.width_bytes);
    }
}

cudaError_t copy_later(const char* call, void* to, std::size_t to_pitch, const void* from,
                       const Extent& extent, cudaMemcpyKind kind, cudaStream_t stream) {
    checked(stream);
    if (extent.width_bytes == 0 || extent.rows == 0) return cudaSuccess;
    const Place source = place_of(call, from, extent, true);
    const Extent target{extent.width_bytes, extent.rows, to_pitch};
    expect_kind(call, kind, source, place_of(call, to, target, true));
    ++counters().copies;
    const std::size_t bytes = extent.width_bytes * extent.rows;
    counters().copied_bytes += static_cast<std::int64_t>(bytes);
    Work work;
    work.name = fmt::format("copy of {} B", bytes);
    work.duration_s = duration_of_other_work_s + duration_per_byte_s * static_cast<double>(bytes);
    work.run = [=] {
        copy_rows(to, to_pitch, from, extent);
        return true;
    };
    enqueue(stream, std::move(work));
    return cudaSuccess;
}

cudaError_t fill_later(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    checked(stream);
    if (bytes == 0) return cudaSuccess;
    place_of("cudaMemsetAsync", to, {bytes}, true);
    ++counters().copies;
    Work work;
    work.name = fmt::format("filling of {} B", bytes);
    work.duration_s = duration_of_other_work_s + duration_per_byte_s * static_cast<double>(bytes);
    work.run = [=] {
        std::memset(to, value, bytes);
        return true;
    };
    enqueue(stream, std::move(work));
    return cudaSuccess;
}

}  // namespace

}  // namespace shardstone::emulated

extern "C" {

using namespace shardstone::emulated;  // of the double, whose functions these are

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return call("cudaMemcpyAsync", [&] {
        return copy_later("cudaMemcpyAsync", to, bytes, from, {bytes}, kind, stream);
    });
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpy2DAsync", [&] {
        if (width > to_pitch || width > from_pitch) return cudaErrorInvalidValue;
        return copy_later("cudaMemcpy2DAsync", to, to_pitch, from, {width, height, from_pitch},
                          kind, stream);
    });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return call("cudaMemsetAsync", [&] { return fill_later(to, value, bytes, stream); });
}

// As work of the default stream: it waits for the streams that wait for that one, and no others.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpy", [&] {
        if (is_capturing()) return invalidated_capture();
        if (bytes == 0) return cudaSuccess;
        const Place source = place_of("cudaMemcpy", from, {bytes}, false);
        expect_kind("cudaMemcpy", kind, source, place_of("cudaMemcpy", to, {bytes}, false));
        ++counters().copies;
        ++counters().host_waits;
        counters().copied_bytes += static_cast<std::int64_t>(bytes);
        finish_all(current_device(), true);
        const DeviceMemoryOpen open;
        std::memcpy(to, from, bytes);
        return cudaSuccess;
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return call("cudaMemset", [&] {
        if (is_capturing()) return invalidated_capture();
        if (bytes == 0) return cudaSuccess;
        place_of("cudaMemset", to, {bytes}, false);
        ++counters().copies;
        finish_all(current_device(), true);
        const DeviceMemoryOpen open;
        std::memset(to, value, bytes);
        return cudaSuccess;
    });
}

}  // extern "C"
