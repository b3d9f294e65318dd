// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/device/memory.hpp"

namespace shardstone::collectives {

// All that the executors need of the CUDA runtime. Everything is local and concerns the device that
// the calling thread has last chosen.

/// Throws Error with CUDA's own text when `code` is not cudaSuccess.
void check_cuda(cudaError_t code, const char* call);

#define SHARDSTONE_CUDA(call) ::shardstone::collectives::check_cuda((call), #call)

/// A stream that does not wait for the default stream.
class CudaStream {
  public:
    CudaStream();
    ~CudaStream();
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;

    cudaStream_t get() const noexcept { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

/// A mark in a stream that the host can look for.
class CudaEvent {
  public:
    CudaEvent();
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    void record(const CudaStream& stream);
    /// Whether the stream has come to where it was recorded last.
    bool reached() const;

  private:
    cudaEvent_t event_ = nullptr;
};

/// Memory of the device. Copies take their turn in the stream.
class DeviceMemory : public Memory {
  public:
    explicit DeviceMemory(const CudaStream& stream) : stream_(stream) {}
    std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) const override;
    void copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const override;

  private:
    const CudaStream& stream_;
};

/// Memory of the device, contents not set.
std::shared_ptr<std::byte> device_memory(std::int64_t size_bytes);

/// From any memory to any; done when it returns.
void copy_anywhere(void* to, const void* from, std::int64_t size_bytes);

/// Whether a kernel could not reach it: ordinary host memory.
bool is_host_memory(const void* address);

}  // namespace shardstone::collectives
