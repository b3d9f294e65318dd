// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::results {

/// What `train` and `step` mean by the model's FLOP, of which their MFU is made.
inline constexpr const char* flop_parameters_meaning =
    "N of the model FLOP: all parameters but those of the position embedding, and of each block's "
    "experts but those that a token is sent to.";
inline constexpr const char* flop_per_token_meaning =
    "Model FLOP of forward and backward: 6 N + 6 L C T, of L layers, C channels and T tokens a "
    "sequence, attention's masked half left out.";

}  // namespace shardstone::results
