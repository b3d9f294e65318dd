// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "collectives/executors/shared_memory.hpp"

namespace shardstone::collectives {

// The ways that make_shared_memory_all_reduce() chooses from. Collective.

/// For small vectors.
std::unique_ptr<Executor> make_one_shot(const Communicator& communicator, const VectorSpec& vector);

/// For others: direct or staged, whichever the vector of a run allows.
std::unique_ptr<Executor> make_direct_or_staged(const Communicator& communicator,
                                                const VectorSpec& vector,
                                                const SharedMemoryTuning& tuning);

}  // namespace shardstone::collectives
