// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace shardstone::emulated {

/// Rows of bytes, one after the other if there is one only.
struct Extent {
    std::size_t width_bytes = 0, rows = 1, pitch_bytes = 0;

    std::size_t bytes() const { return (rows - 1) * pitch_bytes + width_bytes; }
};

enum class Place { device, pinned, pageable };

/// Where it is. Faults if it has been freed, ends within the extent, or, of something that runs
/// later, if it is ordinary memory of the host: that copy is either none of its kind or done at
/// once.
Place place_of(const char* call, const void* data, const Extent& extent, bool runs_later);

/// Faults if the kind says otherwise.
void expect_kind(const char* call, cudaMemcpyKind kind, Place from, Place to);

}  // namespace shardstone::emulated
