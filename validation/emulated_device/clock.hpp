// SPDX-License-Identifier: BSD-3-Clause
// The time that events tell: made up, and the same whatever the order in which work runs. Longer
// work takes longer, streams overlap, and waiting takes until then; the numbers mean nothing else.
#pragma once

#include <cstddef>

namespace shardstone::emulated {

inline constexpr double duration_of_call_s = 1e-6;
inline constexpr double duration_of_other_work_s = 2e-6;
inline constexpr double duration_per_thread_s = 1e-10;
inline constexpr double duration_per_byte_s = 1e-11;

double host_time_s();
/// Every call takes a while.
void host_calls();
/// The host has waited for something that ended then.
void host_reaches(double time_s);

}  // namespace shardstone::emulated
