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

void use_gpus(Algorithm& algorithm) {
    algorithm.allocate = allocate;
    algorithm.copy = copy_anywhere;
    algorithm.obstacle = nccl_obstacle;
    algorithm.one_node_only = false;
}

Algorithm over_nccl(std::string_view operation, std::string_view name) {
    Algorithm algorithm = find_algorithm(operation, name);
    require(algorithm.has_schedule() && !algorithm.direct, [&] {
        return fmt::format(
            "'{}' has no messages to pass through NCCL: name an algorithm with a schedule, such as "
            "over_nccl:ring",
            name);
    });
    algorithm.direct = [plain = algorithm](Communicator& communicator, const CollectiveSpec& spec) {
        require(spec.vector.reduction != Reduction::avg,
                "over_nccl cannot take an avg: give sum, max or min, or use another algorithm");
        return make_nccl_messages(communicator, plain, spec);
    };
    algorithm.name = fmt::format("over_nccl:{}", name);
    algorithm.summary = fmt::format("{} with its messages between GPUs through NCCL", name);
    use_gpus(algorithm);
    return algorithm;
}

Algorithm library(const NcclCollective& collective) {
    const Operation& operation = find_operation(collective.operation);
    Algorithm algorithm;
    algorithm.operation = collective.operation;
    algorithm.name = "nccl";
    algorithm.summary = fmt::format("NCCL's own {} between GPUs, the rival", collective.call);
    algorithm.equal_shares_only = operation.sharing != Sharing::whole;
    algorithm.direct = [&operation](Communicator& communicator, const CollectiveSpec& spec) {
        return make_nccl_collective(communicator, operation, spec);
    };
    use_gpus(algorithm);
    return algorithm;
}

/// Made when it is asked for, since operations register in any order.
AlgorithmFamily library_family(const NcclCollective& collective) {
    return {collective.operation,
            "nccl",
            "nccl",
            {""},
            [collective](std::string_view) { return library(collective); },
            /*anywhere=*/false};
}

AlgorithmFamily over_nccl_family(const std::string& operation, std::vector<std::string> members) {
    return {operation,
            "over_nccl",
            "over_nccl:ALGORITHM",
            std::move(members),
            [operation](std::string_view name) { return over_nccl(operation, name); },
            /*anywhere=*/false};
}

std::vector<AlgorithmRegistration> register_all() {
    std::vector<AlgorithmRegistration> all;
    for (const auto& collective : nccl_collectives()) all.emplace_back(library_family(collective));
    all.emplace_back(
        over_nccl_family("all_reduce", {"ring", "recursive_doubling", "double_binary_tree"}));
    for (const char* operation : {"reduce_scatter", "all_gather"}) {
        all.emplace_back(over_nccl_family(operation, {"ring"}));
    }
    for (const char* operation : {"broadcast", "reduce", "scatter", "gather"}) {
        all.emplace_back(over_nccl_family(operation, {"binomial_tree"}));
    }
    all.emplace_back(over_nccl_family("all_to_all", {"pairwise"}));
    for (const char* pattern : {"ping_pong", "bidirectional", "ring_shift", "multi_pair"}) {
        all.emplace_back(over_nccl_family(pattern, {"direct"}));
    }
    return all;
}

const std::vector<AlgorithmRegistration> registrations = register_all();

}  // namespace

}  // namespace shardstone::collectives
