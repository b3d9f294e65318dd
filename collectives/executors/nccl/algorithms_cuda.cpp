// SPDX-License-Identifier: BSD-3-Clause
// What runs on GPUs through NCCL, for every operation, one rank to a GPU and vectors in its memory:
//
// "over_nccl:ALGORITHM", the schedule of any other algorithm, with its messages passed by ncclSend
// and ncclRecv and reduced by our own kernels. Steps and volume: those of ALGORITHM.
//
// "nccl", the library's own collective, the rival: a direct call that shows no schedule.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/nccl/context_cuda.hpp"
#include "collectives/executors/nccl/library_cuda.hpp"
#include "collectives/executors/nccl/messages_cuda.hpp"
#include "collectives/operation/algorithm.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::shared_ptr<std::byte> allocate(Communicator& communicator, std::int64_t size_bytes) {
    NcclContext::of(communicator)->use_device();
    return device_memory(size_bytes);
}

const VectorMemory gpu_memory{allocate, copy_anywhere};

std::unique_ptr<Executor> carry(Communicator& communicator, const Algorithm& algorithm,
                                const CollectiveSpec& spec) {
    return make_nccl_messages(communicator, algorithm, spec);
}

Transport over_nccl() {
    Transport transport;
    transport.name = "nccl";
    transport.summary = "with its messages between GPUs through NCCL";
    transport.carry = carry;
    transport.memory = gpu_memory;
    transport.in_stream = true;
    transport.obstacle = nccl_obstacle;
    return transport;
}

std::unique_ptr<Executor> call_library(Communicator& communicator, const Algorithm& algorithm,
                                       const CollectiveSpec& spec) {
    return make_nccl_collective(communicator, *algorithm.operation, spec);
}

Algorithm library(const NcclCollective& collective) {
    Algorithm algorithm;
    algorithm.name = "nccl";
    algorithm.summary = fmt::format("NCCL's own {} between GPUs, the reference", collective.call);
    algorithm.equal_shares_only = find_operation(collective.operation).sharing != Sharing::whole;
    algorithm.direct = call_library;
    algorithm.memory = gpu_memory;
    algorithm.in_stream = true;
    algorithm.obstacle = nccl_obstacle;
    return algorithm;
}

/// Made when it is asked for, since operations register in any order.
AlgorithmFamily library_family(const NcclCollective& collective) {
    return {.name = "nccl",
            .grammar = "nccl",
            .members = {""},
            .make = [collective](std::string_view) { return library(collective); },
            .anywhere = false};
}

std::vector<AlgorithmRegistration> register_library() {
    std::vector<AlgorithmRegistration> all;
    for (const auto& collective : nccl_collectives()) {
        all.emplace_back(collective.operation, library_family(collective));
    }
    return all;
}

const TransportRegistration over_nccl_registration(over_nccl());
const std::vector<AlgorithmRegistration> library_registrations = register_library();

}  // namespace

}  // namespace shardstone::collectives
