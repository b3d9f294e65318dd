// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "collectives/reduction/reduction.hpp"

namespace shardstone::collectives {

/// What reduce_function() gives, on arrays in the memory of the device, put into the stream: the
/// same bits, since both are made of the same element types and operations (where a result is a
/// NaN, a NaN). The arrays are aligned to their element type.
using DeviceReduceFunction = void (*)(void* mine, const void* theirs, std::int64_t count,
                                      cudaStream_t stream);

DeviceReduceFunction device_reduce_function(ElementType type, Reduction reduction);

}  // namespace shardstone::collectives
