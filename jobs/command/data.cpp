// SPDX-License-Identifier: BSD-3-Clause
// `shardstone data`: text or a synthetic language to token shards, and what is in them.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "jobs/command/command.hpp"
#include "jobs/command/data_order.hpp"
#include "jobs/command/number_option.hpp"
#include "kernels/base/units.hpp"
#include "reference/data/corpus.hpp"
#include "reference/data/dataset.hpp"
#include "reference/data/synthetic.hpp"

namespace shardstone::command::data_command {

namespace {

using namespace reference;

struct DataOptions {
    std::vector<std::filesystem::path> paths;
    std::filesystem::path folder;
    std::string shard_size = "64M";
    double validation_fraction = PrepareOptions{}.validation_fraction;
    SyntheticOptions synthetic;
    OrderOptions order;
};

/// One folder passed over is one line; the rest are counted by reason.
void print_skipped(const Corpus& corpus) {
    constexpr std::size_t most_lines = 20;
    for (std::size_t i = 0; i < corpus.skipped.size() && i < most_lines; ++i) {
        const auto& [path, reason] = corpus.skipped[i];
        fmt::print("skipped {} ({})\n", path.string(), reason);
    }
    if (corpus.skipped.size() > most_lines) {
        fmt::print("skipped {} more\n", corpus.skipped.size() - most_lines);
    }
}

void print_part(const char* name, const std::vector<ShardInfo>& shards) {
    fmt::print("{:<14}{} tokens in {} shards\n", name, token_count(shards), shards.size());
    for (const auto& shard : shards) {
        fmt::print("    {:<24}{:>12} tokens   XXH3 {}\n", shard.file, shard.tokens,
                   to_hex(shard.checksum));
    }
}

void print_manifest(const Manifest& manifest) {
    fmt::print("{:<14}{}\n{:<14}{}\n", "source", manifest.source, "vocabulary",
               manifest.vocabulary);
    if (manifest.entropy_rate_nats) {
        fmt::print("{:<14}{:.6f} nats per token: the loss of a perfect model\n", "entropy rate",
                   *manifest.entropy_rate_nats);
    }
    print_part("train", manifest.train);
    print_part("validation", manifest.validation);
}

int prepare(const DataOptions& options) {
    const Corpus corpus = collect_text(options.paths);
    print_skipped(corpus);
    const PrepareOptions settings{parse_size_bytes(options.shard_size),
                                  options.validation_fraction};
    print_manifest(prepare_text(corpus, settings, options.folder));
    return 0;
}

int synthesise(const DataOptions& options) {
    SyntheticOptions settings = options.synthetic;
    settings.shard_size_bytes = parse_size_bytes(options.shard_size);
    settings.validation_fraction = options.validation_fraction;
    print_manifest(prepare_synthetic(settings, options.folder));
    return 0;
}

int inspect(const DataOptions& options) {
    const Dataset verified = Dataset::open(options.folder);
    print_manifest(read_manifest(options.folder));
    fmt::print("all checksums match\n");
    return 0;
}

int order(const DataOptions& options) {
    print_order(options.order, options.folder);
    return 0;
}

void declare_output(CLI::App& app, DataOptions& options) {
    app.add_option("--out", options.folder, "new folder for shards and manifest")->required();
    app.add_option("--shard-size", options.shard_size, "bytes of tokens in one shard (4K, 64M, 1G)")
        ->check(size_in_bytes())
        ->capture_default_str();
    app.add_option("--validation-fraction", options.validation_fraction,
                   "fraction held out: the tail of every file, or of the synthetic text")
        ->capture_default_str();
}

void declare_prepare(CLI::App& app, DataOptions& options) {
    app.add_option("PATH", options.paths, "text files or folders (read recursively)")->required();
    declare_output(app, options);
}

void declare_synthetic(CLI::App& app, DataOptions& options) {
    app.add_option("--tokens", options.synthetic.tokens,
                   "length of the text, training and held out")
        ->capture_default_str();
    app.add_option("--order", options.synthetic.order,
                   "preceding symbols on which the next one depends")
        ->capture_default_str();
    app.add_option("--symbols", options.synthetic.symbols,
                   "number of symbols of the language, 2 to 256")
        ->capture_default_str();
    app.add_option("--seed", options.synthetic.seed, "seed of the language and of its text")
        ->capture_default_str();
    declare_output(app, options);
}

std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<DataOptions>();
    const auto action = std::make_shared<std::function<int(const DataOptions&)>>();
    app.require_subcommand(1);
    const auto add = [&](const char* name, const char* summary, int (*run)(const DataOptions&)) {
        CLI::App* child = app.add_subcommand(name, summary);
        child->callback([action, run] { *action = run; });
        return child;
    };
    declare_prepare(*add("prepare", "Convert text files to byte-level token shards", prepare),
                    *options);
    declare_synthetic(
        *add("synthetic", "Generate text in a random language of known entropy rate", synthesise),
        *options);
    add("inspect", "Verify shards and summarise their contents", inspect)
        ->add_option("DIR", options->folder, "folder written by prepare or synthetic")
        ->required();
    CLI::App* const ordering = add("order", "List the training sequences in order", order);
    ordering->add_option("DIR", options->folder, "folder written by prepare or synthetic")
        ->required();
    declare_order(*ordering, options->order);
    return [options, action] { return (*action)(*options); };
}

const Registration registration{
    {"data", "Prepare, generate or inspect training data (no MPI)",
     "Tokens are bytes. Hidden and binary files, links and folders named 'build' are skipped, and\n"
     "listed. Shards carry checksums, which every run verifies before it trains and on every "
     "read:\n"
     "a shard that changes meanwhile ends the run with code 1, and is named with the offset.\n"
     "  shardstone data prepare book.txt notes/ --out text\n"
     "  shardstone data synthetic --out markov --tokens 2000000 --order 2 --symbols 16\n"
     "  shardstone data inspect text\n"
     "  shardstone data order text --sequence 128 --global-batch 16 --steps 2\n"
     "Specification of shards, order and initial weights: reference/data/README.md",
     declare, RunsOn::rank_0}};

}  // namespace

}  // namespace shardstone::command::data_command
