// SPDX-License-Identifier: BSD-3-Clause
// `shardstone study batch-size`: how many steps and tokens a target loss takes.
#include "jobs/command/study_batch_size.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "benchmarks/training/batch_record.hpp"
#include "collectives/cluster/communicator.hpp"
#include "jobs/command/device_option.hpp"
#include "jobs/command/health.hpp"
#include "jobs/command/number_option.hpp"
#include "jobs/command/progress.hpp"
#include "jobs/command/resume.hpp"
#include "jobs/command/run_journal.hpp"
#include "jobs/command/run_record.hpp"
#include "jobs/command/stopped.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/failure_log.hpp"
#include "kernels/base/interrupt.hpp"
#include "reference/data/markov.hpp"
#include "results/journal/resume.hpp"

namespace shardstone::command {

namespace {

using namespace benchmarks;
using collectives::Communicator;
using reference::Dataset;
using reference::Token;

struct BatchSizeArguments {
    BatchStudy study{.training = {}, .batches = {4, 8, 16, 32, 64, 128}};
    std::string model = "nano", optimizer = "adamw", rate_scaling = "sqrt", device = "cpu";
    double excess = 0.05;
    int order = 1, symbols = 32;
    std::int64_t tokens = 1 << 20;
    std::filesystem::path json, hdf5;
    std::string resume;  ///< journal or record of the study that this one goes on from
};

/// The same text on every rank, a tenth of it held out.
Dataset text_in(const reference::MarkovLanguage& language, std::int64_t tokens,
                std::uint64_t seed) {
    std::vector<Token> train(static_cast<std::size_t>(tokens)), held_out(train.size() / 10);
    language.generate(RandomStream(seed, "train"), 0, 0, train);
    language.generate(RandomStream(seed, "held out"), 0, 0, held_out);
    return Dataset::from_tokens("synthetic", language.symbols(), std::move(train),
                                std::move(held_out));
}

void require_sizes(const BatchStudy& study, int replicas) {
    require(!study.batches.empty() && !study.factors.empty(), "give --batches and --factors");
    for (const double factor : study.factors) {
        require(std::isfinite(factor) && factor > 0.0,
                [&] { return fmt::format("--factors {}: give positive numbers", factor); });
    }
    require(study.noise_small > 0 && study.noise_big % study.noise_small == 0 &&
                study.noise_small < study.noise_big && study.noise_pairs > 1,
            [&] {
                return fmt::format(
                    "--noise-small {}, --noise-big {}, --noise-pairs {}: give a small batch, a "
                    "multiple of it and at least 2 pairs",
                    study.noise_small, study.noise_big, study.noise_pairs);
            });
    for (const std::int64_t batch : study.batches) {
        require(batch > 0 && batch % replicas == 0, [&] {
            return fmt::format("--batches {}: not divisible by {} ranks", batch, replicas);
        });
    }
    require(study.noise_batch > 0 && study.noise_batch % replicas == 0, [&] {
        return fmt::format("--base-batch {}: give a multiple of the {} ranks", study.noise_batch,
                           replicas);
    });
}

BatchStudy resolve(const BatchSizeArguments& arguments, const Dataset& text, double optimum,
                   int replicas) {
    BatchStudy study = arguments.study;
    reference::TrainOptions& training = study.training;
    require(arguments.excess > 0.0,
            [&] { return fmt::format("--target {} must be positive", arguments.excess); });
    study.target_loss = (1.0 + arguments.excess) * optimum;
    training.device = reference::parse_device(arguments.device);
    training.model = reference::gpt_preset(arguments.model);
    training.model.vocabulary = arguments.symbols;
    training.batch.sequence = std::min(training.batch.sequence, training.model.context);
    training.optimizer.rate_scaling = parse_rate_scaling(arguments.rate_scaling);
    training.graphs = training.device == reference::DeviceKind::cuda && may_use_graphs(training);
    study.noise_batch = training.optimizer.base_batch;
    if (training.optimizer.rate_scaling == RateScaling::none) training.optimizer.base_batch = 0;
    choose_optimizer(training, parse_optimizer(arguments.optimizer));
    require_sizes(study, replicas);
    for (const std::int64_t batch : study.batches) {
        validate(batch_training(study, replicas, batch, study.factors.front()), replicas, text);
    }
    return study;
}

int report(const BatchSizeArguments& arguments, const BatchStudy& study, const BatchResult& result,
           results::Record& record) {
    if (result.interrupted && result.points.empty()) return end_without_record("measured");
    fill_batch_record(study, result, record);
    if (!result.interrupted) {
        fmt::print("{}\n", batch_summary(study, result));
        for (const results::Check& check : record.verification) {
            fmt::print("{}  {} ({})\n", check.passed ? "passed" : "FAILED", check.name,
                       check.detail);
        }
    }
    write_record(record, arguments.json, arguments.hdf5);
    if (!result.interrupted) return record.verified() ? 0 : 1;
    const auto done = progress_of(study, result.points.size(), result.noise.size());
    say_failure(("stopped by SIGINT or SIGTERM: " + done).c_str(), /*with_rank=*/false);
    return number_of(ExitCode::interrupted);
}

struct Task {
    Dataset text;
    BatchStudy study;
};

Task task_of(const BatchSizeArguments& arguments, const Communicator& world) {
    if (world.is_root()) {
        require_outputs_writable({arguments.json, arguments.hdf5}, {}, arguments.resume);
        require_output_for_resumed(arguments.resume, arguments.json, arguments.hdf5);
    }
    const std::uint64_t seed = arguments.study.training.seed;
    const reference::MarkovLanguage language(arguments.order, arguments.symbols, seed);
    constexpr std::int64_t most_tokens = std::int64_t{1} << 30;  // held in memory
    require(arguments.tokens > 0 && arguments.tokens <= most_tokens, [&] {
        return fmt::format("--tokens {}: give 1 to {}", arguments.tokens, most_tokens);
    });
    Dataset text = text_in(language, arguments.tokens, seed);
    BatchStudy study = resolve(arguments, text, language.entropy_rate_nats(), world.size());
    return {std::move(text), std::move(study)};
}

void print_head(const BatchSizeArguments& arguments, const BatchStudy& study) {
    const reference::TrainOptions& training = study.training;
    fmt::print(
        "model '{}', {} parameters; {} by {} at {:.3g} for {} sequences of {} tokens\n"
        "target {:.4f} nats per token on held-out text, {:.1f} % above the entropy rate\n\n{}",
        training.model.name, training.model.parameter_count(), to_string(training.optimizer.kind),
        to_string(training.optimizer.rate_scaling), training.optimizer.learning_rate,
        arguments.study.training.optimizer.base_batch, training.batch.sequence, study.target_loss,
        100.0 * arguments.excess, batch_heading());
}

/// The record as far as it goes before the first batch size; its journal is begun. For rank 0.
results::Record begin(const BatchSizeArguments& arguments, const BatchStudy& study,
                      const std::string& title, const Communicator& world) {
    auto record = new_run_record("batch-size", title, world);
    begin_batch_record(study, record);
    record.configuration["order"] = arguments.order;
    record.configuration["tokens"] = arguments.tokens;
    std::size_t finished = 0;
    if (!arguments.resume.empty()) {
        continue_record(record, earlier_run(arguments.resume, record.kind).record,
                        arguments.resume);
        // The noise is measured on a training, which is not gone on with.
        std::erase_if(record.derived, [](const auto& table) { return table.name != "batches"; });
        finished = batch_points(batch_points_text(record)).size();
    }
    const std::string done = progress_of(study, finished, 0);
    if (!arguments.resume.empty()) fmt::print("continues from {}: {}\n", arguments.resume, done);
    begin_journal(record, done, arguments.json, arguments.hdf5);
    return record;
}

/// What goes to the screen, and to the journal, while the study runs.
BatchObserver observer_of(const BatchStudy& study, std::size_t finished, ProgressLine& progress,
                          const Communicator& world) {
    if (!world.is_root()) return {[](const auto&) {}, [](const auto&) {}, [](const auto&) {}};
    const auto done = std::make_shared<std::pair<std::size_t, std::size_t>>(finished, 0);
    return {[&study, done](const BatchPoint& point) {
                fmt::print("{}", batch_row(point, study.training.batch.sequence));
                std::fflush(stdout);
                add_to_journal(part_of(study, point),
                               progress_of(study, ++done->first, done->second));
            },
            [&study, done](const NoisePoint& point) {
                add_to_journal(part_of(point), progress_of(study, done->first, ++done->second));
            },
            [&progress](const std::string& what) { progress.say(what); }};
}

int run(Communicator& world, const BatchSizeArguments& arguments) {
    const Task task = world.agree([&] { return task_of(arguments, world); });
    const reference::DeviceKind device = task.study.training.device;
    require_device(world, device);
    const auto title = title_on(world, device, "Steps and tokens to a target loss");
    auto record = world.agree([&] {
        return world.is_root() ? begin(arguments, task.study, title, world) : results::Record{};
    });
    if (world.is_root()) print_head(arguments, task.study);
    const auto finished = batch_points(world.broadcast(batch_points_text(record)));
    for (const BatchPoint& point : finished) {
        if (!world.is_root()) break;
        fmt::print("{}", batch_row(point, task.study.training.batch.sequence, "  earlier"));
    }
    catch_interrupts("this step; this batch size is discarded");
    enter_phase("studying");
    ProgressLine progress(world.is_root(), "starting");
    const BatchResult result =
        run_batch_study(world, task.study, task.text, finished,
                        observer_of(task.study, finished.size(), progress, world));
    end_health(world);
    const int code = world.agree(
        [&] { return world.is_root() ? report(arguments, task.study, result, record) : 0; });
    return static_cast<int>(world.max(code));
}

void declare_training(CLI::App& app, BatchSizeArguments& arguments) {
    reference::TrainOptions& training = arguments.study.training;
    training.batch.sequence = 32;
    training.eval_sequences = 256;
    training.optimizer.learning_rate = 8e-3;
    training.optimizer.base_batch = 16;
    training.optimizer.weight_decay = 0.0;
    const auto add = [&](const char* name, auto& value, const char* text) {
        app.add_option(name, value, text)->capture_default_str();
    };
    add("--model", arguments.model, "preset");
    add("--sequence", training.batch.sequence, "tokens per sequence");
    add("--order", arguments.order, "preceding symbols on which the next one depends");
    add("--symbols", arguments.symbols, "number of symbols of the language");
    add("--tokens", arguments.tokens, "tokens of text to train on; a tenth as many are held out");
    add("--optimizer", arguments.optimizer, optimizer_names().c_str());
    add("--lr", training.optimizer.learning_rate, "constant learning rate at --base-batch");
    add("--scale-rate", arguments.rate_scaling,
        "scaling of the rate with the batch: none, linear, sqrt");
    add("--base-batch", training.optimizer.base_batch,
        "batch for which --lr is given; the noise is measured while training at it");
    add("--warmup", training.optimizer.warmup_steps, "steps of linear warm-up");
    add("--device", arguments.device, "cpu: each rank trains on a core; cuda: on a GPU");
    add("--seed", training.seed, "seed of language, weights and sequences");
}

}  // namespace

const char* const batch_size_details = R"(batch-size
  Steps and tokens that a language model needs to reach a target loss, by batch size, on a synthetic
  language whose best loss is known. At each batch size the scaled learning rate is tried times each
  of --factors, and the best counts. The gradient noise scale is estimated as well, from the norms of
  the gradients of small and large batches (McCandlish et al. 2018): it should predict the batch size
  beyond which a larger one costs more tokens than it saves steps.
  mpiexec -n 2 shardstone study batch-size
  mpiexec -n 2 shardstone study batch-size --batches 4,16,64 --optimizer lamb --lr 1e-2
  mpiexec -n 2 shardstone study batch-size --device cuda --model tiny
  mpiexec -n 2 shardstone study batch-size --json b.json --resume b.json.journal
  With --device cuda the ranks train on GPUs, every step but the first as a CUDA graph; the noise is
  measured on their cores.
  Stopped by SIGINT or SIGTERM it ends with 130 and an incomplete record, which --resume also accepts:
  batch sizes in it are not trained again, the noise is measured anew. Before the first batch size is
  finished there is no record.)";

