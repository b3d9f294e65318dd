// SPDX-License-Identifier: BSD-3-Clause
// Finds studies and sites, by name or as a file.
#include "jobs/submit/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "collectives/cluster/toml_reader.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/shared_files.hpp"

namespace shardstone::submit {

namespace {

namespace fs = std::filesystem;

std::string this_host() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// `what`: "study" or "site", whose folder has an s more.
fs::path find_file(const char* what, const std::string& named) {
    const fs::path path = named;
    if (path.extension() == ".toml" || path.has_parent_path()) return path;
    const std::string folder = what == std::string("study") ? "studies" : "sites";
    const auto names = shared_names(folder.c_str());
    require(std::ranges::find(names, named) != names.end(), [&] {
        return fmt::format("there is no {} '{}': name one of {}, or a TOML file of your own", what,
                           named, fmt::join(names, ", "));
    });
    return shared_folder(folder.c_str()) / (named + ".toml");
}

}  // namespace

Study find_study(const std::string& named) {
    const fs::path file = find_file("study", named);
    return parse_study(collectives::read_toml_text(file), file.string());
}

Site find_site(const std::string& named) {
    const fs::path file = find_file("site", named);
    Site site = parse_site(collectives::read_toml_text(file), file.string());
    if (this_host() == site.client_host) site.client_prefix.clear();
    if (!site.client_prefix.empty()) {
        const fs::path client = site.client_prefix.front();
        if (client.is_relative() && client.has_parent_path()) {
            site.client_prefix.front() =
                (fs::absolute(file).parent_path() / client).lexically_normal().string();
        }
    }
    return site;
}

std::vector<Study> shipped_studies() {
    std::vector<Study> studies;
    for (const auto& name : shared_names("studies")) studies.push_back(find_study(name));
    return studies;
}

std::vector<Site> shipped_sites() {
    std::vector<Site> sites;
    for (const auto& name : shared_names("sites")) sites.push_back(find_site(name));
    return sites;
}

}  // namespace shardstone::submit
