// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shardstone::results {

/// Definition of the model's FLOP in `train` and `step`, on which their MFU is based.
inline constexpr const char* flop_parameters_meaning =
    "N of the model FLOP: all parameters without the position embedding, and of each block's "
    "experts only those to which a token is sent.";
inline constexpr const char* flop_per_token_meaning =
    "Model FLOP of forward and backward: 6 N + 6 L C T, with L layers, C channels and T tokens per "
    "sequence, without the masked half of attention.";

}  // namespace shardstone::results
