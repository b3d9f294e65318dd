// SPDX-License-Identifier: BSD-3-Clause
// What this rank's GPU can do, measured there. Only in programs built with CUDA.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/tensor/cuda.hpp"

namespace shardstone {

/// Seconds that the GPU takes for what `enqueue` puts into the queue, `repetitions` times one after
/// the other between two events of the queue: a sample each for `samples` of those, divided by
/// their number. `meanwhile` is called when all are enqueued, while they run. Returns when all have
/// run.
std::vector<double> device_times_s(CudaQueue queue, const std::function<void()>& enqueue,
                                   int samples, int repetitions,
                                   const std::function<void()>& meanwhile = {});

/// FLOP/s of a SquareProduct<S> (square_product.hpp) of rows_to_time<S>(largest): the best of ten.
/// Throws WrongProduct.
template <class S>
double measured_device_product_flop_s(std::int64_t largest = 8192);

/// Bytes/s read and written together by a copy of this many bytes within the GPU's memory: the best
/// of a few, larger than any cache.
double measured_device_copy_bytes_s(std::int64_t size_bytes = std::int64_t{1} << 30);

}  // namespace shardstone
