// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone {

/// Exit code of what was stopped by a signal and wrote what it had until then.
inline constexpr int interrupted_code = 130;

/// From now on the first SIGINT or SIGTERM is only noted, so that what was measured can be written;
/// a second one ends the process as it always did. Of the process; with several ranks they must
/// agree on what they note, since a signal may reach only some.
void catch_interrupts();

/// Whether one was noted.
bool interrupted() noexcept;

}  // namespace shardstone
