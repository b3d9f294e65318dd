// SPDX-License-Identifier: BSD-3-Clause
// Transports of schedules between GPUs without NCCL:
//
// "over_pinned:ALGORITHM", over any MPI, whose messages are copied through pinned memory of the
// host. Ranks may share a GPU.
//
// "over_cuda_mpi:ALGORITHM", over an MPI that takes memory of GPUs, which it says itself.
#include <utility>

#include "collectives/cluster/native.hpp"  // whose MPI may declare the function below
#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "collectives/executors/gpu/messages_cuda.hpp"
#include "kernels/base/error.hpp"

/// MPICH and Open MPI have it; of one that lacks it nothing is known.
extern "C" int MPIX_Query_cuda_support() __attribute__((weak));

namespace shardstone::collectives {

namespace {

std::shared_ptr<std::byte> allocate(Communicator& communicator, std::int64_t size_bytes) {
    use_gpu_of_rank(communicator);
    return device_memory(size_bytes);
}

std::string no_gpu(Communicator& communicator) {
    const std::string missing = communicator.broadcast(missing_gpu(gpus_of_ranks(communicator)));
    if (missing.empty()) note_gpus(communicator);
    return missing;
}

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

Transport over_mpi(const char* name, const char* summary, MessagePlace place, Obstacle obstacle) {
    Transport transport;
    transport.name = name;
    transport.summary = summary;
    transport.carry = [place](Communicator& communicator, const Algorithm& algorithm,
                              const CollectiveSpec& spec) {
        if (place == MessagePlace::device) {
            const std::string none = algorithm.obstacle(communicator);
            communicator.agree([&] { require(none.empty(), [&] { return none; }); });
        }
        return make_device_messages(communicator, algorithm, spec, place);
    };
    transport.memory = {allocate, copy_anywhere};
    transport.obstacle = std::move(obstacle);
    return transport;
}

const TransportRegistration over_pinned(
    over_mpi("pinned", "with its messages between GPUs over MPI, through pinned memory of the host",
             MessagePlace::pinned, no_gpu));
const TransportRegistration over_cuda_mpi(
    over_mpi("cuda_mpi", "with its messages between GPUs over an MPI that takes their memory",
             MessagePlace::device, no_gpu_or_no_such_mpi));

}  // namespace

}  // namespace shardstone::collectives
