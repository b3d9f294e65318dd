// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// Throws Error when this CPU lacks an instruction set that this program was built for, naming it
/// and the remedy; called first thing in main, before any such instruction can end the process.
void require_cpu_supported();

}  // namespace shardstone
