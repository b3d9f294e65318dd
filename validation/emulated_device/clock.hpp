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
/// Of a product in FP32: in TF32 half of it, in BF16 and FP16 a quarter, in FP8 an eighth.
inline constexpr double duration_per_flop_s = 8e-12;

double host_time_s();
/// Every call takes a while.
void host_calls();
/// The host has waited for something that ended then.
void host_reaches(double time_s);

}  // namespace shardstone::emulated
