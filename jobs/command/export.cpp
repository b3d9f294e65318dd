// SPDX-License-Identifier: BSD-3-Clause
// `shardstone export`: one micro-batch with weights, loss and gradients, for others to check.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "jobs/command/tensor_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "kernels/transformer/cross_entropy.hpp"
#include "reference/model/gpt.hpp"
#include "reference/model/initial_weights.hpp"
#include "reference/precision/precision.hpp"

namespace shardstone::command::export_command {

namespace {

using namespace reference;

std::string details() {
    return fmt::format(R"(Examples
  shardstone export --model nano --micro-batch 2 --sequence 32 --out oracle
  validation/numerics/pytorch_oracle.py oracle

Draws initial weights and random tokens, runs one forward and backward pass on one core in FP32, FP64
or, from the same FP32 weights, in BF16 or FP16 as `train` does, and writes into the folder
{}
Beside the sizes stands the mean loss per target that counts. Tensors: tokens and targets (B, T), a
target of -1 counting nothing; weight/NAME and gradient/NAME of every parameter, gradients those of
the mean loss. 'shardstone train --export' writes the same of a trained model.)",
                       tensor_file_format);
}

struct Request {
    std::string model = "nano";
    std::int64_t micro_batch = 2;
    std::int64_t sequence = 32;
    std::int64_t ignored = 3;
    std::uint64_t seed = 1;
    bool fp64 = false;
    std::string precision = "fp32";
    std::filesystem::path folder;
};

template <class T>
std::vector<T> random_symbols(const Request& request, const GptConfig& model, const char* name) {
    const RandomStream stream(request.seed, name);
    std::vector<T> symbols(static_cast<std::size_t>(request.micro_batch * request.sequence));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        symbols[i] = static_cast<T>(stream.below(static_cast<std::uint64_t>(model.vocabulary), i));
    }
    return symbols;
}

template <class Real>
void write_tensors(const Request& request, const GptConfig& config) {
    const auto tokens = random_symbols<Token>(request, config, "export/tokens");
    auto targets = random_symbols<Target>(request, config, "export/targets");
    std::fill_n(targets.end() - request.ignored, request.ignored, ignored_target);
    const auto counted = static_cast<double>(std::ssize(targets) - request.ignored);

    const ParameterLayout layout(config);
    std::vector<Real> weights(static_cast<std::size_t>(layout.count()));
    fill_initial_weights(layout, request.seed, 0, std::span(weights));
    Gpt<Real> model(config, request.micro_batch, request.sequence,
                    find_precision(request.precision));
    model.set_weights(weights);
    const double loss = model.forward(tokens, targets) / counted;
    model.backward(1.0 / counted);

    TensorFile file(request.folder);
    const std::vector<std::int64_t> shape{request.micro_batch, request.sequence};
    file.add<Token>("tokens", "u2", shape, tokens);
    file.add<Target>("targets", "i4", shape, targets);
    file.add_parameters<Real>("weight", layout, weights);
    file.add_parameters<Real>("gradient", layout, model.gradients());
    const std::size_t tensors = file.tensors();
    nlohmann::json about = sizes_of(config);
    about["precision"] = sizeof(Real) == 8 ? "fp64" : request.precision;
    about["loss"] = loss;
    file.commit(std::move(about));
    fmt::print("{}: loss {:.9f}, {} tensors\n", request.folder.string(), loss, tensors);
}

int run(const Request& request) {
    const GptConfig config = gpt_preset(request.model);
    constexpr std::int64_t most_sequences = 1024;
    require(request.micro_batch <= most_sequences, [&] {
        return fmt::format("--micro-batch {}: give at most {}", request.micro_batch,
                           most_sequences);
    });
    const std::int64_t positions = request.micro_batch * request.sequence;
    require(request.micro_batch > 0 && request.sequence > 0 && request.sequence <= config.context &&
                request.ignored >= 0 && request.ignored < positions,
            [&] {
                return fmt::format(
                    "--micro-batch {}, --sequence {} and --ignored {}: give positive sizes, at "
                    "most {} positions per sequence, and at least one target that counts",
                    request.micro_batch, request.sequence, request.ignored, config.context);
            });
    const Precision& precision = find_precision(request.precision);
    const bool wide = request.fp64 || precision.fp64;
    require(!wide || precision.storage == Storage::full, [&] {
        return fmt::format("--fp64 and --precision {}: give one of them", precision.name);
    });
    require(!precision.fp8_products, [&] {
        return fmt::format("--precision {}: give fp32, bf16, bf16-stream, fp16 or fp64",
                           precision.name);
    });
    make_folder(request.folder, [&] {
        require_outputs_writable({request.folder / "tensors.bin", request.folder / "tensors.json"});
    });
    wide ? write_tensors<double>(request, config) : write_tensors<float>(request, config);
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    app.add_option("--model", request->model, "preset")->capture_default_str();
    app.add_option("--micro-batch", request->micro_batch, "number of sequences")
        ->capture_default_str();
    app.add_option("--sequence", request->sequence, "positions per sequence")
        ->capture_default_str();
    app.add_option("--ignored", request->ignored,
                   "positions at the end that are masked out of the loss")
        ->capture_default_str();
    app.add_option("--seed", request->seed, "seed of weights and tokens")->capture_default_str();
    app.add_flag("--fp64", request->fp64, "compute in FP64 instead of FP32");
    app.add_option("--precision", request->precision,
                   "operand type of products: fp32, bf16, bf16-stream, fp16, fp64")
        ->capture_default_str();
    app.add_option("--out", request->folder, "output folder for the two files")->required();
    declare_force(app);
    return [request] { return run(*request); };
}

const Registration registration{
    {"export", "Export weights, loss and gradients of a micro-batch for other programs to check",
     details(), declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::export_command
