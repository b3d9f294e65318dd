// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "validation/emulated_device/streams.hpp"

/// What was captured, in the order of the calls, and the streams it was captured from.
struct CUgraph_st {
    struct Node {
        cudaStream_t stream;
        shardstone::emulated::Work work;
        cudaEvent_t event = nullptr;  ///< recorded by each launch, for who looks from outside
    };
    std::vector<Node> nodes;
    std::vector<cudaStream_t> streams;  ///< the first one began
};

/// What can be launched: the same work in streams of its own.
struct CUgraphExec_st {
    CUgraph_st graph;
    std::vector<cudaStream_t> lanes;  ///< one for each stream of the graph
    cudaStream_t launched_in = nullptr;
};

namespace shardstone::emulated {

/// The stream takes part in what another one captures, since it waits for it.
void join_capture(cudaStream_t stream, cudaStream_t captured);
/// Whether all streams that took part have been waited for by the one that began.
bool are_streams_joined(const CUgraph_st& graph);
/// Whether two graphs differ at most in the values that their work was given.
bool have_same_shape(const CUgraph_st& one, const CUgraph_st& other);
/// Enqueues all of the graph's work, after what is in the stream and before what comes.
void launch_graph(CUgraphExec_st& graph, cudaStream_t stream);

}  // namespace shardstone::emulated
