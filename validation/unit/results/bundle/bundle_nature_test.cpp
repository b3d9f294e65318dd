// SPDX-License-Identifier: BSD-3-Clause
// What was paced or simulated is called so in a bundle, whichever of its marks was taken away.
#include <gtest/gtest.h>

#include "results/format/hdf5_format.hpp"
#include "results/record/nature.hpp"
#include "validation/unit/results/bundle/bundled.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

TEST(BundleNature, IsReadFromEveryMark) {
    EXPECT_EQ(nature_of(written_collectives()), Nature::measured);
    EXPECT_EQ(nature_of(written_training({})), Nature::measured);
    EXPECT_EQ(nature_of(paced_training()), Nature::paced);
    EXPECT_EQ(nature_of(written_simulation()), Nature::simulated);
    EXPECT_EQ(nature_of(written_record("compare", "left", 1)), Nature::computed);

    Record scale = written_record("scale", "left", 1);
    scale.derived = {{"scaling", {{"curve", {}, {"nano, fp32: weak scaling"}}}}};
    EXPECT_EQ(nature_of(scale), Nature::computed);
    scale.derived[0].columns[0].texts[0] = "nano, fp32, paced 20 GFLOP/s: weak scaling";
    EXPECT_EQ(nature_of(scale), Nature::paced) << "the trainings that it is computed from were";

    scale.derived[0].columns[0].texts[0] = "nano, fp32, emulated device: weak scaling";
    EXPECT_EQ(nature_of(scale), Nature::emulated) << "the same";

    Record record = paced_training();
    record.configuration.erase("pace_gflop_per_s");
    EXPECT_EQ(nature_of(record), Nature::paced) << "its memory rate says so";
    record.configuration.erase("pace_memory_gb_per_s");
    EXPECT_EQ(nature_of(record), Nature::paced) << "it has no losses";
    record = written_record("topology", "left", 1);
    EXPECT_EQ(nature_of(record), Nature::measured);
    record.configuration["root"] = "image/{node}";
    EXPECT_EQ(nature_of(record), Nature::described) << "what it says was read from files";
    EXPECT_NE(nature_in_words(record).find("below image/{node}"), std::string::npos);
    record.configuration["root"] = "";
    record.identity["command_line"] = {"shardstone", "topology", "--root", "image"};
    EXPECT_EQ(nature_of(record), Nature::described) << "its command says so";
    record = written_simulation();
    record.kind = "collectives";
    EXPECT_EQ(nature_of(record), Nature::simulated) << "its table says so";
}

TEST(BundleNature, OfEmulatedGpusIsReadFromEveryNameOfOne) {
    Record record;
    for (const char* place : {"/machine/accelerators", "/gpus/of_ranks"}) {
        record = written_training({});
        record.environment[nlohmann::json::json_pointer(place)] = {"a GPU", "emulated device"};
        EXPECT_EQ(nature_of(record), Nature::emulated) << place;
    }
    record = written_training({});
    record.configuration["gpu"] = "NVIDIA H200";
    EXPECT_EQ(nature_of(record), Nature::measured);
    record.configuration["gpu"] = "emulated device";
    EXPECT_EQ(nature_of(record), Nature::emulated) << "its configuration says so";
    record.configuration.erase("gpu");
    record.derived.push_back({"device_rates", {{"gpu", {}, {"emulated device"}}}});
    EXPECT_EQ(nature_of(record), Nature::emulated) << "a table says so";
}

TEST(BundleNature, OfEmulatedGpusWhoseSettingsAreNotRecordedAtLeastTheNumberIsTold) {
    Record record = written_training({.plan = "dp=2", .ranks = 2});
    record.identity["command_line"] = {"/opt/shardstone", "train", "--device", "cuda"};
    record.environment["gpus"] = {{"of_ranks", {"NVIDIA H200", "NVIDIA H200"}}, {"different", 2}};
    const auto command = [&] { return command_of({"train.json", record, record.hash}); };
    EXPECT_EQ(command(), "mpiexec -n 2 shardstone train --device cuda");
    record.environment["gpus"]["of_ranks"] = {"emulated device", "emulated device"};
    EXPECT_EQ(command(),
              "SHARDSTONE_EMULATED_DEVICES=2 mpiexec -n 2 bin/emulated/shardstone train --device "
              "cuda");
    record.environment["variables"] = {{"SHARDSTONE_EMULATED_DEVICES", "5"}};
    EXPECT_EQ(command().substr(0, 30), "SHARDSTONE_EMULATED_DEVICES=5 ");
}

