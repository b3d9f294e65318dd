// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/bundle/archive.hpp"
#include "results/bundle/contents.hpp"
#include "results/bundle/judge.hpp"

namespace shardstone::validation {

/// A paced training and a simulation, made up, which a bundle must never call measured.
results::Record paced_training();

/// Measured records of the archive (a training on two ranks, a probe), the paced one, a simulation,
/// and a validation of an interconnect with the acceptance file by which it was judged.
const results::BundleContents& example_contents();

/// Its archive.
const std::string& example_archive();

/// What is found in an archive whose files were changed by `change`, and whose headers are as they
/// should be.
results::BundleJudgement judgement_after(
    const std::function<void(std::vector<results::BundledFile>&)>& change);

/// The same where the report's seal and the manifest were made to fit.
results::BundleJudgement judgement_after_sealing(
    const std::function<void(std::vector<results::BundledFile>&)>& change);

results::BundleJudgement judgement_of(const std::string& archive);

results::BundledFile& file_of(std::vector<results::BundledFile>& files, const std::string& path);

/// What someone would do who wants a changed manifest to be believed: its own seal made to fit.
void reseal_manifest(std::string& text);

/// The manifest made to fit all other files.
void reseal_manifest_over(std::vector<results::BundledFile>& files,
                          const results::BundleContents& contents);

/// Replaces the first occurrence; throws if there is none.
void replace_in(std::string& text, const std::string& old, const std::string& fresh);

/// All complaints, one per line.
std::string lines_of(const results::BundleJudgement& judgement);

}  // namespace shardstone::validation
