// Emulated device: the CUDA language on one CPU thread, each CUDA thread a fiber.
#pragma once

#include "kernels/base/check_cuda.hpp"
#include <cstdint>
#include <cstring>
#include <cmath>
#include <functional>
#include <source_location>
#include <type_traits>
#include <vector>

#undef __shared__  // static shared variables go through SHARED_VARIABLE: fresh and poisoned per block
#define __launch_bounds__(...)
#define SHARDSTONE_SHARED(type, name) type& name = *static_cast<type*>(emu::static_shared(sizeof(type), emu::Where::current()))
namespace emu {
using Where = std::source_location;
struct ThreadIndex { unsigned x, y, z; };
extern ThreadIndex thread_index, block_index;
extern dim3 block_dim, grid_dim;
void* static_shared(size_t bytes, Where where);
void* dynamic_shared_bytes();
void sync_block(Where where);
// Every lane of the mask deposits `bytes`; yields one lane's deposit, or with source < 0 all 32 (64 bytes apart).
void exchange(unsigned mask, const void* value, size_t bytes, int source, void* result, bool orders_memory, Where where);
unsigned lane();
void yield_at_atomic();
void run_grid(dim3 grid, dim3 block, size_t shared, const std::function<void()>& body, const char* name);
void enqueue_kernel(cudaStream_t stream, dim3 grid, dim3 block, size_t shared, std::function<void()> body);
void check_pointer_argument(const void* pointer, const char* kernel);
void copy_async(void* shared, const void* global);
void copy_async_commit();
[[noreturn]] void misaligned(const char* instruction, Where where);
void copy_async_wait(int pending);
template <class T> void check_argument(const T& value, const char* kernel) {
    if constexpr (std::is_pointer_v<T>) check_pointer_argument(value, kernel);
}
template <class T> T shuffle(unsigned mask, T value, int source, Where where) {
    static_assert(sizeof(T) <= 64);
    T result;
    exchange(mask, &value, sizeof value, source & 31, &result, false, where);
    return result;
}
}  // namespace emu

#define threadIdx emu::thread_index
#define blockIdx emu::block_index
#define blockDim emu::block_dim
#define gridDim emu::grid_dim
constexpr int warpSize = 32;

namespace shardstone::device {
template <class T> T* dynamic_shared() { return static_cast<T*>(emu::dynamic_shared_bytes()); }
}
inline void __syncthreads(emu::Where where = emu::Where::current()) { emu::sync_block(where); }
inline void __syncwarp(unsigned mask = ~0u, emu::Where where = emu::Where::current()) { emu::exchange(mask, "", 1, -1, nullptr, true, where); }
template <class T> T __shfl_sync(unsigned mask, T v, int src, int = 32, emu::Where w = emu::Where::current()) { return emu::shuffle(mask, v, src, w); }
template <class T> T __shfl_xor_sync(unsigned mask, T v, int x, int = 32, emu::Where w = emu::Where::current()) { return emu::shuffle(mask, v, int(emu::lane()) ^ x, w); }
template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned d, int = 32, emu::Where w = emu::Where::current()) {
    const int source = int(emu::lane() + d);
    const T got = emu::shuffle(mask, v, source, w);
    return source < 32 ? got : v;
}
inline unsigned __ballot_sync(unsigned mask, int predicate, emu::Where w = emu::Where::current()) {
    const int yes = predicate != 0;
    unsigned char all[32 * 64];
    emu::exchange(mask, &yes, sizeof yes, -1, all, false, w);
    unsigned bits = 0;
    for (int l = 0; l < 32; ++l)
        if (mask >> l & 1) { int v; std::memcpy(&v, all + 64 * l, sizeof v); bits |= unsigned(v) << l; }
    return bits;
}
template <class T> T atomic_update(T* address, auto&& f) {  // one OS thread: no tearing; visible to TSan as an atomic
    emu::yield_at_atomic();
    T old, next;
    __atomic_load(address, &old, __ATOMIC_RELAXED);
    do next = f(old); while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
template <class T> T atomicAdd(T* a, std::type_identity_t<T> v) { return atomic_update(a, [&](T o) { return T(o + v); }); }
template <class T> T atomicMax(T* a, std::type_identity_t<T> v) { return atomic_update(a, [&](T o) { return o < v ? v : o; }); }
template <class T> T atomicExch(T* a, std::type_identity_t<T> v) { return atomic_update(a, [&](T) { return v; }); }
template <class T> T atomicCAS(T* a, std::type_identity_t<T> c, std::type_identity_t<T> v) { return atomic_update(a, [&](T o) { return o == c ? v : o; }); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
template <class T> T min(T a, std::type_identity_t<T> b) { return b < a ? b : a; }
template <class T> T max(T a, std::type_identity_t<T> b) { return a < b ? b : a; }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
template <class T> T __ldg(const T* p) { return *p; }

namespace shardstone::device {
template <class... P, class... A>
void launch(void (*kernel)(P...), const Launch& as, cudaStream_t stream, A&&... args) {
    (emu::check_argument(static_cast<P>(args), "kernel"), ...);
    emu::enqueue_kernel(stream, as.grid, as.block, as.shared_bytes, [=] { kernel(static_cast<P>(args)...); });
}
}

namespace shardstone::device {
inline float exp2_approximate(float x) { return std::exp2(x); }
}
