// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/collectives/rivals/meeting.hpp"

namespace shardstone::rivals {

/// Command line from the driver (`run`) to a contender's program:
///   PROGRAM FOLDER SECONDS SETTING SIZE_BYTES...
/// FOLDER contains the empty file `meeting` and receives rank 0's `result.json`; SETTING selects an
/// algorithm of the library.
struct Request {
    std::string folder;
    double seconds_per_size = 0.0;
    std::string setting;
    std::vector<std::int64_t> sizes_bytes;

    /// Throws Error naming arguments that cannot be parsed.
    static Request parse(int argc, char** argv);
};

/// One way to sum FP32 vectors over all processes, in place.
class Contender {
  public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    /// Library and version, one line.
    virtual std::string version() const = 0;
    /// Prepares for `count` elements and returns the vector, in the memory that suits best.
    virtual std::shared_ptr<float> prepare(std::int64_t count) = 0;
    /// One all-reduce on the vector. Waits until it is complete on this process.
    virtual void run() = 0;
    /// Whether the sum is checked; the memory bound sums nothing.
    virtual bool sums() const { return true; }
    /// See Meeting.
    virtual void while_asleep() {}
};

/// Ordinary memory for `count` elements, set to zero, on whole cache lines.
std::shared_ptr<float> ordinary_vector(std::int64_t count);

/// Measures every size on vectors that each process has rewritten before every run, outside the
/// timed part, as in real use: otherwise, with some algorithms, vectors would stay in the caches of
/// the reducing processes from one run to the next. Checks each size once on inputs whose sum is
/// exact, and lets rank 0 write {"version", "points": [{"size_bytes", "warmup_iterations",
/// "samples_s", "round_trips_s", "wrong_elements"}]}; the round trip (Meeting::round_trip_s()) is
/// measured directly before the sample. Every process calls it. Returns the exit code: 1 if any
/// element was wrong.
int compete(const Request& request, Extent place, Contender& contender);

/// The common part of every main(): runs `body`, prints an Error in one line and returns 2 for it.
int guarded(const std::function<int()>& body);

}  // namespace shardstone::rivals
