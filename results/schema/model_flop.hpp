// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::results {

/// What `train` and `step` mean by the model's FLOP, of which their MFU is made.
inline constexpr const char* flop_parameters_meaning =
    "N of the model FLOP: all parameters without the position embedding, and of each block's "
    "experts only those to which a token is sent.";
inline constexpr const char* flop_per_token_meaning =
    "Model FLOP of forward and backward: 6 N + 6 L C T, with L layers, C channels and T tokens per "
    "sequence, without the masked half of attention.";

}  // namespace shardstone::results
