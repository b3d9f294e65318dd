// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// A collective that start() enqueues completely in a CUDA stream; progress() checks whether the
/// stream has finished.
///
/// Data in device memory are used in place. Ordinary memory is accepted as well: start() copies it
/// to the device, and the result is copied back after the run, which is not NCCL's intended use.
class NcclExecutor : public Executor {
  public:
    void start(const void* input, void* output) final;
    Progress progress() final;

  protected:
    /// Collective.
    NcclExecutor(Communicator& communicator, const Operation& operation,
                 const CollectiveSpec& spec);

    /// Enqueues the run in the stream. Both are on the device; equal when in place.
    virtual void enqueue(const std::byte* input, std::byte* output) = 0;

    const NcclContext& context() const noexcept { return *context_; }
    const DeviceMemory& memory() const noexcept { return memory_; }

  private:
    /// Device copies of ordinary memory, allocated on first use.
    struct Stand {
        std::int64_t size_bytes;
        std::shared_ptr<std::byte> memory;
        std::byte* take(const DeviceMemory& device);
    };
    const std::byte* on_device(const void* input, Stand& stand);
    std::byte* result_on_device(void* output);

    std::shared_ptr<NcclContext> context_;
    DeviceMemory memory_;
    CudaEvent end_;
    Stand input_, output_, in_place_;
    /// Destination and source of the result's copy; null if it is in place.
    void* host_result_ = nullptr;
    const Stand* result_ = nullptr;
    bool done_ = true;
};

}  // namespace shardstone::collectives
