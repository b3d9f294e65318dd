// SPDX-License-Identifier: BSD-3-Clause
// Streams, events, device memory and copies, with CUDA's errors turned into ours.
#include "collectives/device/runtime_cuda.hpp"

#include <algorithm>

namespace shardstone::collectives {

CudaStream::CudaStream() {
    SHARDSTONE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

CudaStream::~CudaStream() {
    cudaStreamDestroy(stream_);
}

CudaEvent::CudaEvent() {
    SHARDSTONE_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
}

CudaEvent::~CudaEvent() {
    cudaEventDestroy(event_);
}

void CudaEvent::record(cudaStream_t stream) {
    SHARDSTONE_CUDA(cudaEventRecord(event_, stream));
}

void CudaEvent::hold_up(cudaStream_t stream) const {
    SHARDSTONE_CUDA(cudaStreamWaitEvent(stream, event_, 0));
}

bool CudaEvent::reached() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    check_cuda(code, "cudaEventQuery(event_)");
    return true;
}

std::shared_ptr<std::byte> DeviceMemory::allocate(std::int64_t size_bytes) const {
    return device_memory(size_bytes);
}

void DeviceMemory::copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const {
    SHARDSTONE_CUDA(cudaMemcpyAsync(to, from, static_cast<std::size_t>(size_bytes),
                                    cudaMemcpyDefault, stream_.get()));
}

std::shared_ptr<std::byte> device_memory(std::int64_t size_bytes) {
    void* memory = nullptr;
    const auto some_bytes = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    SHARDSTONE_CUDA(cudaMalloc(&memory, some_bytes));
    return {static_cast<std::byte*>(memory), [](std::byte* data) { cudaFree(data); }};
}

std::shared_ptr<std::byte> pinned_memory(std::int64_t size_bytes) {
    void* memory = nullptr;
    const auto some_bytes = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 1));
    SHARDSTONE_CUDA(cudaMallocHost(&memory, some_bytes));
    return {static_cast<std::byte*>(memory), [](std::byte* data) { cudaFreeHost(data); }};
}

void copy_anywhere(void* to, const void* from, std::int64_t size_bytes) {
    if (size_bytes == 0) return;
    SHARDSTONE_CUDA(cudaMemcpy(to, from, static_cast<std::size_t>(size_bytes), cudaMemcpyDefault));
    // A copy within the device may return before it is done.
    SHARDSTONE_CUDA(cudaStreamSynchronize(cudaStreamLegacy));
}

bool is_host_memory(const void* address) {
    cudaPointerAttributes attributes{};
    SHARDSTONE_CUDA(cudaPointerGetAttributes(&attributes, address));
    return attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace shardstone::collectives
