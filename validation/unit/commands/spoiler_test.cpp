// SPDX-License-Identifier: BSD-3-Clause
// An all-reduce that is wrong, for exit_code_test: no algorithm of ours. Its program is
// `shardstone` with this file, which is therefore in no library.
#include "collectives/operation/algorithm.hpp"

namespace shardstone::collectives {

namespace {

/// Leaves everything as it was, but for the first element.
class Spoiler : public Executor {
  public:
    void start(const void*, void* output) override { *static_cast<float*>(output) = -1.0F; }
    Progress progress() override { return Progress::done; }
    std::int64_t bytes_sent() const noexcept override { return 0; }
};

Algorithm spoiler() {
    Algorithm algorithm;
    algorithm.operation = "all_reduce";
    algorithm.name = "spoiler";
    algorithm.summary = "wrong";
    algorithm.direct = [](Communicator&, const CollectiveSpec&) {
        return std::make_unique<Spoiler>();
    };
    return algorithm;
}

const AlgorithmRegistration registration(spoiler());

}  // namespace

}  // namespace shardstone::collectives
