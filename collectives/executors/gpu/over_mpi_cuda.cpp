// SPDX-License-Identifier: BSD-3-Clause
// Transports of schedules between GPUs without NCCL:
//
// "over_pinned:ALGORITHM", over any MPI, whose messages are copied through pinned memory of the
// host. Ranks may share a GPU.
//
// "over_cuda_mpi:ALGORITHM", over an MPI that takes memory of GPUs, which it says itself.
#include <utility>

#include "collectives/cluster/native.hpp"
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

/// As this MPI says, where it does.
std::string no_such_mpi() {
    if (MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() > 0) return {};
    return "this MPI does not take memory of GPUs, as its MPIX_Query_cuda_support() says: build or "
           "start one that does, or give over_pinned";
}

std::string no_gpu_or_no_such_mpi(Communicator& communicator) {
    const std::string no_gpu_here = no_gpu(communicator);
    return no_gpu_here.empty() ? no_such_mpi() : no_gpu_here;
}

Transport over_mpi(const char* name, const char* summary, MessagePlace place, Obstacle obstacle) {
    Transport transport;
    transport.name = name;
    transport.summary = summary;
    transport.carry = [place](Communicator& communicator, const Algorithm& algorithm,
                              const CollectiveSpec& spec) {
        require(spec.vector.reduction != Reduction::avg,
                [&] { return algorithm.name + " cannot take an avg: give sum, max or min"; });
        if (place == MessagePlace::device) {
            use_gpu_of_rank(communicator);  // the first of its obstacles
            communicator.agree([] { require(no_such_mpi().empty(), no_such_mpi); });
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
