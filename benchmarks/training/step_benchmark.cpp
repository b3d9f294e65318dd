// SPDX-License-Identifier: BSD-3-Clause
// One rank's training step without communication, timed by forward, backward and optimizer.
#include "benchmarks/training/step_benchmark.hpp"

#include <cmath>

#include "benchmarks/training/run/throughput.hpp"
#include "benchmarks/training/step_marks.hpp"
#include "collectives/device/devices.hpp"
#include "kernels/base/random.hpp"
#include "kernels/optimizer/adamw.hpp"
#include "kernels/tensor/arrays.hpp"
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

/// All data of a step in one memory space.
template <class Space>
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
        std::vector<float> initial(static_cast<std::size_t>(setup.model.parameter_count()));
        fill_initial_weights(reference::ParameterLayout(setup.model), 1, 0, std::span(initial));
        master_ = Buffer<float, Space>(setup.model.parameter_count());
        write_array<float>(queue_, initial.data(), master_.data(), master_.size());
    }

    /// Waits for the queue at its end alone.
    void run(StepTiming& timing) {
        marks_.clear();
        marks_.set();
        model_.enqueue_forward(tokens_, targets_);
        marks_.set();
        model_.backward(1.0 / static_cast<double>(tokens_.size()));
        marks_.set();
        update();
        marks_.set();
        clear_array(queue_, model_.gradients().data(), std::ssize(model_.gradients()));
        marks_.set();
        const auto parts_s = marks_.intervals_s();
        timing.forward_s.push_back(parts_s[0]);
        timing.backward_s.push_back(parts_s[1]);
        timing.optimizer_s.push_back(parts_s[2]);
        timing.zeroing_s.push_back(parts_s[3]);
        if (step_ == 1) timing.first_loss = loss();
    }

    std::int64_t held_bytes() const {
        const reference::ModelMemory model = model_.memory();
        return model.weights_bytes + model.gradients_bytes + model.activations_bytes +
               first_moments_.size_bytes() + second_moments_.size_bytes() + master_.size_bytes();
    }

    /// Per token, before the newest step.
    double loss() { return model_.loss() / static_cast<double>(tokens_.size()); }

  private:
    void update() {
        const bool full = master_.size() == 0;
        const auto weights = full ? model_.weights() : master_.span();
        adamw_update<float>(
            queue_, {}, {++step_, 1e-4, {}},
            {weights, model_.gradients(), first_moments_.span(), second_moments_.span()});
        if (!full) model_.store_weights(weights);
    }

    typename Space::Queue queue_;
    Gpt<float, Space> model_;
    std::vector<Token> tokens_;
    std::vector<Target> targets_;
    Buffer<float, Space> first_moments_, second_moments_, master_;
    MarksOf<Space> marks_{queue_};
    std::int64_t step_ = 0;
};

template <class Space>
void steps_in(const collectives::Communicator& communicator, const StepSetup& setup,
              const std::function<void(std::int64_t)>& begins, StepTiming& timing) {
    GpuWatch gpus(setup.device);
    Step<Space> step(setup);
    gpus.begin();
    const auto prepare = [&] {
        gpus.lap();
        begins(std::ssize(timing.forward_s) + 1);
    };
    timing.step = measure(
        communicator, setup.policy, [&] { step.run(timing); }, prepare);
    timing.gpus = gpus.end(communicator, step.held_bytes());
    timing.last_loss = step.loss();
}

void steps_on_device(const collectives::Communicator& communicator, const StepSetup& setup,
                     const std::function<void(std::int64_t)>& begins, StepTiming& timing) {
#ifdef SHARDSTONE_HAS_CUDA
    if (setup.device == reference::DeviceKind::cuda) {
        steps_in<Cuda>(communicator, setup, begins, timing);
        return;
    }
#endif
    steps_in<Host>(communicator, setup, begins, timing);
}

/// Throws Error on all ranks if a GPU computes wrong.
BusyPeak peak_of(const collectives::Communicator& communicator, const StepSetup& setup) {
    if (setup.device == reference::DeviceKind::cpu) {
        return measure_busy_peak(communicator, setup.precision);
    }
    constexpr bool tf32 = false;
    BusyPeak peak = measure_gpu_peak(communicator, setup.precision, tf32);
    require_faultless(peak, communicator);
    // A step takes as long as the slowest rank's, which has the smallest share of a GPU.
    const auto& gpus = collectives::used_gpus();  // on rank 0
    const auto most = communicator.max(static_cast<double>(gpus.most_sharing));
    if (most < 2.0) return peak;
    const auto different = communicator.max(static_cast<double>(gpus.different));
    peak.core_flop_per_s *= communicator.size() / (different * most);
    peak.method += ", over the most ranks that share one";
    return peak;
}

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
    timing.peak = peak_of(communicator, setup);
    steps_on_device(communicator, setup, begins, timing);
    for (auto* part :
         {&timing.forward_s, &timing.backward_s, &timing.optimizer_s, &timing.zeroing_s}) {
        part->erase(part->begin(), part->begin() + timing.step.warmup_iterations);
    }
    timing.all_learn = communicator.min(timing.learns(setup) ? 1.0 : 0.0) > 0.0;
    timing.flop = reference::training_flop_per_token(setup.model, setup.sequence) *
                  static_cast<double>(setup.micro_batch * setup.sequence);
    timing.peak = better_of(timing.peak, peak_of(communicator, setup));
    return timing;
}

}  // namespace shardstone::benchmarks
