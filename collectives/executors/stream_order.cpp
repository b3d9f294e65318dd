// SPDX-License-Identifier: BSD-3-Clause
// Where orders of streams come from: a source that registers itself, or none without NCCL.
#include "collectives/executors/stream_order.hpp"

#include <utility>

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

namespace {

StreamOrderSource::Maker& maker_of_orders() {
    static StreamOrderSource::Maker maker;
    return maker;
}

}  // namespace

std::unique_ptr<StreamOrder> make_stream_order(Communicator& communicator,
                                               CUstream_st* computations) {
    communicator.agree([] {
        require(static_cast<bool>(maker_of_orders()),
                "several ranks on GPUs pass their messages through NCCL, which this program was "
                "built without: give one rank, or build it where nccl.h is");
    });
    return maker_of_orders()(communicator, computations);
}

StreamOrderSource::StreamOrderSource(Maker maker) {
    maker_of_orders() = std::move(maker);
}

}  // namespace shardstone::collectives
