// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace shardstone::reference {

using Token = std::uint16_t;
/// The token to be predicted; ignored_target (kernels/transformer/cross_entropy.hpp) if there is
/// none.
using Target = std::int32_t;

}  // namespace shardstone::reference
