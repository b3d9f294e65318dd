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

void require_train_runs(const TrainArguments& arguments, int ranks) {
    const TrainOptions options = resolve(arguments, ranks);
    require(options.plan.ranks() == ranks, [&] {
        return fmt::format("plan {} has {}, and the point {}", to_string(options.plan),
                           counted(options.plan.ranks(), "rank"), ranks);
    });
    validate(options, ranks, open_training_data(arguments.data));
    require_memory_limit(arguments, options);
    require_described_room(arguments, options);
}

}  // namespace shardstone::command
