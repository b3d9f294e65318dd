// SPDX-License-Identifier: BSD-3-Clause
// What a training refuses before it begins; most of it is found without its ranks.
#include "jobs/command/train_check.hpp"

#include <fmt/format.h>

#include "collectives/device/devices.hpp"
#include "collectives/executors/gpu/gpu_of_rank.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/train_pricing.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
#include "kernels/tensor/cuda.hpp"
#include "reference/data/default_text.hpp"
#include "reference/step/memory_fit.hpp"

namespace shardstone::command {

using namespace reference;

Dataset open_training_data(const std::filesystem::path& folder) {
    return folder.empty() ? default_dataset() : Dataset::open(folder);
}

void require_memory_limit(const TrainArguments& arguments, const TrainOptions& options) {
    if (!arguments.memory_limit) return;
    require_fits_memory(options, memory_options(options),
                        parse_size_bytes(*arguments.memory_limit));
}

void require_device_can(const TrainArguments& arguments, const TrainOptions& options) {
    if (options.device == DeviceKind::cpu) return;
    require(arguments.trace.empty() || !options.graphs,
            "--trace with --graphs: the actions of a graph are not timed one by one; omit one");
    require(!arguments.explain,
            "--explain with --device cuda: it needs the time of each message, of which a GPU tells "
            "only when its computations went on with it; omit it: the record has the parts of each "
            "step by the GPU's clock, --trace has all actions, and --dry-run with a GPU's "
            "--gflop-rate and --memory-rate predicts them");
    require(!arguments.memory_limit,
            "--memory-limit with --device cuda: it limits the host's memory; omit it");
}

void require_gpus_for(const TrainOptions& options, collectives::Communicator& world) {
    if (options.device == DeviceKind::cpu) return;
    require_messages_between_gpus(world);
#ifdef SHARDSTONE_HAS_CUDA
    collectives::choose_gpu_of_rank(world);
    world.agree([&] {
        const auto gpus = collectives::list_devices().devices;
        const auto number = static_cast<std::size_t>(collectives::chosen_gpu().value());
        const Cuda::Room room = Cuda::room();
        require_fits_gpu(options, memory_options(options), world.rank(),
                         {gpus.at(number).name, room.free_bytes, room.total_bytes});
    });
#endif
}

void require_train_runs(const TrainArguments& arguments, int ranks) {
    const TrainOptions options = resolve(arguments, ranks);
    require(options.plan.ranks() == ranks, [&] {
        return fmt::format("plan {} has {}, and the point {}", to_string(options.plan),
                           counted(options.plan.ranks(), "rank"), ranks);
    });
    require_device_can(arguments, options);
    validate(options, ranks, open_training_data(arguments.data));
    require_memory_limit(arguments, options);
    require_described_room(arguments, options);
}

}  // namespace shardstone::command
