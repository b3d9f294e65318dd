// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/sweep/buffers.hpp"
#include "benchmarks/harness/measure.hpp"
#include "collectives/executors/collective.hpp"

namespace shardstone::benchmarks {

/// One prepared collective with its buffers, which is timed, and whose result is checked in place.
class Contender {
  public:
    /// Collective.
    Contender(collectives::Communicator& communicator, const collectives::Algorithm& algorithm,
              const collectives::CollectiveSpec& spec, const BufferUse& use);
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;

    /// One run, and the preparation before each. This object must not move while it is in use.
    Work work();

    /// Wrong elements over all ranks in the newest run. Collective.
    std::int64_t wrong_elements() const;
    /// Runs again, on other values.
    void run_again();

    /// Maximum over ranks of the bytes sent so far, per run. Collective.
    double bytes_sent_per_run() const;
    std::int64_t rotated() const { return buffers_.rotated(); }

  private:
    collectives::Communicator& communicator_;
    KnownData data_;
    collectives::Collective collective_;
    Buffers buffers_;
    std::int64_t runs_ = 0;
};

}  // namespace shardstone::benchmarks
