// SPDX-License-Identifier: BSD-3-Clause
// The folder of a study: made once, recognised later, used by one at a time.
#include "jobs/submit/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "jobs/submit/folder_lock.hpp"
#include "jobs/submit/growth.hpp"
#include "jobs/submit/obstacles.hpp"
#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/parse_json.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_name = "submit.json";

/// What may lie in a folder whose making was interrupted, or goes on.
constexpr std::array made_first{
    FolderLock::file_name, "study.toml", "site.toml", "points", "scripts", "logs", manifest_name};

/// The first line that differs, as "line 7: 'repetitions = 5' then, 'repetitions = 3' now".
std::string first_difference(const std::string& then, const std::string& now) {
    std::istringstream before(then), after(now);
    for (int line = 1;; ++line) {
        std::string a, b;
        const bool has_a = static_cast<bool>(std::getline(before, a));
        const bool has_b = static_cast<bool>(std::getline(after, b));
        if (a != b || has_a != has_b)
            return fmt::format("line {}: '{}' then, '{}' now", line, a, b);
        if (!has_a) return "only in its last line's end";
    }
}

[[noreturn]] void refuse_damaged(const fs::path& file, const std::string& how) {
    fail(fmt::format("'{}' is damaged: {}: restore it, or name another folder with --out",
                     file.string(), how));
}

[[noreturn]] void refuse_folder(const Plan& plan, const std::string& difference) {
    fail(
        fmt::format("'{}' was made with another {}: name another folder with --out, or remove "
                    "this one to begin anew",
                    plan.folder, difference));
}

/// Of study.toml or site.toml, which was written before submit.json.
std::string text_then(const Plan& plan, const char* what) {
    const fs::path file = fs::path(plan.folder) / (std::string(what) + ".toml");
    std::string then = results::read_file(file);
    if (then.empty()) refuse_damaged(file, "it is empty");
    return then;
}

void require_same_site(const Plan& plan) {
    const std::string then = text_then(plan, "site");
    if (then == plan.site.text) return;
    refuse_folder(plan, fmt::format("site ({})", first_difference(then, plan.site.text)));
}

/// A study may grow: what is done is still part of it.
void require_same_study(const Plan& plan) {
    const std::string then = text_then(plan, "study");
    if (then == plan.study.text) return;
    const fs::path file = fs::path(plan.folder) / "study.toml";
    const auto obstacle = what_keeps_from_growing(plan, then, file.string());
    if (!obstacle) return;
    refuse_folder(plan, fmt::format("study ({}), and {} (more ranks, repetitions or minutes could "
                                    "be added)",
                                    first_difference(then, plan.study.text), *obstacle));
}

bool holds_only_beginnings(const fs::path& folder) {
    std::error_code failed;
    const fs::directory_iterator entries(folder, failed);
    require(!failed, [&] {
        return fmt::format("the folder '{}' cannot be read: {}: name another with --out",
                           folder.string(), failed.message());
    });
    return std::ranges::all_of(entries, [](const auto& entry) {
        const std::string name = entry.path().filename().string();
        return std::ranges::any_of(made_first, [&](const std::string& made) {
            return name == made || name.starts_with("." + made + ".");  // while it is written
        });
    });
}

/// What submit.json has to say to later calls.
struct Maker {
    std::string study;     ///< its name, which begins those of its jobs
    std::string revision;  ///< of the program
    std::string key;       ///< of the names of its jobs, wherever the folder is now
};

/// Nothing if there is no such folder yet.
std::optional<Maker> maker_of(const fs::path& folder) {
    const fs::path file = folder / manifest_name;
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::nullopt;
    try {
        const auto manifest = results::parse_json(results::read_file(file));
        return Maker{manifest.at("study").get<std::string>(),
                     manifest.at("revision").get<std::string>(),
                     manifest.at("key").get<std::string>()};
    } catch (const nlohmann::json::exception&) {
        refuse_damaged(file, "it does not tell study, key and revision as JSON");
    }
}

