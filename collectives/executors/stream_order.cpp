// SPDX-License-Identifier: BSD-3-Clause
// Orders of streams come from a source, if the program was built with NCCL.
#include "collectives/executors/stream_order.hpp"

#include "kernels/base/error.hpp"

namespace shardstone::collectives {

std::unique_ptr<StreamOrder> make_stream_order(Communicator& communicator,
                                               CUstream_st* computations) {
    communicator.agree([] {
        require(static_cast<bool>(StreamOrderSource::function()),
                "several ranks on GPUs pass their messages through NCCL, which this program was "
                "built without: give one rank, or build it where nccl.h is");
    });
    return StreamOrderSource::function()(communicator, computations);
}

}  // namespace shardstone::collectives
