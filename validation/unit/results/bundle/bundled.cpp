// SPDX-License-Identifier: BSD-3-Clause
// A bundle of measured, paced and simulated records for tests, and ways to change it.
#include "validation/unit/results/bundle/bundled.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "results/bundle/gather.hpp"
#include "results/bundle/manifest.hpp"
#include "results/format/atomic_file.hpp"
#include "results/format/hash.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/report/page_seal.hpp"
#include "results/schema/training.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {

using namespace results;

namespace {

BundleContents gathered() {
    const TemporaryFolder folder;
    const std::filesystem::path archive = SHARDSTONE_SOURCE_DIR "/results/archive/quickstart";
    write_json(paced_training(), folder / "train.json");
    write_hdf5(written_simulation(), folder / "fat-tree.h5");
    write_file(folder / "limits.toml", "[[limit]]\nquantity = \"busbw\"\nat_least = 40.0\n");
    return gather({archive / "train-2.h5", archive / "probe.h5", folder / "train.json",
                   folder / "fat-tree.h5"},
                  folder / "limits.toml")
        .contents;
}

/// What someone would do who wants a changed file to be believed.
void seal_again(std::vector<BundledFile>& files) {
    BundledFile& report = file_of(files, "report.html");
    const std::size_t seal = report.bytes.rfind("<!-- Shardstone page, seal: ");
    if (seal != std::string::npos) report.bytes = seal_page(report.bytes.substr(0, seal));
    BundleContents contents = example_contents();
    for (BundledRecord& one : contents.records) {
        one.hdf5 = file_of(files, one.path()).bytes;
        one.record = record_from_bytes(one.hdf5, one.path());
    }
    reseal_manifest_over(files, contents);
}

}  // namespace

Record paced_training() {
    Record record = written_training({});
    record.configuration["pace_gflop_per_s"] = 20.0;
    record.configuration["pace_memory_gb_per_s"] = 0.25;
    for (const char* column : {"loss", "learning_rate", "gradient_norm"}) {
        for (double& number : numbers_of(record, "steps", column)) number = not_measured;
    }
    for (const char* column : {"mfu", "final_loss", "validation_loss"}) {
        for (double& number : numbers_of(record, "summary", column)) number = not_measured;
    }
    return record;
}

const BundleContents& example_contents() {
    static const BundleContents contents = gathered();
    return contents;
}

const std::string& example_archive() {
    static const std::string archive = to_zip(bundle_files(example_contents()));
    return archive;
}

BundleJudgement judgement_of(const std::string& archive) {
    return judge_bundle(archive, "test.zip", [](const std::string&) {});
}

BundleJudgement judgement_after(const std::function<void(std::vector<BundledFile>&)>& change) {
    auto files = bundle_files(example_contents());
    change(files);
    return judgement_of(to_zip(files));
}

BundleJudgement judgement_after_sealing(
    const std::function<void(std::vector<BundledFile>&)>& change) {
    return judgement_after([&](std::vector<BundledFile>& files) {
        change(files);
        seal_again(files);
    });
}

void reseal_manifest(std::string& text) {
    const std::size_t rest = text.find('\n') + 1;
    text = "{\"seal\": \"" + hash_of_bytes(text.substr(rest)) + "\",\n" + text.substr(rest);
}

void reseal_manifest_over(std::vector<BundledFile>& files, const BundleContents& contents) {
    std::vector<BundledFile> others;
    std::ranges::copy_if(files, std::back_inserter(others),
                         [](const BundledFile& file) { return file.path != manifest_path; });
    file_of(files, manifest_path).bytes = manifest_text(contents, others);
}

BundledFile& file_of(std::vector<BundledFile>& files, const std::string& path) {
    const auto found = std::ranges::find(files, path, &BundledFile::path);
    require(found != files.end(), [&] { return "no file " + path; });
    return *found;
}

void replace_in(std::string& text, const std::string& old, const std::string& fresh) {
    const std::size_t place = text.find(old);
    require(place != std::string::npos, [&] { return "no '" + old + "'"; });
    text.replace(place, old.size(), fresh);
}

std::string lines_of(const BundleJudgement& judgement) {
    std::string lines;
    for (const std::string& one : judgement.wrong) lines += one + "\n";
    return lines;
}

}  // namespace shardstone::validation
