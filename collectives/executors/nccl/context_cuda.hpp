// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The only header that includes nccl.h; included by sources of this folder only.
#include <nccl.h>

#include <memory>
#include <string>

#include "collectives/cluster/communicator.hpp"
#include "collectives/device/runtime_cuda.hpp"

namespace shardstone::collectives {

/// Throws Error with NCCL's own text when `code` is not ncclSuccess; `comm` may be null.
void check_nccl(ncclResult_t code, const char* call, ncclComm_t comm = nullptr);

#define SHARDSTONE_NCCL(call) ::shardstone::collectives::check_nccl((call), #call)

/// A rank's GPU, a stream on it, and the NCCL communicator of the ranks of a Communicator, one GPU
/// each: the rank's lane on its node is the number of its GPU.
class NcclContext {
  public:
    /// The context of these ranks: created on first use, which takes about a second, and kept as
    /// long as the communicator and its users. Collective. Throws AgreedError if there is an
    /// obstacle.
    static std::shared_ptr<NcclContext> of(const Communicator& communicator);

    /// Collective: see of(). The ranks have no obstacle.
    explicit NcclContext(const Communicator& communicator);
    ~NcclContext();
    NcclContext(const NcclContext&) = delete;
    NcclContext& operator=(const NcclContext&) = delete;

    /// Selects the GPU for the calling thread.
    void use_device() const;
    int device() const noexcept { return device_; }
    const std::shared_ptr<const CudaStream>& shared_stream() const noexcept { return stream_; }
    const CudaStream& stream() const noexcept { return *stream_; }
    ncclComm_t comm() const noexcept { return comm_; }
    /// Throws Error after an asynchronous failure, such as a lost peer or link.
    void check() const;

  private:
    int device_;
    std::shared_ptr<const CudaStream> stream_;
    ncclComm_t comm_ = nullptr;
};

/// Algorithm::obstacle of all algorithms that need NCCL: no GPU on a node, or two ranks on one GPU.
std::string nccl_obstacle(const Communicator& communicator);

}  // namespace shardstone::collectives
