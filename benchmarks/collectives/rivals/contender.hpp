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

/// What the driver (`run`) asks of a contender's program:
///   PROGRAM FOLDER SECONDS SETTING SIZE_BYTES...
/// FOLDER holds the empty file `meeting` and receives rank 0's `result.json`; SETTING chooses among
/// the algorithms of the library.
struct Request {
    std::string folder;
    double seconds_per_size = 0.0;
    std::string setting;
    std::vector<std::int64_t> sizes_bytes;

    /// Throws Error naming what cannot be understood.
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
    /// Makes ready for `count` elements and returns the vector, in the memory that suits best.
    virtual std::shared_ptr<float> prepare(std::int64_t count) = 0;
    /// One all-reduce on the vector. Waits until it is complete on this process.
    virtual void run() = 0;
    /// Whether the sum is what counts; the memory bound adds nothing up.
    virtual bool sums() const { return true; }
    /// See Meeting.
    virtual void while_asleep() {}
};

/// Ordinary memory for `count` elements, set to zero, on whole cache lines.
std::shared_ptr<float> ordinary_vector(std::int64_t count);

/// Measures every size on vectors that each process has written anew before every run, outside the
/// time, as in use: what is reduced again and again as the last run left it stays, with some
/// algorithms, in the caches of those who reduce it. Checks each size once on inputs whose sum is
/// exact, and has rank 0 write {"version", "points": [{"size_bytes", "warmup_iterations",
/// "samples_s", "round_trips_s", "wrong_elements"}]}; the round trip (Meeting::round_trip_s()) is
/// that just before the sample was taken.
/// Every process calls it. Returns the exit code: 1 when any element was wrong.
int compete(const Request& request, Extent place, Contender& contender);

/// What every main() does: runs `body`, prints an Error in one line and returns 2 for it.
int guarded(const std::function<int()>& body);

}  // namespace shardstone::rivals
