// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone::reference {

using Token = std::uint16_t;
/// The token that is to be predicted; ignored_target (kernels/transformer/cross_entropy.hpp) where
/// nothing is.
using Target = std::int32_t;

}  // namespace shardstone::reference
