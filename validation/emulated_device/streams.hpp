// SPDX-License-Identifier: BSD-3-Clause
// Streams of the emulated devices: queues of work that runs when the host waits for something, in
// any order that streams and events allow.
#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "validation/emulated_device/clock.hpp"

namespace shardstone::emulated {

/// A point in a stream, once it has been enqueued: what an event was last recorded at.
struct Mark {
    bool is_reached = false;
    bool is_captured = false;   ///< of a graph, not of a stream
    bool is_looked_at = false;  ///< of an event that is
    cudaStream_t stream = nullptr;
    double time_s = 0;  ///< when it was reached
};
using MarkPointer = std::shared_ptr<Mark>;

/// A piece of work. Returns false while it is still in flight, and is then called again.
using Run = std::function<bool()>;

struct Work {
    std::string name;
    Run run;              ///< may be empty
    Run could_move;       ///< if not empty: false while `run` would only find itself in flight
    MarkPointer awaits;   ///< it runs only after this
    MarkPointer reaches;  ///< when it has run
    double duration_s = 0;
    double issued_s = 0;
    unsigned long serial = 0;                                 ///< of all work
    std::shared_ptr<char> issued = std::make_shared<char>();  ///< for the race detector
};

struct Capture {
    cudaStreamCaptureMode mode;
    bool is_valid = true;
    CUgraph_st* graph = nullptr;
};

}  // namespace shardstone::emulated

struct CUstream_st {
    std::deque<shardstone::emulated::Work> queue;
    int device = 0;
    unsigned flags = 0;
    unsigned long number = 0;
    bool is_destroyed = false;  ///< what it holds runs nevertheless
    std::shared_ptr<shardstone::emulated::Capture> capture;
    double time_s = 0;  ///< when its last work ended
    void* line_of_execution = nullptr;
    char work_so_far = 0;  ///< for the race detector
};

struct CUevent_st {
    shardstone::emulated::MarkPointer mark;
    unsigned flags = 0;
    int device = 0;
    bool is_looked_at = false;  ///< by the host, again and again, instead of waiting for it
};

namespace shardstone::emulated {

cudaStream_t new_stream(int device, unsigned flags);
void destroy_stream(cudaStream_t stream);
/// Faults unless it is a stream that exists; nobody here uses the default one.
cudaStream_t checked(cudaStream_t stream);
const std::vector<std::unique_ptr<CUstream_st>>& all_streams();
/// Of what was enqueued last.
unsigned long last_serial();

/// Puts work at the end of the stream, or of the graph that it is captured into.
void enqueue(cudaStream_t stream, Work work);
/// The same for work that is named and waits for nothing.
void enqueue(cudaStream_t stream, std::string name, Run run,
             double duration_s = duration_of_other_work_s);

/// Runs work until the condition holds, as the settings order it; faults if it never will.
void advance(cudaStream_t target, const std::function<bool()>& is_done);
/// Until the stream is empty.
void finish(cudaStream_t stream);
/// All streams of a device, or those only that wait for the default stream.
void finish_all(int device, bool blocking_only);
/// Runs some of the work, for waits that the devices do not see: nothing behind an event that the
/// host looks at.
void progress();

/// Whether a stream is being captured.
bool is_capturing();
/// Whether one is in a mode in which memory may not be allocated.
bool is_capturing_strictly();
/// What a call yields that is not permitted meanwhile; nothing comes of what is being captured.
cudaError_t invalidated_capture();

}  // namespace shardstone::emulated
