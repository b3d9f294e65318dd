// SPDX-License-Identifier: BSD-3-Clause
// The order of a rank's computations and of its collectives on a GPU, kept by the GPU itself.
#pragma once

#include <memory>

#include "collectives/cluster/communicator.hpp"
#include "kernels/base/provided.hpp"

struct CUstream_st;  // of CUDA: what a cudaStream_t points to

namespace shardstone::collectives {

/// Between the stream of a rank's computations and that in which the collectives of a communicator
/// run: which waits for what, by events in the streams. The host waits for nothing.
class StreamOrder {
  public:
    /// A point in the communicator's stream. When nobody holds it any more, its event serves
    /// another.
    using Mark = std::shared_ptr<void>;

    StreamOrder() = default;
    StreamOrder(const StreamOrder&) = delete;
    StreamOrder& operator=(const StreamOrder&) = delete;
    virtual ~StreamOrder() = default;

    /// Collectives that are started from now on run after the computations enqueued so far.
    virtual void collectives_wait() = 0;
    /// Behind all collectives started so far.
    virtual Mark mark() = 0;
    /// Computations enqueued from now on run after what is before the mark.
    virtual void computations_wait(const Mark& mark) = 0;
    /// Whether the GPU has run what is before the mark.
    virtual bool reached(const Mark& mark) const = 0;
    /// Throws Error if a collective has failed, as with a lost peer or link.
    virtual void check() const = 0;
};

/// Collective. `computations` must outlive it. Throws AgreedError if there is an obstacle: no GPU,
/// two ranks on one, or a program that was built without NCCL.
std::unique_ptr<StreamOrder> make_stream_order(Communicator& communicator,
                                               CUstream_st* computations);

/// The source of make_stream_order().
using StreamOrderSource = Provided<std::unique_ptr<StreamOrder>(Communicator&, CUstream_st*)>;

}  // namespace shardstone::collectives
