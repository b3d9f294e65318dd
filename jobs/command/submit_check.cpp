// SPDX-License-Identifier: BSD-3-Clause
// Checks the command lines of a study with the program's own parser, and plans with a dry run.
#include "jobs/command/submit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "jobs/command/parse_words.hpp"
#include "jobs/submit/child.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/error.hpp"
#include "reference/step/parallel_plan.hpp"

namespace shardstone::command {

namespace {

using Words = std::vector<std::string>;

/// Commands whose ranks use GPUs: NCCL's collectives, and what describes the nodes.
constexpr std::array commands_on_gpus{"collectives", "topology"};

void require_parsed(const ParsedWords& parsed) {
    require(parsed.refusal.empty(), [&] { return parsed.refusal; });
    require(parsed.needs_ranks && parsed.writes_json,
            "this command does not run on ranks and write a record (--json): give one that does, "
            "train or collectives for instance");
}

/// For exactly the ranks of the point, without measuring anything.
void require_plan_runs(const submit::Plan& plan, const submit::Point& point) {
    Words words = point.arguments;
    const auto option = std::ranges::find(words, "--plan");
    if (option == words.end() || option + 1 == words.end()) {
        words.insert(words.end(), {"--plan", fmt::format("dp={}", point.ranks)});
    } else {
        const int ranks = reference::parse_plan(*(option + 1)).ranks();
        require(ranks == point.ranks, [&] {
            return fmt::format("plan {} has {} ranks, and the point {}", *(option + 1), ranks,
                               point.ranks);
        });
    }
    words.insert(words.end(), {"--dry-run", "--gflop-rate", "100", "--memory-rate", "10"});
    if (!parse_words(words).refusal.empty()) return;  // an option that a dry run does not take
    words.insert(words.begin(), plan.program);
    const submit::Outcome outcome = submit::run_command(words);
    require(outcome.code == 0, [&] {
        const std::string said = outcome.last_line();
        constexpr std::string_view before = "shardstone: ";
        return said.starts_with(before) ? said.substr(before.size()) : said;
    });
}

}  // namespace

void leave_idle_gpus(submit::Plan& plan) {
    const std::string& command = plan.points.front().arguments.front();
    const bool uses = std::ranges::find(commands_on_gpus, command) != commands_on_gpus.end();
    if (plan.site.gpus_per_node == 0 || uses) return;
    for (submit::Point& point : plan.points) point.gpus_per_node = 0;
    plan.note = fmt::format(
        "No GPUs are asked for, though site {} has {} per node: {} computes on CPU cores only.",
        plan.site.name, plan.site.gpus_per_node, command);
}

void require_points_accepted(const submit::Plan& plan) {
    std::set<std::pair<int, Words>> seen;
    for (const submit::Point& point : plan.points) {
        if (!seen.emplace(point.ranks, point.arguments).second) continue;
        try {
            const ParsedWords parsed = parse_words(point.arguments);
            require_parsed(parsed);
            if (point.arguments.front() == "train") require_plan_runs(plan, point);
        } catch (const Error& error) {
            fail(fmt::format("study {}: {}: {}: shardstone {}", plan.study.name, point.id,
                             error.what(), submit::shell_words(point.arguments)));
        }
    }
}

}  // namespace shardstone::command
