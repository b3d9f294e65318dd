// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "collectives/cluster/communicator.hpp"

namespace shardstone::validation {

/// The communicator of all ranks of the running test program.
collectives::Communicator& world();

}  // namespace shardstone::validation
