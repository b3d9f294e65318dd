// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// A rank's GPU, and the stream on it in which collectives run.
struct DeviceLane {
    int device = 0;
    std::shared_ptr<const CudaStream> stream;
};

/// A collective on data in the memory of a GPU, where they are used in place. Ordinary memory is
/// accepted as well: start() copies it to the device, and the result is copied back after the run,
/// which is not what such collectives are for.
class DeviceExecutor : public Executor {
  public:
    void start(const void* input, void* output) final;
    Progress progress() final;

  protected:
    DeviceExecutor(const Communicator& communicator, const Operation& operation,
                   const CollectiveSpec& spec, DeviceLane lane);

    /// Starts a run on data on the device; the same address when in place.
    virtual void begin(const std::byte* input, std::byte* output) = 0;
    /// As progress(), of what begin() started: `done` once the device has the result.
    virtual Progress advance() = 0;

    cudaStream_t stream() const noexcept { return lane_.stream->get(); }
    const DeviceMemory& memory() const noexcept { return memory_; }

  private:
    /// Device copies of ordinary memory, allocated on first use.
    struct Stand {
        std::int64_t size_bytes;
        std::shared_ptr<std::byte> memory;
        std::byte* take(const DeviceMemory& device);
    };
    void use_device() const;
    const std::byte* on_device(const void* input, Stand& stand);
    std::byte* result_on_device(void* output);

    DeviceLane lane_;
    DeviceMemory memory_;
    Stand input_, output_, in_place_;
    /// Destination and source of the result's copy; null if it is in place.
    void* host_result_ = nullptr;
    const Stand* result_ = nullptr;
    bool done_ = true;
};

}  // namespace shardstone::collectives
