// SPDX-License-Identifier: BSD-3-Clause
// All-reduces that are wrong, for exit_code_test: no algorithms of ours. Its program is
// `shardstone` with this file, which is therefore in no library.
#include <algorithm>
#include <limits>
#include <vector>

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

/// In which runs the first element is wrong: all timed ones have the same values, all further ones
/// that are checked have others.
enum class WrongIn : std::uint8_t { timed_runs, further_runs };

/// Otherwise the library's result.
class PartTimeSpoiler : public Executor {
  public:
    PartTimeSpoiler(Communicator& communicator, const CollectiveSpec& spec, WrongIn wrong_in)
        : right_(make_executor(communicator, find_algorithm("all_reduce", "mpi"), spec)),
          count_(static_cast<std::size_t>(spec.vector.count)),
          wrong_in_(wrong_in) {}

    void start(const void* input, void* output) override {
        const auto* const values = static_cast<const float*>(input);
        if (timed_values_.empty()) timed_values_.assign(values, values + count_);
        const bool timed = std::equal(timed_values_.begin(), timed_values_.end(), values);
        spoils_ = timed == (wrong_in_ == WrongIn::timed_runs);
        output_ = static_cast<float*>(output);
        right_->start(input, output);
    }
    Progress progress() override {
        const Progress made = right_->progress();
        if (made == Progress::done && spoils_) *output_ = std::numeric_limits<float>::infinity();
        return made;
    }
    std::int64_t bytes_sent() const noexcept override { return 0; }

  private:
    std::unique_ptr<Executor> right_;
    std::size_t count_;
    WrongIn wrong_in_;
    std::vector<float> timed_values_;
    float* output_ = nullptr;
    bool spoils_ = false;
};

template <class Make>
Algorithm wrong_algorithm(const char* name, Make make) {
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.summary = "wrong";
    algorithm.direct = make;
    return algorithm;
}

Algorithm part_time_spoiler(const char* name, WrongIn wrong_in) {
    return wrong_algorithm(
        name, [=](Communicator& communicator, const Algorithm&, const CollectiveSpec& spec) {
            return std::make_unique<PartTimeSpoiler>(communicator, spec, wrong_in);
        });
}

const AlgorithmRegistration registration(
    "all_reduce",
    wrong_algorithm("spoiler", [](Communicator&, const Algorithm&, const CollectiveSpec&) {
        return std::make_unique<Spoiler>();
    }));
const AlgorithmRegistration timed("all_reduce",
                                  part_time_spoiler("spoiler_when_timed", WrongIn::timed_runs));
const AlgorithmRegistration further("all_reduce", part_time_spoiler("spoiler_in_further_runs",
                                                                    WrongIn::further_runs));

}  // namespace

}  // namespace shardstone::collectives
