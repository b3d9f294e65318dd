// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "collectives/reduction/reduction.hpp"
#include "kernels/base/provided.hpp"

namespace shardstone::collectives {

/// Reduces two vectors of zeros in the memory of the device that the calling thread chose last, so
/// many times in a row, and waits for the end; for that many elements. Local. Only in a build with
/// CUDA.
using DeviceReductions =
    Provided<std::function<void(int times)>(ElementType, Reduction, std::int64_t count)>;

}  // namespace shardstone::collectives
