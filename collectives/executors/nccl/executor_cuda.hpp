// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/executors/gpu/executor_cuda.hpp"
#include "collectives/executors/nccl/context_cuda.hpp"

namespace shardstone::collectives {

/// A collective that start() enqueues completely in a CUDA stream; progress() checks whether the
/// stream has finished.
class NcclExecutor : public DeviceExecutor {
  protected:
    /// Collective.
    NcclExecutor(Communicator& communicator, const Operation& operation,
                 const CollectiveSpec& spec);

    /// Enqueues the run in the stream. Both are on the device; equal when in place.
    virtual void enqueue(const std::byte* input, std::byte* output) = 0;

    const NcclContext& context() const noexcept { return *context_; }

  private:
    NcclExecutor(const Communicator& communicator, const Operation& operation,
                 const CollectiveSpec& spec, std::shared_ptr<NcclContext> context);
    void begin(const std::byte* input, std::byte* output) final;
    Progress advance() final;

    std::shared_ptr<NcclContext> context_;
    CudaEvent end_;
};

}  // namespace shardstone::collectives
