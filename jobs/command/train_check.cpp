// SPDX-License-Identifier: BSD-3-Clause
// What a training would refuse on so many ranks, found without them.
#include "jobs/command/train_check.hpp"

#include <fmt/format.h>

#include "jobs/command/train_pricing.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"
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
    constexpr const char* refusal =
        "{} with --device cuda: it needs the time of each action, and a GPU runs them later than "
        "its host starts them; omit one";
    require(arguments.trace.empty(), [&] { return fmt::format(refusal, "--trace"); });
    require(!arguments.explain, [&] { return fmt::format(refusal, "--explain"); });
    require(!arguments.memory_limit,
            "--memory-limit with --device cuda: it limits the host's memory; omit it");
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
