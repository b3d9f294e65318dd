// SPDX-License-Identifier: BSD-3-Clause
// Ranks look at the shards that they train on and agree on what they see.
#include "benchmarks/training/run/data_watch.hpp"

namespace shardstone::benchmarks {

void look_again(const reference::Dataset& dataset, const collectives::Communicator& world,
                DataFate& fate) {
    fate.shards = dataset.shards();
    if (fate.shards == 0) return;
    const reference::FileFate own = dataset.look();
    const auto first_that = [&](bool says) {
        const auto rank = static_cast<double>(says ? world.rank() : world.size());
        return static_cast<int>(world.min(rank));
    };
    int speaker = first_that(own.changed);
    fate.changed = speaker < world.size();
    if (!fate.changed) speaker = first_that(!own.words.empty());
    if (speaker == world.size()) return;
    const auto seen = world.gather(own.words);
    fate.rank = speaker;
    fate.words = world.broadcast(world.is_root() ? seen[static_cast<std::size_t>(speaker)] : "");
}

}  // namespace shardstone::benchmarks
