// SPDX-License-Identifier: BSD-3-Clause
// `train --export`: weights, gradients, moments and losses of a training as tensor files.
#include "jobs/command/train_export.hpp"

#include <fmt/format.h>

#include "jobs/command/tensor_file.hpp"

namespace shardstone::command {

namespace {

using namespace reference;

template <class Real>
void add_state(const ModelState<Real>& state, const GptConfig& model, TensorFile& file) {
    const ParameterLayout layout(model);
    const auto add = [&](const char* kind, std::span<const Real> values) {
        if (!values.empty()) file.add_parameters<Real>(kind, layout, values);
    };
    add("weight", state.weights);
    add("gradient", state.gradients);
    add("first_moment", state.first_moments);
    add("second_moment", state.second_moments);
}

}  // namespace

void export_training(const std::filesystem::path& folder, const TrainOptions& options,
                     const benchmarks::TrainingResult& result, const nlohmann::json& data) {
    TensorFile file(folder);
    if (const auto* wide = std::get_if<ModelState<double>>(&result.final_state)) {
        add_state(*wide, options.model, file);
    } else {
        add_state(std::get<ModelState<float>>(result.final_state), options.model, file);
    }
    std::vector<double> losses;
    for (const StepReport& step : result.steps) losses.push_back(step.loss);
    nlohmann::json about = sizes_of(options.model);
    about["precision"] = options.precision.name;
    about["steps"] = options.steps;
    about["seed"] = options.seed;
    about["losses"] = losses;
    about["data"] = data;
    const std::size_t tensors = file.tensors();
    file.commit(std::move(about));
    fmt::print("{}: {} tensors after step {}\n", folder.string(), tensors, options.steps);
}

}  // namespace shardstone::command
