// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "jobs/submit/site.hpp"
#include "jobs/submit/study.hpp"

namespace shardstone::submit {

/// The study or site of a TOML file, or of a name among those that come with Shardstone
/// (shared_folder("studies"), shared_folder("sites")). A client_prefix that is a relative path
/// begins at the site's file; on the site's client_host there is none. Throws Error that lists the
/// names, or as parse_study() does.
Study find_study(const std::string& named);
Site find_site(const std::string& named);

/// Those that come with Shardstone, by name.
std::vector<Study> shipped_studies();
std::vector<Site> shipped_sites();

}  // namespace shardstone::submit
