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
#include "validation/interconnect/acceptance_file.hpp"
#include "validation/unit/results/example_record.hpp"
#include "validation/unit/results/report_rows.hpp"
#include "validation/unit/validation/interconnect/findings/recorded_samples.hpp"

namespace shardstone::validation {

using namespace results;

namespace {

constexpr const char* limits =
    "[[limit]]\n"
    "quantity = \"rate between nodes\"\n"
    "statistic = \"median\"\n"
    "size = \"1M\"\n"
    "limit = 90\n"
    "unit = \"MB/s\"\n"
    "source = \"a port of 1 Gbit/s x 72 %\"\n"
    "\n"
    "[[limit]]\n"
    "quantity = \"slowdown of pairs at once\"\n"
    "statistic = \"median\"\n"
    "limit = 1.5\n"
    "unit = \"times\"\n";

/// Each half of two nodes alone and at once, and clocks a millisecond ahead and more.
void add_loads_and_clocks(InterconnectSamples& samples) {
    constexpr int passes = 12, readings = 8;
    for (int pass = 1; pass <= passes; ++pass) {
        for (const auto& [sender, receiver] : {std::pair(0, 2), {2, 0}, {1, 3}, {3, 1}}) {
            const double alone_s = 10e-3 + 1e-5 * pass + 1e-4 * sender;
            for (const auto& [load, factor] : {std::pair("alone", 1.0), {"pairs at once", 1.2}}) {
                samples.congestion.push_back(
                    {load, static_cast<double>(sender), static_cast<double>(receiver),
                     static_cast<double>(pass), 1 << 20, factor * alone_s});
            }
        }
    }
    for (const double round : {0.0, 1.0}) {
        for (int rank = 1; rank < 4; ++rank) {
            for (int reading = 0; reading < readings; ++reading) {
                samples.clocks.push_back({static_cast<double>(rank), round,
                                          soaked_from_s() + 20.0 * round + reading,
                                          1e-3 * rank + 1e-6 * reading, 2e-5});
            }
        }
    }
}

/// A validation of an interconnect of four nodes with a soak, judged by `limits`, as its command
/// would have written it of these samples.
Record validated_pod() {
    auto samples = soaked_samples(soaked_from_s());
    add_loads_and_clocks(samples);
    samples.limits = parse_acceptance(limits, "limits.toml");
    Record record = soaked_record(samples);
    record.configuration["parts"] = {"pairs", "congestion", "ranks", "clocks"};
    record.configuration["accept"] = limits;
    record.configuration["accept_file"] = "limits.toml";
    return record;
}

BundleContents gathered() {
    const TemporaryFolder folder;
    const std::filesystem::path archive = SHARDSTONE_SOURCE_DIR "/results/archive/quickstart";
    write_json(paced_training(), folder / "train.json");
    write_hdf5(written_simulation(), folder / "fat-tree.h5");
    write_hdf5(validated_pod(), folder / "pod.h5");
    write_file(folder / "limits.toml", limits);
    return gather({archive / "train-2.h5", archive / "probe.h5", folder / "train.json",
                   folder / "fat-tree.h5", folder / "pod.h5"},
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
