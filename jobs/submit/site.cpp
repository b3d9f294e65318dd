// SPDX-License-Identifier: BSD-3-Clause
// Sites are read from TOML and checked: scheduler, launcher, nodes, binding, environment.
#include "jobs/submit/site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

#include "collectives/cluster/toml_reader.hpp"
#include "jobs/submit/sbatch_options.hpp"
#include "kernels/base/error.hpp"

namespace shardstone::submit {

namespace {

using collectives::Bounds;
using collectives::TomlReader;

constexpr Bounds count_bounds{1, 1'000'000, "a whole number, 1 to 1000000"};
constexpr Bounds gpu_bounds{1, 1024, "a whole number, 1 to 1024"};

template <class Value, std::size_t N>
using Words = std::array<std::pair<const char*, Value>, N>;

constexpr Words<Scheduler, 2> schedulers{{{"none", Scheduler::none}, {"slurm", Scheduler::slurm}}};
constexpr Words<Launcher, 2> launchers{{{"srun", Launcher::srun}, {"mpiexec", Launcher::mpiexec}}};
constexpr Words<Binding, 3> bindings{
    {{"core", Binding::core}, {"numa", Binding::numa}, {"none", Binding::none}}};

template <class Value, std::size_t N>
Value one_of(TomlReader& reader, const char* key, const Words<Value, N>& words) {
    const std::string given = reader.text(key);
    for (const auto& [word, value] : words) {
        if (given == word) return value;
    }
    std::vector<const char*> names;
    for (const auto& [word, value] : words) names.push_back(word);
    reader.refuse(key, fmt::format("one of: {}", fmt::join(names, ", ")));
}

int count_or(TomlReader& reader, const char* key, const Bounds& bounds, int fallback) {
    return reader.has(key) ? reader.integer(key, bounds) : fallback;
}

bool is_variable_name(const std::string& name) {
    const auto proper = [](unsigned char letter) { return std::isalnum(letter) || letter == '_'; };
    return !name.empty() && !std::isdigit(static_cast<unsigned char>(name.front())) &&
           std::ranges::all_of(name, proper);
}

void read_environment(TomlReader reader, Site& site) {
    for (const std::string& name : reader.keys()) {
        if (!is_variable_name(name)) reader.refuse(name.c_str(), "the name of a variable");
        const auto values = reader.words_or_none(name.c_str());
        if (values.size() != 1) reader.refuse(name.c_str(), "one value");
        site.environment.emplace_back(name, values.front());
    }
}

void read_options_of_commands(TomlReader reader, Site& site) {
    for (const std::string& command : reader.keys()) {
        TomlReader options = reader.table(command.c_str());
        for (const std::string& name : options.keys()) {
            const auto values = options.words_or_none(name.c_str());
            if (values.size() != 1) options.refuse(name.c_str(), "one value");
            if (is_set_by_submit(name)) {
                options.refuse(name.c_str(), "nothing: 'shardstone submit' sets it for every run");
            }
            if (!is_option_name(name)) options.refuse(name.c_str(), option_name_wording);
            site.options[command].push_back({name, values});
        }
    }
}

void read_nodes(TomlReader& reader, Site& site) {
    site.nodes = count_or(reader, "nodes", count_bounds, 0);
    site.ranks_per_node = count_or(reader, "ranks_per_node", count_bounds, 0);
    site.cores_per_node = count_or(reader, "cores_per_node", count_bounds, 0);
    site.gpus_per_node = count_or(reader, "gpus_per_node", gpu_bounds, 0);
    const int ranks = std::max(site.ranks_per_node, 1), gpus = site.gpus_per_node;
    if (gpus > 0 && gpus % ranks != 0) {
        reader.refuse("gpus_per_node", fmt::format("a multiple of ranks_per_node = {}", ranks));
    }
    if (site.cores_per_node > 0 && site.cores_per_node < ranks) {
        reader.refuse("cores_per_node", fmt::format("at least ranks_per_node = {}", ranks));
    }
    site.exclusive = reader.boolean_or("exclusive", false);
    site.at_once = count_or(reader, "at_once", count_bounds, 0);
}

void read_sbatch_options(TomlReader& reader, Site& site) {
    site.sbatch_options = reader.words_or_none("sbatch_options");
    for (const std::string& words : site.sbatch_options) {
        const std::string option = option_of_submit_in(words, site.gpus_per_node > 0);
        if (option.empty()) continue;
        reader.refuse(
            "sbatch_options",
            fmt::format("it without {}: 'shardstone submit' decides on that, by the study "
                        "and the site's other keys",
                        option));
    }
}

void require_consistent(const Site& site, const std::string& file) {
    const bool slurm = site.scheduler == Scheduler::slurm;
    require(slurm || site.launcher == Launcher::mpiexec,
            [&] { return fmt::format("{}: launcher = 'srun' needs scheduler = 'slurm'", file); });
    require(!slurm || site.ranks_per_node > 0, [&] {
        return fmt::format("{}: ranks_per_node is missing: a site with Slurm needs it", file);
    });
    const std::array<std::pair<const char*, bool>, 9> for_slurm{
        {{"partition", !site.partition.empty()},
         {"sbatch_options", !site.sbatch_options.empty()},
         {"cores_per_node", site.cores_per_node > 0},
         {"gpus_per_node", site.gpus_per_node > 0},
         {"exclusive", site.exclusive},
         {"at_once", site.at_once > 0},
         {"modules", !site.modules.empty()},
         {"client_prefix", !site.client_prefix.empty()},
         {"client_host", !site.client_host.empty()}}};
    for (const auto& [key, given] : for_slurm) {
        require(slurm || !given, [&, key = key] {
            return fmt::format("{}: {} means something with scheduler = 'slurm' only: remove it",
                               file, key);
        });
    }
}

}  // namespace

int Site::cores_per_rank(int ranks_on_node) const {
    return std::max(1, cores_per_node / std::max({ranks_per_node, ranks_on_node, 1}));
}

int Site::gpus_for(int ranks_on_node) const {
    return gpus_per_node / std::max(ranks_per_node, 1) * ranks_on_node;
}

Site parse_site(std::string_view text, const std::string& file) {
    const toml::table root = collectives::parse_toml(text, file);
    TomlReader reader(root, file);
    Site site;
    site.name = std::filesystem::path(file).stem().string();
    site.text = text;
    site.about = reader.text("about");
    site.scheduler = one_of(reader, "scheduler", schedulers);
    site.launcher = one_of(reader, "launcher", launchers);
    site.launcher_options = reader.words_or_none("launcher_options");
    site.partition = reader.text_or("partition", "");
    read_nodes(reader, site);
    read_sbatch_options(reader, site);
    site.binding = one_of(reader, "binding", bindings);
    site.nics = reader.words_or_none("nics");
    site.modules = reader.words_or_none("modules");
    site.client_prefix = reader.words_or_none("client_prefix");
    site.client_host = reader.text_or("client_host", "");
    if (reader.has("environment")) read_environment(reader.table("environment"), site);
    if (reader.has("options")) read_options_of_commands(reader.table("options"), site);
    reader.finish();
    require_consistent(site, file);
    return site;
}

}  // namespace shardstone::submit