std::function<int()> declare_batch_size(CLI::App& app) {
    const auto arguments = std::make_shared<BatchSizeArguments>();
    BatchStudy& study = arguments->study;
    const auto add = [&](const char* name, auto& value, const char* text) {
        return app.add_option(name, value, text)->capture_default_str();
    };
    add("--batches", study.batches, "sequences per step")->delimiter(',');
    add("--target", arguments->excess, "loss to reach, as a fraction above the entropy rate");
    add("--factors", study.factors, "factors tried on the rate; the best counts")->delimiter(',');
    add("--most-sequences", study.most_sequences, "sequences after which a training is abandoned")
        ->check(whole_number(1));
    add("--eval-every", study.eval_sequences, "sequences between evaluations")
        ->check(whole_number(1));
    add("--noise-pairs", study.noise_pairs, "large batches per estimate of the noise");
    add("--noise-small", study.noise_small, "sequences per small batch");
    add("--noise-big", study.noise_big, "sequences per large batch");
    declare_training(app, *arguments);
    app.add_option("--json", arguments->json, "record as JSON");
    app.add_option("--hdf5", arguments->hdf5, "record as HDF5");
    declare_force(app);
    declare_resume(app, arguments->resume);
    return [arguments] {
        return run_recorded([&](Communicator& world) { return run(world, *arguments); });
    };
}

}  // namespace shardstone::command
