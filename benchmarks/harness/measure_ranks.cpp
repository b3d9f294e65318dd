// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/start_line.hpp"
#include "benchmarks/harness/team.hpp"

namespace shardstone::benchmarks {

namespace {

/// The ranks of a communicator.
class Ranks : public Team {
  public:
    explicit Ranks(const collectives::Communicator& communicator)
        : communicator_(communicator), start_line_(communicator) {}

    void line_up() override { start_line_.wait(); }

    std::vector<double> maxima(std::span<const double> mine) override {
        const auto all = communicator_.all_gather(mine);
        std::vector<double> largest(mine.begin(), mine.end());
        for (std::size_t i = 0; i < all.size(); ++i) {
            double& place = largest[i % mine.size()];
            place = std::max(place, all[i]);
        }
        return largest;
    }

  private:
    const collectives::Communicator& communicator_;
    StartLine start_line_;
};

}  // namespace

Measurement measure(const collectives::Communicator& communicator, const MeasurePolicy& policy,
                    const std::function<void()>& run) {
    Ranks ranks(communicator);
    return measure(ranks, policy, run);
}

}  // namespace shardstone::benchmarks
