// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace shardstone::validation::oracle {

/// The code of the bf16 that a finite `value` is rounded to, element `index` of tensor `name` in
/// step `step`: the nearer of its two neighbours by chance, in proportion. The chance is a 16-bit
/// number: Philox's counter index / 8 in the stream "NAME at step STEP" has eight, the low half of
/// each word before the high one.
std::uint16_t round_stochastically(float value, std::uint64_t seed, const std::string& name,
                                   std::int64_t step, std::int64_t index);

}  // namespace shardstone::validation::oracle
