// SPDX-License-Identifier: BSD-3-Clause
#include "reference/step/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/base/error.hpp"

namespace shardstone::reference {

namespace {

using Kind = Action::Kind;

/// The checks of one rank's program; `where` names rank and action in every complaint.
class RankCheck {
  public:
    RankCheck(const StepProgram& program, int rank, const BatchShape& batch,
              std::int64_t parameters)
        : program_(program), rank_(rank), batch_(batch), parameters_(parameters) {}

    void run(std::vector<int>& times_seen) {
        check_buckets();
        check_dependencies();
        check_passes(times_seen);
        for (std::size_t b = 0; b < program_.buckets.size(); ++b) {
            check_bucket(static_cast<std::int64_t>(b));
        }
        check_loss();
        check_update();
    }

  private:
    template <class... Values>
    void expect(bool ok, std::size_t action, fmt::format_string<Values...> text,
                Values&&... values) const {
        require(ok, [&] {
            return fmt::format("step program of rank {}, action {}: {}", rank_, action,
                               fmt::format(text, std::forward<Values>(values)...));
        });
    }

    /// The one action of this kind and index.
    std::size_t only(Kind kind, std::int64_t index, const char* name) const {
        std::optional<std::size_t> found;
        for (std::size_t i = 0; i < program_.actions.size(); ++i) {
            const Action& action = program_.actions[i];
            if (action.kind != kind || action.index != index) continue;
            expect(!found, i, "{} {} happens twice", name, index);
            found = i;
        }
        expect(found.has_value(), program_.actions.size(), "{} {} never happens", name, index);
        return *found;
    }

    bool comes_after(std::size_t action, std::size_t earlier, std::int64_t gradients) const {
        return std::ranges::any_of(program_.actions[action].after, [&](const Action::After& after) {
            return after.action == earlier && after.gradients >= gradients;
        });
    }

    void check_buckets() const {
        std::int64_t end = 0;
        for (const Bucket& bucket : program_.buckets) {
            expect(bucket.first == end && bucket.count > 0, 0,
                   "buckets leave a gap or overlap at gradient {}", end);
            end = bucket.end();
        }
        expect(end == parameters_, 0, "buckets hold {} gradients of {}", end, parameters_);
    }

    void check_dependencies() const {
        for (std::size_t i = 0; i < program_.actions.size(); ++i) {
            for (const auto& after : program_.actions[i].after) {
                expect(after.action < i, i, "comes after action {}, which is not before it",
                       after.action);
            }
        }
    }

    void check_passes(std::vector<int>& times_seen) {
        const double scale = 1.0 / static_cast<double>(batch_.global_tokens());
        for (std::size_t i = 0; i < program_.actions.size(); ++i) {
            const Action& action = program_.actions[i];
            if (action.kind != Kind::forward) continue;
            const std::size_t backward = only(Kind::backward, action.index, "backward");
            expect(only(Kind::forward, action.index, "forward") == i && comes_after(backward, i, 0),
                   backward, "backward {} does not come after its forward", action.index);
            expect(action.scale == scale && program_.actions[backward].scale == scale, i,
                   "micro-batch {} is not scaled by 1 / {} tokens of the global batch",
                   action.index, batch_.global_tokens());
            if (last_backward_) {
                expect(comes_after(i, *last_backward_, parameters_), i,
                       "forward {} does not wait for the activations", action.index);
            }
            last_forward_ = i;
            last_backward_ = backward;
            for (std::int64_t s = 0; s < batch_.micro_batch; ++s) {
                const std::int64_t sample = action.first_sample + s;
                expect(sample >= 0 && sample < batch_.global_batch, i,
                       "sequence {} lies outside the global batch of {}", sample,
                       batch_.global_batch);
                ++times_seen[static_cast<std::size_t>(sample)];
            }
        }
        expect(last_forward_.has_value(), 0, "there is no micro-batch");
    }

    void check_bucket(std::int64_t index) const {
        const std::size_t reduce = only(Kind::reduce_bucket, index, "reduce of bucket");
        const std::size_t wait = only(Kind::wait_bucket, index, "wait for bucket");
        const Bucket& bucket = program_.buckets[static_cast<std::size_t>(index)];
        expect(comes_after(reduce, *last_backward_, bucket.end()), reduce,
               "bucket {} is reduced before its last contribution", index);
        expect(comes_after(wait, reduce, 0), wait, "wait for bucket {} does not follow its reduce",
               index);
        expect(comes_after(only(Kind::update, 0, "update"), wait, 0), wait,
               "the update does not wait for bucket {}", index);
    }

    void check_loss() const {
        const std::size_t reduce = only(Kind::reduce_loss, 0, "reduce of the loss");
        const std::size_t wait = only(Kind::wait_loss, 0, "wait for the loss");
        expect(comes_after(reduce, *last_forward_, 0), reduce,
               "the loss is reduced before its last contribution");
        expect(comes_after(wait, reduce, 0), wait, "wait for the loss does not follow its reduce");
    }

    void check_update() const {
        expect(only(Kind::update, 0, "update") + 1 == program_.actions.size(), 0,
               "the update is not the last action");
    }

    const StepProgram& program_;
    int rank_;
    const BatchShape& batch_;
    std::int64_t parameters_;
    std::optional<std::size_t> last_forward_;
    std::optional<std::size_t> last_backward_;
};

/// Kind and index of everything that ranks do together, in order.
std::vector<std::pair<Kind, std::int64_t>> reductions_of(const StepProgram& program) {
    std::vector<std::pair<Kind, std::int64_t>> order;
    for (const Action& action : program.actions) {
        if (action.kind == Kind::reduce_bucket || action.kind == Kind::reduce_loss) {
            order.emplace_back(action.kind, action.index);
        }
    }
    return order;
}

}  // namespace

void check_step_programs(std::span<const StepProgram> programs, const BatchShape& batch,
                         std::int64_t parameters) {
    std::vector<int> times_seen(static_cast<std::size_t>(batch.global_batch), 0);
    int rank = 0;
    for (const StepProgram& program : programs) {
        RankCheck(program, rank, batch, parameters).run(times_seen);
        require(reductions_of(program) == reductions_of(programs.front()), [&] {
            return fmt::format("step program of rank {} reduces in another order than rank 0",
                               rank);
        });
        ++rank;
    }
    for (std::size_t sample = 0; sample < times_seen.size(); ++sample) {
        require(times_seen[sample] == 1, [&] {
            return fmt::format("step programs: sequence {} of the global batch is seen {} times",
                               sample, times_seen[sample]);
        });
    }
}

}  // namespace shardstone::reference
