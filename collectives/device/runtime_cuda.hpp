// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "collectives/device/memory.hpp"
#include "kernels/base/check_cuda.hpp"

namespace shardstone::collectives {

// The parts of the CUDA runtime needed by executors. Everything is local and concerns the device
// last chosen by the calling thread.

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

/// A mark in a stream that the host can query.
class CudaEvent {
  public:
    CudaEvent();
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    void record(cudaStream_t stream);
    /// What the stream is given from now on runs after the point where it was last recorded.
    void hold_up(cudaStream_t stream) const;
    /// Whether the stream has reached the point where it was last recorded.
    bool reached() const;

  private:
    cudaEvent_t event_ = nullptr;
};

/// Memory of the device. Copies are enqueued in the stream.
class DeviceMemory : public Memory {
  public:
    explicit DeviceMemory(const CudaStream& stream) : stream_(stream) {}
    std::shared_ptr<std::byte> allocate(std::int64_t size_bytes) const override;
    void copy(std::byte* to, const std::byte* from, std::int64_t size_bytes) const override;

  private:
    const CudaStream& stream_;
};

/// Uninitialised memory of the device.
std::shared_ptr<std::byte> device_memory(std::int64_t size_bytes);

/// Uninitialised pinned memory of the host, which kernels can access.
std::shared_ptr<std::byte> pinned_memory(std::int64_t size_bytes);

/// Copies between any memories; complete on return.
void copy_anywhere(void* to, const void* from, std::int64_t size_bytes);

/// Whether kernels cannot access it: ordinary host memory.
bool is_host_memory(const void* address);

}  // namespace shardstone::collectives
