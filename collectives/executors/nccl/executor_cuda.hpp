// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/operation/executor.hpp"
#include "collectives/operation/operation.hpp"
#include "collectives/operation/spec.hpp"

namespace shardstone::collectives {

/// A collective whose whole course is put into a CUDA stream by start(); progress() looks whether
/// the stream has come to its end.
///
/// Data in the memory of the device are used where they are. Ordinary memory is taken too: it is
/// copied to the device by start() and back when the run is done, which is not what NCCL is for.
class NcclExecutor : public Executor {
  public:
    void start(const void* input, void* output) final;
    Progress progress() final;

  protected:
    /// Collective.
    NcclExecutor(Communicator& communicator, const Operation& operation,
                 const CollectiveSpec& spec);

    /// Puts the run into the stream. Both are on the device; equal when in place.
    virtual void enqueue(const std::byte* input, std::byte* output) = 0;

    const NcclContext& context() const noexcept { return *context_; }
    const DeviceMemory& memory() const noexcept { return memory_; }

  private:
    /// What stands for ordinary memory on the device, made when it is first needed.
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
    /// Where the result is to be copied, and from where; null when it is in place.
    void* host_result_ = nullptr;
    const Stand* result_ = nullptr;
    bool done_ = true;
};

}  // namespace shardstone::collectives
