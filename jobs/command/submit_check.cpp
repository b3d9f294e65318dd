// SPDX-License-Identifier: BSD-3-Clause
// Checks the command lines of a study with the program's own parser and the commands' own checks.
#include "jobs/command/submit_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "jobs/command/pace_option.hpp"
#include "jobs/command/parse_words.hpp"
#include "jobs/submit/shell_words.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/spelling.hpp"

namespace shardstone::command {

namespace {

using Words = std::vector<std::string>;

/// With the words that `submit` adds, which not all options agree with.
Words with_record(Words words) {
    words.insert(words.end(), {"--json", "record.json", "--force"});
    return words;
}

void require_accepted(const submit::Point& point) {
    const ParsedWords parsed = parse_words(point.arguments, point.ranks);
    require(parsed.refusal.empty(), [&] { return parsed.refusal; });
    require(parsed.needs_ranks && parsed.writes_json,
            "this command does not run on ranks and write a record (--json): give one that does, "
            "train or collectives for instance");
    require(parsed.outputs.empty(), [&] {
        return fmt::format(
            "{} names one file or folder that every run would write: leave it out, "
            "and run the command without a study for it",
            parsed.outputs.front());
    });
    const std::string refusal = parse_words(with_record(point.arguments), point.ranks).refusal;
    require(refusal.empty(), [&] { return refusal; });
}

bool accepts(const submit::Point& point) {
    try {
        require_accepted(point);
    } catch (const Error&) {
        return false;
    }
    return true;
}

/// As the study itself words it, where the site adds nothing.
submit::Point without_site(const submit::Plan& plan, const submit::Point& point) {
    submit::Site site = plan.site;
    site.options.clear();
    const auto points = submit::expand_study(plan.study, site);
    return *std::ranges::find(points, point.id, &submit::Point::id);
}

bool is_given(const std::vector<submit::StudyOption>& options, const char* name) {
    return std::ranges::any_of(options, [&](const submit::StudyOption& option) {
        return option.name == name && option.values != Words{"false"};
    });
}

std::string flag_of(const std::string& name) {
    return (name.size() == 1 ? "-" : "--") + name;
}

/// Whether the text names the option of this name, and not one whose name only begins like that.
bool names_option(const std::string& text, const std::string& name) {
    const std::string flag = flag_of(name);
    const auto is_of_name = [](unsigned char letter) {
        return std::isalnum(letter) || letter == '-';
    };
    for (auto at = text.find(flag); at != std::string::npos; at = text.find(flag, at + 1)) {
        const auto end = at + flag.size();
        const bool begins = at == 0 || !is_of_name(text[at - 1]);
        if (begins && (end == text.size() || !is_of_name(text[end]))) return true;
    }
    return false;
}

/// Which options of a refused point are not the study's own, and what to do about them: those that
/// the refusal names, or all if the study's are accepted without them. "" if they are not to blame.
std::string blame_of_site(const submit::Plan& plan, const submit::Point& point,
                          const std::string& refusal) {
    std::vector<std::string> blamed;
    std::ranges::copy_if(point.site_options, std::back_inserter(blamed),
                         [&](const std::string& name) { return names_option(refusal, name); });
    if (blamed.empty() && !point.site_options.empty() && accepts(without_site(plan, point))) {
        blamed = point.site_options;
    }
    if (blamed.empty()) return "";
    Words flags;
    std::ranges::transform(blamed, std::back_inserter(flags), flag_of);
    const bool one = blamed.size() == 1;
    const std::string& command = plan.study.command;
    const bool quoted = command.find(' ') != std::string::npos;
    return fmt::format(
        "; {0} {1} from [options.{2}{3}{2}] of site {4}: set {5} in the study, or leave {5} out "
        "there with {6} = false",
        fmt::join(flags, ", "), one ? "comes" : "come", quoted ? "\"" : "", command, plan.site.name,
        one ? "it" : "them", fmt::join(blamed, " = false, "));
}

bool uses_gpus(const submit::Point& point) {
    const Words& words = point.arguments;
    if (words.front() == "topology") return true;  // it describes them
    const auto device = std::ranges::find(words, "--device");
    return device != words.end() && std::next(device) != words.end() &&
           *std::next(device) == "cuda";
}

}  // namespace

void leave_idle_gpus(submit::Plan& plan) {
    if (plan.site.gpus_per_node == 0) return;
    std::size_t idle = 0;
    for (submit::Point& point : plan.points) {
        if (uses_gpus(point)) continue;
        point.gpus_per_node = 0;
        ++idle;
    }
    if (idle == 0) return;
    const bool all = idle == plan.points.size();
    plan.notes.push_back(fmt::format(
        "No GPUs are asked for{}, though site {} has {} per node: {} computes on CPU cores here.",
        all ? "" : fmt::format(", in {} of {} points", idle, plan.points.size()), plan.site.name,
        plan.site.gpus_per_node, plan.points.front().arguments.front()));
}

void tell_what_a_pace_hides(submit::Plan& plan) {
    const submit::Study& study = plan.study;
    const bool of_site = std::ranges::any_of(plan.points, [](const submit::Point& point) {
        return std::ranges::find(point.site_options, "pace") != point.site_options.end();
    });
    const bool of_all = of_site || is_given(study.fixed, "pace");
    for (const char* option : hidden_by_pace) {
        const bool varies = is_given(study.vary, option) ||
                            std::ranges::any_of(study.cases, [&](const submit::StudyCase& one) {
                                return is_given(one.options, option);
                            });
        // Who fixes both of them has chosen them together.
        const bool is_hidden = varies ? of_all : of_site && is_given(study.fixed, option);
        if (!is_hidden) continue;
        plan.notes.push_back(fmt::format(
            "--{} does not change the times of passes: --pace of {} {} sets them, so only memory, "
            "messages and updates can differ; a [[case]] can set pace beside each value, and pace "
            "= false leaves it out.",
            option, of_site ? "site" : "study", of_site ? plan.site.name : study.name));
    }
}

void require_known_commands(const submit::Site& site) {
    const auto names = commands_with_records();
    for (const auto& [command, options] : site.options) {
        if (std::ranges::find(names, command) != names.end()) continue;
        const std::string nearest = suggestion(command, names);
        fail(fmt::format(
            "site {}: options of '{}': no command that runs on ranks and writes a "
            "record has this name{}",
            site.name, command,
            nearest.empty() ? fmt::format(": name one of {}", fmt::join(names, ", ")) : nearest));
    }
}

void require_points_accepted(const submit::Plan& plan) {
    std::set<std::pair<int, Words>> seen;
    for (const submit::Point& point : plan.points) {
        if (!seen.emplace(point.ranks, point.arguments).second) continue;
        try {
            require_accepted(point);
        } catch (const Error& error) {
            fail(fmt::format("study {}: {}: {}{}: shardstone {}", plan.study.name, point.id,
                             error.what(), blame_of_site(plan, point, error.what()),
                             submit::shell_words(point.arguments)));
        }
    }
}

}  // namespace shardstone::command
