// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nccl.h>

#include <cstddef>

namespace shardstone::emulated {

/// Bytes of an element. Faults for what is no type.
std::size_t size_of(ncclDataType_t type);

/// `out` becomes the reduction of `parts` vectors of `count` elements that follow each other, in
/// their order, each result rounded to the type, as NCCL's rings do it. Faults for a type or
/// operation that nobody here uses.
void reduce(void* out, const void* vectors, std::size_t count, int parts, ncclDataType_t type,
            ncclRedOp_t operation);

}  // namespace shardstone::emulated
