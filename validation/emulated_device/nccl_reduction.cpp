// SPDX-License-Identifier: BSD-3-Clause
// Sums, maxima, minima and means of vectors in the types of NCCL.
#include "validation/emulated_device/nccl_reduction.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "validation/emulated_device/faults.hpp"

namespace shardstone::emulated {

namespace {

/// What elements of a narrow floating-point type are computed in, or the type itself.
template <class T>
using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T>
Wide<T> combined(Wide<T> a, Wide<T> b, ncclRedOp_t operation) {
    switch (operation) {
        case ncclSum:
        case ncclAvg:
            return static_cast<Wide<T>>(a + b);
        case ncclMax:
            return std::max(a, b);
        case ncclMin:
            return std::min(a, b);
        default:
            fault("NCCL: a reduction that its double does not know");
    }
}

template <class T>
T element(const std::byte* vectors, std::size_t place) {
    T value;
    std::memcpy(&value, vectors + place * sizeof(T), sizeof(T));
    return value;
}

template <class T>
void reduce_as(std::byte* out, const std::byte* vectors, std::size_t count, int parts,
               ncclRedOp_t operation) {
    for (std::size_t i = 0; i < count; ++i) {
        T value = element<T>(vectors, i);
        for (int part = 1; part < parts; ++part) {
            const T next = element<T>(vectors, static_cast<std::size_t>(part) * count + i);
            value = T(combined<T>(Wide<T>(value), Wide<T>(next), operation));
        }
        if (operation == ncclAvg) value = T(Wide<T>(value) / static_cast<Wide<T>>(parts));
        std::memcpy(out + i * sizeof(T), &value, sizeof(T));
    }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
        case ncclUint8:
        case ncclFloat8e4m3:
        case ncclFloat8e5m2:
            return 1;
        case ncclFloat16:
        case ncclBfloat16:
            return 2;
        case ncclInt32:
        case ncclUint32:
        case ncclFloat32:
            return 4;
        case ncclInt64:
        case ncclUint64:
        case ncclFloat64:
            return 8;
        default:
            fault("NCCL: an element type that does not exist");
    }
}

void reduce(void* out, const void* vectors, std::size_t count, int parts, ncclDataType_t type,
            ncclRedOp_t operation) {
    auto* const to = static_cast<std::byte*>(out);
    const auto* const from = static_cast<const std::byte*>(vectors);
    switch (type) {
        case ncclFloat32:
            return reduce_as<float>(to, from, count, parts, operation);
        case ncclFloat64:
            return reduce_as<double>(to, from, count, parts, operation);
        case ncclBfloat16:
            return reduce_as<__nv_bfloat16>(to, from, count, parts, operation);
        case ncclFloat16:
            return reduce_as<__half>(to, from, count, parts, operation);
        case ncclFloat8e4m3:
            return reduce_as<__nv_fp8_e4m3>(to, from, count, parts, operation);
        case ncclFloat8e5m2:
            return reduce_as<__nv_fp8_e5m2>(to, from, count, parts, operation);
        case ncclInt32:
            return reduce_as<std::int32_t>(to, from, count, parts, operation);
        case ncclInt64:
            return reduce_as<std::int64_t>(to, from, count, parts, operation);
        default:
            fault("NCCL: a reduction of a type that its double does not know");
    }
}

}  // namespace shardstone::emulated