/// Its jobs would have other names, and the queue would seem to hold none of it.
void require_same_name(const Plan& plan, const std::string& then) {
    require(plan.study.name == then, [&] {
        return fmt::format(
            "'{}' was made of a study called '{}', and this one is called '{}': give its file that "
            "name again, or name another folder with --out",
            plan.folder, then, plan.study.name);
    });
}

nlohmann::json manifest_of(const Plan& plan, const std::string& revision) {
    return {{"study", plan.study.name}, {"site", plan.site.name},       {"program", plan.program},
            {"revision", revision},     {"points", plan.points.size()}, {"key", plan.key}};
}

}  // namespace

void place_plan(Plan& plan, const fs::path& folder, const std::string& revision) {
    plan.folder = fs::absolute(folder).lexically_normal().string();
    if (plan.folder.size() > 1 && plan.folder.ends_with('/')) plan.folder.pop_back();
    require(plan.folder.find_first_of(" \t\n%#\"'\\") == std::string::npos, [&] {
        return fmt::format(
            "'{}': Slurm's scripts take no folder with spaces, quotes, % or #: name "
            "another with --out",
            plan.folder);
    });
    if (const auto maker = maker_of(plan.folder)) {
        plan.key = maker->key;
        return;
    }
    std::error_code failed;
    const fs::path place = fs::weakly_canonical(plan.folder, failed);
    const std::string all = fmt::format("{}\n{}\n{}\n{}", failed ? plan.folder : place.string(),
                                        revision, plan.study.text, plan.site.text);
    plan.key = results::hash_of_bytes(all).substr(0, 8);
}

std::string revision_of(const fs::path& folder) {
    const auto maker = maker_of(folder);
    return maker ? maker->revision : "";
}

void require_same_folder(const Plan& plan, const std::string& revision) {
    const fs::path folder = plan.folder;
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) return;
    require(fs::is_directory(folder, ignored),
            [&] { return fmt::format("'{}' is no folder: name another with --out", plan.folder); });
    const fs::path manifest = folder / manifest_name;
    if (!fs::exists(manifest, ignored)) {
        require(holds_only_beginnings(folder), [&] {
            return fmt::format("'{}' holds other files and no {}: name another folder with --out",
                               plan.folder, manifest_name);
        });
        return;
    }
    require_same_name(plan, maker_of(folder)->study);
    require_same_site(plan);
    require_same_study(plan);
    const std::string then = revision_of(folder);
    if (then != revision) {
        refuse_folder(plan, fmt::format("program (revision {} then, {} now, whose records are not "
                                        "mixed; --status shows how it stands)",
                                        then, revision));
    }
}

void make_study_folder(Plan& plan, const std::string& revision) {
    // Another call may have made it while this one waited for the lock.
    require_same_folder(plan, revision);
    const fs::path folder = plan.folder;
    place_plan(plan, folder, revision);
    for (const char* part : {"points", "scripts", "logs"}) make_folder(folder / part);
    const bool is_made = fs::exists(folder / manifest_name);
    if (is_made && text_then(plan, "study") == plan.study.text) return;
    results::write_file(folder / "study.toml", plan.study.text);
    results::write_file(folder / "site.toml", plan.site.text);
    results::write_file(folder / manifest_name, manifest_of(plan, revision).dump(2) + "\n");
}

void release_folder_without_records(const Plan& plan) {
    std::error_code failed;
    const auto has_record = [&](const Point& point) {
        return fs::exists(point_folder(plan, point) / "record.json", failed);
    };
    if (std::ranges::none_of(plan.points, has_record)) {
        fs::remove(fs::path(plan.folder) / manifest_name, failed);
    }
}

fs::path point_folder(const Plan& plan, const Point& point) {
    return fs::path(plan.folder) / "points" / point.id;
}

}  // namespace shardstone::submit
