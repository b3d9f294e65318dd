// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/collectives/sweep/buffers.hpp"
#include "benchmarks/harness/measure.hpp"
#include "collectives/executors/collective.hpp"

namespace shardstone::benchmarks {

/// One prepared collective with its buffers: what is timed, and then checked where it lies.
class Contender {
  public:
    /// Collective.
    Contender(collectives::Communicator& communicator, const collectives::Algorithm& algorithm,
              const collectives::CollectiveSpec& spec, const BufferUse& use);
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;

    /// One run, and what is to come before each. The object must stay put while it is in use.
    Work work();

    /// Wrong elements over all ranks in the newest run. Collective.
    std::int64_t wrong_elements() const;
    /// Runs once more, on other values.
    void run_again();

    /// The most any rank has sent so far, per run. Collective.
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
