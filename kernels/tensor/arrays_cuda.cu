// SPDX-License-Identifier: BSD-3-Clause
// Arrays on the GPU are filled, added and scaled.
#include "kernels/base/device/elements.hpp"
#include "kernels/base/device/grid.hpp"
#include "kernels/tensor/arrays.hpp"

namespace shardstone {

namespace {

using namespace device;

template <class T>
__global__ void fill(T* to, std::int64_t count, T value) {
    for_each_of_grid(count, [=](std::int64_t i) { to[i] = value; });
}

template <class T>
__global__ void add(const T* from, T* to, std::int64_t count) {
    for_each_of_grid(count, [=](std::int64_t i) { to[i] += from[i]; });
}

template <class T>
__global__ void scale(T factor, T* numbers, std::int64_t count) {
    for_each_of_grid(count, [=](std::int64_t i) { numbers[i] *= factor; });
}

}  // namespace

template <class T>
void fill_array(CudaQueue queue, T* to, std::int64_t count, T value) {
    if (count > 0) launch(fill<T>, elementwise(count), queue.stream(), to, count, value);
}

template <class T>
void add_array(CudaQueue queue, const T* from, T* to, std::int64_t count) {
    if (count > 0) launch(add<T>, elementwise(count), queue.stream(), from, to, count);
}

template <class T>
void scale_array(CudaQueue queue, T factor, T* numbers, std::int64_t count) {
    if (count > 0) launch(scale<T>, elementwise(count), queue.stream(), factor, numbers, count);
}

template void add_array(CudaQueue, const std::int64_t*, std::int64_t*, std::int64_t);

#define SHARDSTONE_INSTANTIATE(T)                                   \
    template void fill_array(CudaQueue, T*, std::int64_t, T);       \
    template void add_array(CudaQueue, const T*, T*, std::int64_t); \
    template void scale_array(CudaQueue, T, T*, std::int64_t);
SHARDSTONE_INSTANTIATE(float)
SHARDSTONE_INSTANTIATE(double)
#undef SHARDSTONE_INSTANTIATE

}  // namespace shardstone
