// SPDX-License-Identifier: BSD-3-Clause
// House rules for one source: direction of includes, owners of foreign headers, lengths, licence.
#include "validation/lint/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "validation/lint/functions.hpp"

namespace shardstone::validation {

namespace {

constexpr int most_lines = 300;
constexpr int most_lines_of_functions = 45;

/// A folder and what its files may include of this project, beside those next to them; the first
/// that matches decides. Rooms of a folder stand on each other in one direction, too.
struct Direction {
    std::string_view folder;
    std::vector<std::string_view> may_include;
};

std::vector<Direction> rooms_of_kernels() {
    return {
        {"kernels/base/device/", {"kernels/base/"}},
        {"kernels/base/", {}},
        {"kernels/tensor/", {"kernels/base/"}},
        {"kernels/gemm/", {"kernels/base/", "kernels/tensor/"}},
        {"kernels/", {"kernels/base/", "kernels/tensor/", "kernels/gemm/"}},
    };
}

std::vector<Direction> rooms_of_collectives() {
    constexpr std::string_view base = "kernels/base/", reduction = "collectives/reduction/",
                               cluster = "collectives/cluster/", device = "collectives/device/",
                               schedule = "collectives/schedule/",
                               operation = "collectives/operation/",
                               executors = "collectives/executors/",
                               simulation = "collectives/simulation/",
                               pricing = "collectives/pricing/";
    return {
        {reduction, {base}},
        {cluster, {base}},
        {device, {base, reduction}},
        {"collectives/watchdog/", {base, cluster}},
        {"collectives/session/", {base, cluster, "collectives/watchdog/"}},
        {schedule, {base, cluster}},
        {operation, {base, reduction, cluster, schedule}},
        {"collectives/proof/", {base, schedule, operation}},
        {executors, {base, reduction, cluster, device, schedule, operation, executors}},
        {simulation, {base, cluster, schedule, operation}},
        {pricing, {base, cluster, schedule, operation, simulation}},
        {"collectives/drawing/", {base, cluster, schedule, operation, simulation, pricing}},
        {"collectives/", {base, cluster, schedule, operation, executors}},  // algorithms
    };
}

std::vector<Direction> rooms_of_reference() {
    constexpr std::string_view precision = "reference/precision/", model = "reference/model/",
                               step = "reference/step/";
    return {
        {precision, {"kernels/"}},
        {"reference/model/context/", {"kernels/", precision, model}},
        {"reference/model/experts/", {"kernels/", precision, model}},
        {model, {"kernels/", precision}},
        {"reference/data/", {"kernels/", "results/record/", "results/format/", model}},
        {step, {"kernels/", "collectives/", precision, model, step}},
        {"reference/strategies/", {"kernels/", precision, model, step}},
        {"reference/", {"kernels/", "collectives/", "reference/"}},
    };
}

std::vector<Direction> rooms_of_results() {
    constexpr std::string_view base = "kernels/base/", record = "results/record/",
                               schema = "results/schema/", format = "results/format/",
                               journal = "results/journal/", report = "results/report/",
                               inventory = "results/inventory/", recompute = "results/recompute/";
    return {
        {record, {base}},
        {schema, {base, record}},
        {format, {base, record, schema}},
        {journal, {base, record, schema, format}},
        {"results/compare/", {base, record, schema, format, report}},
        {inventory, {base, record, schema, format}},
        {recompute, {base, record, schema, inventory}},
        {"results/bundle/", {base, record, schema, format, "results/convert/", report, recompute}},
        {"results/", {base, record, schema, format, journal}},
    };
}

const std::vector<Direction>& directions() {
    static const auto table = [] {
        std::vector<Direction> all;
        for (const auto& rooms : {rooms_of_kernels(), rooms_of_collectives(), rooms_of_reference(),
                                  rooms_of_results()}) {
            all.insert(all.end(), rooms.begin(), rooms.end());
        }
        std::vector<std::string_view> below{"kernels/", "collectives/", "results/", "reference/"};
        all.push_back({"jobs/submit/", below});
        // Tests of what is in `jobs` but no command.
        std::vector<std::string_view> tested = below;
        tested.insert(tested.end(), {"benchmarks/", "validation/", "jobs/submit/"});
        for (const char* tests : {"validation/unit/jobs/", "validation/fuzz/"}) {
            all.push_back({tests, tested});
        }
        for (const char* folder : {"benchmarks/", "validation/", "jobs/"}) {
            below.push_back(folder);
            all.push_back({folder, below});
        }
        return all;
    }();
    return table;
}

/// A foreign header (by how its name begins) and the folders that may include it; of a GPU's
/// toolkit, only their sources for it.
struct Owner {
    std::string_view header;
    std::vector<std::string_view> folders;
    bool for_cuda_sources = false;
};

const std::vector<Owner>& owners() {
    static const std::vector<Owner> table{
        {"mpi.h",
         {"collectives/", "benchmarks/collectives/rivals/", "validation/emulated_device/"}},
        {"simgrid/", {"benchmarks/collectives/simgrid/"}},
        {"smpi/", {"benchmarks/collectives/simgrid/"}},
        {"gloo/", {"benchmarks/collectives/rivals/"}},
        {"Kokkos_", {"kernels/tensor/"}},
        {"oneapi/dnnl", {"kernels/gemm/"}},
        {"cblas", {"kernels/gemm/"}},
        {"hdf5",
         {"results/record/", "results/format/", "reference/checkpoint/", "validation/fuzz/"}},
        {"hwloc", {"results/record/", "collectives/cluster/"}},
        {"toml++", {"collectives/cluster/"}},
        {"zip.h", {"results/bundle/"}},
        {"openssl/", {"results/bundle/"}},
        {"CLI/", {"jobs/"}},
        {"benchmark/", {"benchmarks/"}},
        {"boost/", {"kernels/base/", "validation/emulated_device/"}},
        {"gtest/", {"validation/"}},
        {"cuda",
         {"kernels/", "collectives/", "validation/emulated_device/",
          "validation/unit/emulated_device/"},
         true},
        {"cublas", {"kernels/gemm/", "validation/emulated_device/"}, true},
        {"nccl", {"collectives/executors/nccl/", "validation/emulated_device/"}, true},
    };
    return table;
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& prefixes) {
    return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

/// What a build without CUDA leaves out: *.cu, *_cuda.cpp with its header, what kernels for the GPU
/// are written in, the emulated one, and their tests.
bool is_cuda_source(std::string_view path) {
    for (const std::string_view folder : {"kernels/base/device/", "validation/emulated_device/",
                                          "validation/unit/emulated_device/"}) {
        if (path.starts_with(folder)) return true;
    }
    const auto holds = [&](std::string_view part) {
        return path.find(part) != std::string_view::npos;
    };
    return path.ends_with(".cu") || holds("_cuda.") || holds("_cuda_test.");
}

/// The name between the quotes or brackets of an include line, or nothing.
std::string_view included(std::string_view line) {
    constexpr std::string_view directive = "#include ";
    if (!line.starts_with(directive)) return {};
    const auto name = line.substr(directive.size());
    const auto end = name.find_first_of("\">", 1);
    return end == std::string_view::npos ? std::string_view{} : name.substr(1, end - 1);
}

/// Of sources; headers say it of what they declare.
bool opens_with_its_purpose(std::string_view path, std::string_view text) {
    if (!path.ends_with(".cpp") && !path.ends_with(".cu")) return true;
    const auto second = text.find('\n');
    return second != std::string_view::npos && text.substr(second + 1).starts_with("// ");
}

void check_include(std::string_view path, std::string_view header, std::vector<std::string>& out) {
    const bool ours = std::ranges::any_of(
        directions(), [&](const Direction& d) { return header.starts_with(d.folder); });
    if (ours) {
        const auto rule = std::ranges::find_if(
            directions(), [&](const Direction& d) { return path.starts_with(d.folder); });
        if (rule != directions().end() &&
            !header.starts_with(path.substr(0, path.rfind('/') + 1)) &&
            !starts_with_any(header, rule->may_include)) {
            out.push_back(fmt::format("{}: {} may not include {}", path, rule->folder, header));
        }
        if (is_cuda_source(header) && !is_cuda_source(path)) {
            out.push_back(fmt::format("{}: only *.cu and *_cuda.* may include {}", path, header));
        }
        return;
    }
    for (const Owner& owner : owners()) {
        if (!header.starts_with(owner.header)) continue;
        if (!starts_with_any(path, owner.folders)) {
            out.push_back(fmt::format("{}: {} belongs to {} only", path, header,
                                      fmt::join(owner.folders, ", ")));
        } else if (owner.for_cuda_sources && !is_cuda_source(path)) {
            out.push_back(fmt::format("{}: only *.cu and *_cuda.* may include {}", path, header));
        }
    }
}

/// A median by hand once counted the upper of the two middle samples, in three places.
void check_statistics(std::string_view path, std::string_view line, std::vector<std::string>& out) {
    // In two pieces, so that this line is not found itself.
    constexpr std::string_view by_hand =
        "::nth_"
        "element(";
    if (line.find(by_hand) == std::string_view::npos || path.starts_with("kernels/base/")) return;
    out.push_back(
        fmt::format("{}: medians and quantiles come from kernels/base/statistics.hpp", path));
}

}  // namespace

std::vector<std::string> lint_source(std::string_view path, std::string_view text) {
    std::vector<std::string> findings;
    if (text.substr(0, text.find('\n')).find("SPDX-License-Identifier: BSD-3-Clause") ==
        std::string_view::npos) {
        findings.push_back(fmt::format("{}: the first line must hold the SPDX licence", path));
    }
    if (!opens_with_its_purpose(path, text)) {
        findings.push_back(fmt::format("{}: the second line must say what the file is for", path));
    }
    int lines = 0;
    for (std::size_t begin = 0; begin < text.size(); ++lines) {
        const auto end = std::min(text.find('\n', begin), text.size());
        const auto line = text.substr(begin, end - begin);
        const auto header = included(line);
        if (!header.empty()) check_include(path, header, findings);
        check_statistics(path, line, findings);
        begin = end + 1;
    }
    if (lines > most_lines) {
        findings.push_back(fmt::format("{}: {} lines, over {}: split it", path, lines, most_lines));
    }
    for (const FunctionExtent& one : functions_of(text)) {
        if (one.lines <= most_lines_of_functions) continue;
        findings.push_back(fmt::format("{}:{}: a function of {} lines, over {}: split it: {}", path,
                                       one.line, one.lines, most_lines_of_functions,
                                       one.first_line));
    }
    return findings;
}

}  // namespace shardstone::validation
