// SPDX-License-Identifier: BSD-3-Clause
// A wrapper that divides the sums which a rank gets of another executor by the number of ranks.
#include "collectives/executors/averaging.hpp"

#include <cstddef>

#include "collectives/operation/layout.hpp"

namespace shardstone::collectives {

namespace {

/// What a rank gets of an operation that reduces: one stretch of the vector.
Extent result_of(const Operation& operation, const CollectiveSpec& spec, const RankRole& role) {
    const int blocks = operation.sharing == Sharing::by_rank ? role.size : 1;
    const BlockLayout layout(spec, operation.sharing, {{0, blocks}}, role.size);
    return layout.span_of(operation.after, role);
}

class Averaging : public Executor {
  public:
    Averaging(std::unique_ptr<Executor> summing, const VectorSpec& vector, const Extent& result,
              int size)
        : summing_(std::move(summing)),
          scale_(scale_function(vector.type)),
          element_bytes_(vector.element_bytes()),
          result_(result),
          size_(size) {}

    void start(const void* input, void* output) override {
        begin(input, output);
        summing_->start(input, output);
    }

    Progress progress() override {
        const Progress progress = summing_->progress();
        if (progress == Progress::done) divide();
        return progress;
    }

    void run(const void* input, void* output) override {
        begin(input, output);
        summing_->run(input, output);
        divide();
    }

    std::int64_t bytes_sent() const noexcept override { return summing_->bytes_sent(); }
    std::string waits_for() const override { return summing_->waits_for(); }

  private:
    void begin(const void* input, void* output) {
        // In place, the result is where it belongs in the vector.
        const std::int64_t first = input == output ? result_.begin : 0;
        sums_ = static_cast<std::byte*>(output) + first * element_bytes_;
        divided_ = false;
    }

    void divide() {
        if (!divided_ && result_.count > 0) scale_(sums_, result_.count, size_);
        divided_ = true;
    }

    std::unique_ptr<Executor> summing_;
    ScaleFunction scale_;
    std::int64_t element_bytes_;
    Extent result_;
    int size_;
    std::byte* sums_ = nullptr;
    bool divided_ = true;
};

}  // namespace

std::unique_ptr<Executor> make_averaging(std::unique_ptr<Executor> summing,
                                         const Operation& operation, const CollectiveSpec& spec,
                                         int size, int rank) {
    const Extent result = result_of(operation, spec, {size, spec.root, rank});
    return std::make_unique<Averaging>(std::move(summing), spec.vector, result, size);
}

}  // namespace shardstone::collectives