TEST(BundleNature, StandsInNamesManifestAndReadme) {
    auto files = bundle_files(example_contents());
    const std::string manifest = file_of(files, "manifest.json").bytes;
    const std::string readme = file_of(files, "README.md").bytes;
    for (const auto& [path, nature] : {std::pair{"records/train-2.h5", "measured"},
                                       {"records/probe.h5", "measured"},
                                       {"records/train.paced.h5", "paced"},
                                       {"records/fat-tree.simulated.h5", "simulated"}}) {
        const std::string quoted =
            std::string("\"path\": \"") + path + "\",\n   \"nature\": \"" + nature + "\"";
        EXPECT_NE(manifest.find(quoted), std::string::npos) << path << "\n" << manifest;
        const std::string row = std::string("| ") + path + " | **" + nature + "** |";
        EXPECT_NE(readme.find(row), std::string::npos) << path << "\n" << readme;
    }
    EXPECT_NE(readme.find("memory.formula_bytes"), std::string::npos) << "what is predicted";
    file_of(files, "tables/train.paced.summary.csv");
    file_of(files, "tables/fat-tree.simulated.simulated.csv");
}

TEST(BundleNature, AManifestThatCallsPacedMeasuredIsFoundWhoeverWroteIt) {
    for (const char* maker : {"", "0.0.1"}) {
        BundleContents contents = example_contents();
        if (*maker != '\0') contents.maker.version = maker;
        auto files = bundle_files(contents);
        auto& manifest = file_of(files, "manifest.json").bytes;
        replace_in(manifest, "\"nature\": \"paced\"", "\"nature\": \"measured\"");
        reseal_manifest(manifest);
        const std::string lines = lines_of(judgement_of(to_zip(files)));
        EXPECT_NE(lines.find("manifest.json: the manifest calls records/train.paced.h5 'measured', "
                             "but the record is paced"),
                  std::string::npos)
            << lines;
    }
}

TEST(BundleNature, SharedMachinesAreReadFromThePlacesOfRanks) {
    Record record = written_record("interconnect", "vm", 4);
    const auto places = [](const std::vector<std::string>& hosts,
                           const std::vector<double>& machines) {
        return Table{
            "rank_places",
            {{"node", {0.0, 0.0, 1.0, 1.0}, {}}, {"host", {}, hosts}, {"machine", machines, {}}}};
    };
    const std::string measured = nature_in_words(record);
    record.samples = {places({"a", "a", "b", "b"}, {0.0, 0.0, 2.0, 2.0})};
    EXPECT_EQ(nature_in_words(record), measured);
    record.samples = {places({"vm", "vm", "vm", "vm"}, {0.0, 0.0, 0.0, 0.0})};
    EXPECT_EQ(
        nature_in_words(record),
        measured + ", on nodes that were declared, not found: its ranks shared fewer machines")
        << "whatever became of the words that say so";
    record.samples = {places({"a", "a", "b", "b"}, {0.0, 0.0, 0.0, 0.0})};
    EXPECT_EQ(nature_in_words(record),
              measured + ", on nodes that shared fewer machines (containers, or emulated ones)");
}

/// A record from which the pace was taken, and everything made anew, keeps its name of before.
TEST(BundleNature, ANameThatSaysMeasuredOfAPacedRecordIsFound) {
    BundleContents contents = example_contents();
    for (BundledRecord& one : contents.records) {
        if (one.name == "train.paced") one.name = "train";
    }
    const std::string lines = lines_of(judgement_of(to_zip(bundle_files(contents))));
    EXPECT_NE(lines.find("records/train.h5: its name does not say that it is paced"),
              std::string::npos)
        << lines;
}

}  // namespace
}  // namespace shardstone::validation
