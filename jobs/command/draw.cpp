// SPDX-License-Identifier: BSD-3-Clause
// `shardstone draw`: paints the schedule of a collective.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "collectives/drawing/catalogue.hpp"
#include "collectives/drawing/drawing.hpp"
#include "collectives/drawing/request.hpp"
#include "jobs/command/command.hpp"
#include "jobs/command/outputs.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::command::draw_command {

namespace {

constexpr const char* details = R"(Examples
  shardstone draw ring --ranks 8
  shardstone draw hierarchical:ring/rabenseifner --ranks 8 --ranks-per-node 4 -o hierarchical.svg
  shardstone draw bruck --operation all_to_all --ranks 5
  shardstone draw double_binary_tree --ranks 8 --segments 4
  shardstone draw --catalogue reference --force

Needs no MPI: the figure shows the same schedule that is proved, priced and run. Open it in a
browser; hovering over an arrow shows the contents of the message.

Reading the figure
  rows       ranks, by node; columns are steps. A step is a round of the whole job as the schedule
             counts them, not a length of time
  arrows     messages, from the sender at the start of the step to the receiver at its end; blue
             within a node, thicker and vermilion between nodes; the head is filled if the data are
             reduced into the receiver's, hollow if they replace it. Dashes distinguish channels,
             which run independently of each other
  labels     up to 8 ranks: the blocks carried; in an all-to-all a→b is the data from a for b
  volume     the most that any rank sends, in lengths of the vector
  T          time by the cost model, in a message's latency (alpha), time per byte sent (beta) and
             reduced (gamma), primed between nodes. ≲ marks an upper estimate: different ranks are
             last in latency and in bytes
  segments   copies of the schedule on parts of the vector; the model estimates how far they overlap,
             the figure starts each one step after the one before

--catalogue FOLDER writes algorithms.md, the table of all algorithms, and figures/ below it.

Exit codes: shardstone --help)";

struct Request : collectives::DrawRequest {
    std::string output;
    std::string catalogue;
};

/// Of what is to be written where.
using Files = std::vector<std::pair<std::filesystem::path, std::string>>;

void write(const std::filesystem::path& path, const std::string& text) {
    results::write_file(path, text);
    fmt::print("{}: {} bytes\n", path.string(), text.size());
}

int write_catalogue(const std::filesystem::path& folder) {
    const auto figures = folder / collectives::figures_folder;
    Files files{{folder / collectives::catalogue_file, collectives::catalogue()}};
    for (const auto& figure : collectives::catalogue_figures()) {
        files.emplace_back(figures / figure.file_name, figure.svg);
    }
    make_folder(figures, [&] {
        for (const auto& [path, text] : files) require_outputs_writable({path});
    });
    for (const auto& [path, text] : files) write(path, text);
    return 0;
}

int run(const Request& request) {
    if (!request.catalogue.empty()) return write_catalogue(request.catalogue);
    const auto plan = collectives::plan_drawing(request);
    const std::string output = request.output.empty()
                                   ? collectives::drawing_name(plan.algorithm, request.ranks)
                                   : request.output;
    require_outputs_writable({output});
    write(output, collectives::draw(plan.algorithm, plan.topology, plan.segments));
    return 0;
}

std::function<int()> declare(CLI::App& app) {
    const auto request = std::make_shared<Request>();
    Request& r = *request;
    auto* algorithm =
        app.add_option("algorithm", r.algorithm, "Algorithm from `shardstone collectives --list`");
    app.add_option("--ranks", r.ranks, "Number of ranks");
    app.add_option("--operation", r.operation, "Operation of the algorithm")->capture_default_str();
    app.add_option("--ranks-per-node", r.ranks_per_node, "Ranks per node; 0: one node")
        ->capture_default_str();
    app.add_option("--segments", r.segments, "Number of segments of the vector")
        ->capture_default_str();
    app.add_option("-o,--output", r.output, "Output file (default: ALGORITHM-RANKS.svg here)");
    app.add_option("--catalogue", r.catalogue, "Write the table of all algorithms to this folder")
        ->excludes(algorithm)
        ->excludes(app.get_option("--ranks"))
        ->excludes(app.get_option("--output"));
    declare_force(app);
    return [request] { return run(*request); };
}

const Registration registration({"draw", "Draw the schedule of a collective as SVG", details,
                                 declare, RunsOn::rank_0});

}  // namespace

}  // namespace shardstone::command::draw_command
