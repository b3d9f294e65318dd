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

It needs no MPI: the picture is of the same schedule that is proved, priced and run. Open it with a
browser; pointing at an arrow tells what the message carries.

Reading the picture
  rows       ranks, by node; columns are steps. A step is a round of the whole job in the schedule's
             count, not a length of time
  arrows     messages, from the sender at the start of the step to the receiver at its end; blue
             within a node, thicker and vermilion between nodes; the head is filled where what
             arrives is reduced into the receiver's data, hollow where it takes their place. Dashes
             tell channels apart, which run independently of each other
  labels     up to 8 ranks: the blocks that it carries; of an all-to-all a→b, what a has for b
  volume     the most that any rank sends, in lengths of the vector
  T          time by the cost model, in a message's latency (alpha), time per byte sent (beta) and
             reduced (gamma), primed between nodes. ≲ marks an upper estimate: different ranks are
             last in latency and in bytes
  segments   copies of the schedule on parts of the vector; the model says how far they overlap, the
             picture has each begin one step after the one before

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
    make_folder(figures);
    Files files{{folder / collectives::catalogue_file, collectives::catalogue()}};
    for (const auto& figure : collectives::catalogue_figures()) {
        files.emplace_back(figures / figure.file_name, figure.svg);
    }
    for (const auto& [path, text] : files) require_outputs_writable({path});
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
        app.add_option("algorithm", r.algorithm, "A name from `shardstone collectives --list`");
    app.add_option("--ranks", r.ranks, "How many ranks");
    app.add_option("--operation", r.operation, "The operation it is for")->capture_default_str();
    app.add_option("--ranks-per-node", r.ranks_per_node, "Nodes of so many ranks; 0: one node")
        ->capture_default_str();
    app.add_option("--segments", r.segments, "Cut the vector into so many segments")
        ->capture_default_str();
    app.add_option("-o,--output", r.output, "Write to this file; else to ALGORITHM-RANKS.svg here");
    app.add_option("--catalogue", r.catalogue, "Write the table of all algorithms to this folder")
        ->excludes(algorithm)
        ->excludes(app.get_option("--ranks"))
        ->excludes(app.get_option("--output"));
    declare_force(app);
    return [request] { return run(*request); };
}

const Registration registration({"draw", "Paint the schedule of a collective as SVG", details,
                                 declare, RunsOn::rank_0});

}  // namespace

}  // namespace shardstone::command::draw_command
