// SPDX-License-Identifier: BSD-3-Clause
// Transports of schedules between GPUs without NCCL:
//
// "over_pinned:ALGORITHM", over any MPI, whose messages are copied through pinned memory of the
// host. Ranks may share a GPU.
//
// "over_cuda_mpi:ALGORITHM", over an MPI that takes memory of GPUs, which it says itself.
#include "collectives/cluster/native.hpp"  // whose MPI may declare the function below
#include "collectives/executors/gpu/transport_cuda.hpp"

/// MPICH and Open MPI have it; of one that lacks it nothing is known.
extern "C" int MPIX_Query_cuda_support() __attribute__((weak));

namespace shardstone::collectives {

namespace {

bool mpi_takes_gpus() {
    return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() > 0;
}

std::string no_gpu_or_no_such_mpi(Communicator& communicator) {
    std::string none = no_gpu(communicator);
    if (!none.empty() || communicator.min(mpi_takes_gpus() ? 1.0 : 0.0) > 0.0) return none;
    return MPIX_Query_cuda_support == nullptr
               ? "this MPI does not say whether it takes memory of GPUs (it has no "
                 "MPIX_Query_cuda_support()): give over_pinned"
               : "this MPI does not take memory of GPUs, as its MPIX_Query_cuda_support() says: "
                 "build or start one that does, or give over_pinned";
}

const TransportRegistration over_pinned(between_gpus(
    "pinned", "with its messages between GPUs over MPI, through pinned memory of the host",
    MessagePlace::pinned, no_gpu));
const TransportRegistration over_cuda_mpi(
    between_gpus("cuda_mpi", "with its messages between GPUs over an MPI that takes their memory",
                 MessagePlace::device, no_gpu_or_no_such_mpi));

}  // namespace

}  // namespace shardstone::collectives
