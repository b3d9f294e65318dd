// SPDX-License-Identifier: BSD-3-Clause
// One rank's training step without communication, timed by forward, backward and optimizer.
#include "benchmarks/training/step_benchmark.hpp"

#include <algorithm>
#include <cmath>

#include "benchmarks/training/run/throughput.hpp"
#include "kernels/base/clock.hpp"
#include "kernels/base/random.hpp"
#include "kernels/optimizer/adamw.hpp"
#include "kernels/tensor/buffer.hpp"
#include "reference/model/gpt.hpp"
#include "reference/model/initial_weights.hpp"

namespace shardstone::benchmarks {

namespace {

using reference::Gpt;
using reference::Target;
using reference::Token;

/// Tokens or targets.
template <class T>
std::vector<T> random_tokens(const StepSetup& setup, const char* name) {
    const RandomStream stream(1, name);
    std::vector<T> tokens(static_cast<std::size_t>(setup.micro_batch * setup.sequence));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        tokens[i] =
            static_cast<T>(stream.below(static_cast<std::uint64_t>(setup.model.vocabulary), i));
    }
    return tokens;
}

class Step {
  public:
    explicit Step(const StepSetup& setup)
        : model_(setup.model, setup.micro_batch, setup.sequence, setup.precision),
          tokens_(random_tokens<Token>(setup, "tokens")),
          targets_(random_tokens<Target>(setup, "targets")),
          first_moments_(setup.model.parameter_count()),
          second_moments_(setup.model.parameter_count()) {
        model_.initialize(1);
        if (setup.precision.storage == reference::Storage::full) return;
        master_ = Buffer<float>(setup.model.parameter_count());
        fill_initial_weights(reference::ParameterLayout(setup.model), 1, 0, master_.span());
    }

    void run(StepTiming& timing) {
        const auto count = static_cast<double>(tokens_.size());
        const double begin_s = now_s();
        const double loss = model_.forward(tokens_, targets_) / count;
        const double forward_s = now_s();
        model_.backward(1.0 / count);
        const double backward_s = now_s();
        update();
        const double optimizer_s = now_s();
        std::ranges::fill(model_.gradients(), 0.0F);
        timing.forward_s.push_back(forward_s - begin_s);
        timing.backward_s.push_back(backward_s - forward_s);
        timing.optimizer_s.push_back(optimizer_s - backward_s);
        timing.zeroing_s.push_back(now_s() - optimizer_s);
        if (step_ == 1) timing.first_loss = loss;
        timing.last_loss = loss;
    }

  private:
    void update() {
        const bool full = master_.size() == 0;
        const std::span<float> weights = full ? model_.weights() : master_.span();
        adamw_update<float>(
            HostQueue(), {}, {++step_, 1e-4, {}},
            {weights, model_.gradients(), first_moments_.span(), second_moments_.span()});
        if (!full) model_.set_weights(weights);
    }

    Gpt<float> model_;
    std::vector<Token> tokens_;
    std::vector<Target> targets_;
    Buffer<float> first_moments_, second_moments_, master_;
    std::int64_t step_ = 0;
};

}  // namespace

double StepTiming::tokens_per_s(const StepSetup& setup) const {
    return static_cast<double>(setup.micro_batch * setup.sequence) / step.median_s;
}

bool StepTiming::learns(const StepSetup& setup) const {
    // Initial logits have a deviation of 0.02 sqrt(C) or less: their log-sum-exp lies within half
    // its square of log V, and the mean over random targets within a few of it.
    const double uniform = std::log(static_cast<double>(setup.model.vocabulary));
    const double deviation = 0.02 * std::sqrt(static_cast<double>(setup.model.channels));
    return std::abs(first_loss - uniform) <= deviation * (1.0 + deviation) &&
           last_loss < first_loss;
}

StepTiming time_training_step(const collectives::Communicator& communicator, const StepSetup& setup,
                              const std::function<void(std::int64_t)>& begins) {
    StepTiming timing;
    timing.peak = measure_busy_peak(communicator, setup.precision);
    Step step(setup);
    timing.step = measure(communicator, setup.policy, [&] {
        begins(std::ssize(timing.forward_s) + 1);
        step.run(timing);
    });
    for (auto* part :
         {&timing.forward_s, &timing.backward_s, &timing.optimizer_s, &timing.zeroing_s}) {
        part->erase(part->begin(), part->begin() + timing.step.warmup_iterations);
    }
    timing.all_learn = communicator.min(timing.learns(setup) ? 1.0 : 0.0) > 0.0;
    timing.flop = reference::training_flop_per_token(setup.model, setup.sequence) *
                  static_cast<double>(setup.micro_batch * setup.sequence);
    timing.peak = better_of(timing.peak, measure_busy_peak(communicator, setup.precision));
    return timing;
}

}  // namespace shardstone::benchmarks
