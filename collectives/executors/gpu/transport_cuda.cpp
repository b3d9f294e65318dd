// SPDX-License-Identifier: BSD-3-Clause
// A transport of schedules between GPUs, by the place of its messages.
#include "collectives/executors/gpu/transport_cuda.hpp"

#include <utility>

#include "collectives/device/runtime_cuda.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

std::shared_ptr<std::byte> allocate(Communicator& communicator, std::int64_t size_bytes) {
    use_gpu_of_rank(communicator);
    return device_memory(size_bytes);
}

}  // namespace

std::string no_gpu(Communicator& communicator) {
    const std::string missing = communicator.broadcast(missing_gpu(gpus_of_ranks(communicator)));
    if (missing.empty()) note_gpus(communicator);
    return missing;
}

Transport between_gpus(const char* name, const char* summary, MessagePlace place,
                       Obstacle obstacle) {
    Transport transport;
    transport.name = name;
    transport.summary = summary;
    transport.carry = [place](Communicator& communicator, const Algorithm& algorithm,
                              const CollectiveSpec& spec) {
        if (place != MessagePlace::pinned) {  // for which to look for a GPU says it, too
            const std::string none = algorithm.obstacle(communicator);
            if (!none.empty()) communicator.agree([&] { fail(none); });
        }
        return make_device_messages(communicator, algorithm, spec, place);
    };
    transport.memory = {allocate, copy_anywhere};
    transport.obstacle = std::move(obstacle);
    return transport;
}

}  // namespace shardstone::collectives
