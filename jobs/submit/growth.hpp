// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "jobs/submit/script.hpp"

namespace shardstone::submit {

/// Whether a folder that the study of text `then` made, at the site of `plan`, can go on with the
/// study of `plan`: if each of its points is still there, run by the same words, on as many nodes,
/// as the same task of the same array (queued jobs and logs are known by it). More ranks or
/// repetitions, other minutes and other words about it change none of that. Nothing if it can;
/// otherwise the first point that keeps it from that, in words. Throws Error naming `file` if
/// `then` is no study.
std::optional<std::string> what_keeps_from_growing(const Plan& plan, const std::string& then,
                                                   const std::string& file);

}  // namespace shardstone::submit
