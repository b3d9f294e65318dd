// SPDX-License-Identifier: BSD-3-Clause
// CUDA's C++ as kernels see it on the emulated device: the few functions and variables of it that
// they use, under CUDA's names. Add others in the same way: one small inline function each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/base/check_cuda.hpp"
#include "validation/emulated_device/launch.hpp"
#include "validation/emulated_device/threads.hpp"

#undef __shared__  // SHARDSTONE_SHARED makes such variables anew for each block
#define __launch_bounds__(...)
#define SHARDSTONE_SHARED(type, name)                                       \
    type& name = *static_cast<type*>(::shardstone::emulated::static_shared( \
        sizeof(type), ::shardstone::emulated::Where::current()))
#define threadIdx ::shardstone::emulated::thread_index
#define blockIdx ::shardstone::emulated::block_index
#define blockDim ::shardstone::emulated::block_dim
#define gridDim ::shardstone::emulated::grid_dim
constexpr int warpSize = 32;

namespace shardstone::emulated {

/// The value of one lane of the mask, which must name it.
template <class T>
T shuffled(unsigned mask, T value, int source, Where where) {
    static_assert(sizeof(T) <= most_exchanged_bytes);
    const Exchanged& given = exchange(mask, &value, sizeof value, false, where);
    if ((mask >> source & 1U) == 0) thread_fault("a shuffle from a lane not in its mask", where);
    T result;
    std::memcpy(&result, given.of[source], sizeof result);
    return result;
}

/// The same, or this lane's own value if the source is outside its group of `width` lanes.
template <class T>
T shuffled_within(unsigned mask, T value, int source, int width, Where where) {
    const int mine = static_cast<int>(lane()), first = mine / width * width;
    const bool is_inside = source >= first && source < first + width;
    return shuffled(mask, value, is_inside ? source : mine, where);
}

/// One operation on a number that others may change meanwhile: an atomic one for the race detector.
/// Yields what was there.
template <class T, class Change>
T change_atomically(T* number, Change change) {
    before_atomic();
    T old, changed;
    __atomic_load(number, &old, __ATOMIC_RELAXED);
    do {
        changed = change(old);
    } while (!__atomic_compare_exchange(number, &old, &changed, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return old;
}

}  // namespace shardstone::emulated

// Barriers, shuffles and votes.

inline void __syncthreads(
    shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    shardstone::emulated::sync_block(where);
}
inline void __syncwarp(unsigned mask = ~0U,
                       shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    shardstone::emulated::exchange(mask, "", 1, true, where);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
              shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    const int first = static_cast<int>(shardstone::emulated::lane()) / width * width;
    return shardstone::emulated::shuffled(mask, value, first + (source & (width - 1)), where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize,
                  shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    const int source = static_cast<int>(shardstone::emulated::lane()) ^ bits;
    return shardstone::emulated::shuffled_within(mask, value, source, width, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = warpSize,
                   shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    const int source = static_cast<int>(shardstone::emulated::lane() + distance);
    return shardstone::emulated::shuffled_within(mask, value, source, width, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = warpSize,
                 shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    const int source = static_cast<int>(shardstone::emulated::lane()) - static_cast<int>(distance);
    return shardstone::emulated::shuffled_within(mask, value, source, width, where);
}
inline unsigned __ballot_sync(
    unsigned mask, int predicate,
    shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    const unsigned char yes = predicate != 0 ? 1 : 0;
    const auto& given = shardstone::emulated::exchange(mask, &yes, 1, false, where);
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) != 0 && given.of[lane][0] != 0) votes |= 1U << lane;
    }
    return votes;
}
inline int __any_sync(unsigned mask, int predicate,
                      shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    return __ballot_sync(mask, predicate, where) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    return __ballot_sync(mask, predicate, where) == mask ? 1 : 0;
}

template <class T>
unsigned __match_any_sync(
    unsigned mask, T value,
    shardstone::emulated::Where where = shardstone::emulated::Where::current()) {
    static_assert(sizeof(T) <= shardstone::emulated::most_exchanged_bytes);
    const auto& given = shardstone::emulated::exchange(mask, &value, sizeof value, false, where);
    unsigned equal = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        const bool is_equal = std::memcmp(given.of[lane], &value, sizeof value) == 0;
        if ((mask >> lane & 1U) != 0 && is_equal) equal |= 1U << lane;
    }
    return equal;
}

// Atomic operations and fences.

template <class T>
T atomicAdd(T* number, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(number, [=](T old) { return T(old + value); });
}
template <class T>
T atomicMax(T* number, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(
        number, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicMin(T* number, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(
        number, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicOr(T* number, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(number, [=](T old) { return T(old | value); });
}
template <class T>
T atomicExch(T* number, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(number, [=](T) { return value; });
}
template <class T>
T atomicCAS(T* number, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    return shardstone::emulated::change_atomically(
        number, [=](T old) { return old == expected ? value : old; });
}
inline void __threadfence() {
    shardstone::emulated::fence();
}

// Arithmetic. The host's functions are not the GPU's to the last bit.

template <class T>
T min(T a, std::type_identity_t<T> b) {
    return b < a ? b : a;
}
template <class T>
T max(T a, std::type_identity_t<T> b) {
    return a < b ? b : a;
}
inline float rsqrtf(float x) {
    return 1.0F / std::sqrt(x);
}
inline float __fdividef(float x, float y) {
    return x / y;
}
inline float __expf(float x) {
    return std::exp(x);
}
inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline int __popc(unsigned bits) {
    return std::popcount(bits);
}
inline int __popcll(unsigned long long bits) {
    return std::popcount(bits);
}
inline int __clz(int bits) {
    return std::countl_zero(static_cast<unsigned>(bits));
}
inline int __ffs(int bits) {
    return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
inline unsigned __float_as_uint(float value) {
    return std::bit_cast<unsigned>(value);
}
inline float __uint_as_float(unsigned bits) {
    return std::bit_cast<float>(bits);
}
template <class T>
T __ldg(const T* address) {
    return *address;
}

namespace shardstone::device {

inline float exp2_approximate(float x) {
    return std::exp2(x);
}
inline int opaque(int number) {
    return number;
}

}  // namespace shardstone::device
