// SPDX-License-Identifier: BSD-3-Clause
// Alterations of every file of a bundle, with hashes left as they were and with all made to fit:
// each is found, and named by what a reader sees.
#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/json_format.hpp"
#include "validation/unit/results/bundle/bundled.hpp"
#include "validation/unit/results/report_rows.hpp"

namespace shardstone::validation {
namespace {

using namespace results;

using Files = std::vector<BundledFile>;

/// Found in either way, and each of `words` is said of the file.
void expect_found(const std::string& path, const std::string& old, const std::string& fresh,
                  const std::vector<std::string>& words) {
    const auto change = [&](Files& files) { replace_in(file_of(files, path).bytes, old, fresh); };
    for (const auto& judgement : {judgement_after(change), judgement_after_sealing(change)}) {
        const std::string lines = lines_of(judgement);
        EXPECT_NE(lines.find(path + ": "), std::string::npos) << lines;
        for (const auto& word : words) EXPECT_NE(lines.find(word), std::string::npos) << lines;
    }
}

/// The text of the first match of `begin`, up to `end`.
std::string piece_of(const std::string& text, const std::string& begin, const std::string& end) {
    const std::size_t from = text.find(begin);
    require(from != std::string::npos, [&] { return "no '" + begin + "'"; });
    return text.substr(from, text.find(end, from + begin.size()) - from);
}

/// From `mark`, which is there once, to the end of the first match behind it.
std::string piece_to(const std::string& text, const std::string& mark, const std::string& begin,
                     const std::string& end) {
    const std::string tail = text.substr(text.find(mark));
    return tail.substr(0, tail.find(piece_of(tail, begin, end))) + piece_of(tail, begin, end);
}

std::string bytes_of(const std::string& path) {
    auto files = bundle_files(example_contents());
    return file_of(files, path).bytes;
}

/// With its last digit another one.
std::string with_other_digit(std::string text) {
    const std::size_t place = text.find_last_of("0123456789");
    text[place] = text[place] == '9' ? '1' : '9';
    return text;
}

TEST(BundleAlterations, NoneIsFoundInWhatWasMade) {
    const auto judgement = judgement_of(example_archive());
    EXPECT_TRUE(judgement.wrong.empty()) << lines_of(judgement);
    EXPECT_TRUE(judgement.undecided.empty());
    EXPECT_NE(judgement.summary.find("3 measured, 1 paced, 1 simulated"), std::string::npos)
        << judgement.summary;
    // Beside five records and an acceptance file, which are as they were given.
    const std::size_t made = from_zip(example_archive(), "test.zip").files.size() - 6;
    EXPECT_TRUE(judgement.summary.starts_with("unchanged; " + std::to_string(made) +
                                              " files made again from 5 records"))
        << judgement.summary;
}

TEST(BundleAlterations, ADigitOfAFigureOfTheReport) {
    const std::string y = piece_of(bytes_of("report.html"), "\"y\":[", "]");
    expect_found("report.html", y, with_other_digit(y), {"figure '", "(section '", ", y, "});
}

TEST(BundleAlterations, ACellOfATableOfTheReport) {
    const std::string cell =
        piece_to(bytes_of("report.html"), "data-table=\"runs\"", "<td class=\"number\">", "</td>");
    expect_found("report.html", cell, with_other_digit(cell), {"table runs", ", row ", "column '"});
}

TEST(BundleAlterations, ASentenceOfTheReport) {
    const std::string finding =
        piece_of(bytes_of("report.html"), "<ul class=\"findings\">\n<li>", "</li>");
    expect_found("report.html", finding, with_other_digit(finding), {"finding 1: "});
}

// Before its unit the page has a blank of its own.
TEST(BundleAlterations, ANumberOfTheReportIsToldWithPlainBlanks) {
    const std::string page = bytes_of("report.html"), no_break_space = "\xC2\xA0";
    const std::size_t unit = page.find(no_break_space);
    ASSERT_NE(unit, std::string::npos);
    const std::size_t begin = page.rfind('>', unit) + 1;
    const std::string text = page.substr(begin, page.find('<', unit) - begin);
    std::string altered = text;
    char& digit = altered[unit - 1 - begin];
    digit = digit == '9' ? '1' : '9';
    const auto judgement = judgement_after(
        [&](Files& files) { replace_in(file_of(files, "report.html").bytes, text, altered); });
    const std::string lines = lines_of(judgement);
    EXPECT_NE(lines.find(page[unit - 1] + std::string(" ") + page[unit + 2]), std::string::npos)
        << lines;
    EXPECT_NE(lines.find(digit + std::string(" ") + page[unit + 2]), std::string::npos) << lines;
    EXPECT_EQ(lines.find(no_break_space), std::string::npos) << lines;
}

TEST(BundleAlterations, TheScriptThatDrawsTheFigures) {
    expect_found("report.html", "document.getElementById", "document.getElementByIx",
                 {"script that draws"});
}

TEST(BundleAlterations, ACellOfATable) {
    const std::string path = "tables/train-2.summary.csv";
    const std::string csv = bytes_of(path);
    const std::string row = csv.substr(csv.find('\n') + 1);
    std::string altered = row;
    const std::size_t comma = row.find(",,");
    altered.insert(comma + 2, "9");
    expect_found(path, row, altered, {"line 2, column tokens_per_s: "});
}

TEST(BundleAlterations, ANumberOfARecordInJson) {
    const std::string path = "records/train-2.json";
    const std::string numbers =
        piece_to(bytes_of(path), "\"name\": \"rank_steps\"", "\"numbers\": [", "]");
    expect_found(path, numbers, with_other_digit(numbers),
                 {"samples, 'surroundings', columns, 'begin_s', numbers, "});
}

TEST(BundleAlterations, ASentenceOfTheReadme) {
    expect_found("README.md", "checks passed", "checks passe2", {"line "});
}

TEST(BundleAlterations, TheManifest) {
    const auto judgement = judgement_after([](Files& files) {
        replace_in(file_of(files, "manifest.json").bytes, "\"nature\": \"measured\"",
                   "\"nature\": \"measurex\"");
    });
    EXPECT_NE(lines_of(judgement).find("manifest.json: records, 'train-2', nature"),
              std::string::npos)
        << lines_of(judgement);
}

TEST(BundleAlterations, WhatIsSaidOfSealsIsSo) {
    const auto change = [](Files& files) {
        replace_in(file_of(files, "manifest.json").bytes, "\"nature\": \"measured\"",
                   "\"nature\": \"measurex\"");
    };
    const std::string broken = lines_of(judgement_after(change));
    EXPECT_NE(broken.find("do not match the hash"), std::string::npos) << broken;
    EXPECT_EQ(broken.find("sealed again"), std::string::npos) << broken;
    const std::string sealed = lines_of(judgement_after([&](Files& files) {
        change(files);
        reseal_manifest(file_of(files, "manifest.json").bytes);
    }));
    EXPECT_NE(sealed.find("(and it was sealed again)"), std::string::npos) << sealed;
    EXPECT_EQ(sealed.find("do not match the hash"), std::string::npos) << sealed;
    const std::string fitted = lines_of(judgement_after_sealing([](Files& files) {
        replace_in(file_of(files, "README.md").bytes, "checks passed", "checks passe2");
    }));
    EXPECT_NE(fitted.find("README.md: line "), std::string::npos) << fitted;
    EXPECT_NE(fitted.find("(and the manifest was made to fit)"), std::string::npos) << fitted;
}

TEST(BundleAlterations, AByteOfASampleFile) {
    const auto judgement = judgement_after([](Files& files) {
        auto& bytes = file_of(files, "records/train-2.h5").bytes;
        bytes[bytes.size() / 2] ^= 1;
    });
    const std::string lines = lines_of(judgement);
    EXPECT_NE(lines.find("records/train-2.h5: "), std::string::npos) << lines;
    EXPECT_NE(lines.find("(figures from it: "), std::string::npos) << lines;
    EXPECT_EQ(judgement.wrong.size(), 1U) << "nothing else was changed: " << lines;
}

/// Where our own HDF5 library laid the file out, the column is named, too.
TEST(BundleAlterations, AByteOfAColumn) {
    BundleContents contents = example_contents();
    for (BundledRecord& one : contents.records) {
        one.record.hash = hash_of(one.record);
        one.record.version = format_version;
        one.hdf5 = to_hdf5_bytes(one.record);
    }
    const auto judged_after = [&](const std::string& name, const std::string& stretch) {
        auto files = bundle_files(contents);
        auto& bytes = file_of(files, "records/" + name + ".h5").bytes;
        const std::size_t place = bytes.find(stretch);
        require(place != std::string::npos, "the stretch is not in the file");
        bytes[place + 2] ^= 1;
        return lines_of(judgement_of(to_zip(files)));
    };
    const auto as_bytes = [](double number) {
        return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const Record& train = contents.records.front().record;
    const double duration_s = train.table("summary").column("duration_s").numbers.at(0);
    const std::string lines = judged_after("train-2", as_bytes(duration_s));
    EXPECT_NE(lines.find("derived, table summary, column duration_s"), std::string::npos) << lines;
    EXPECT_NE(lines.find("figures from it: "), std::string::npos) << lines;
}

/// The forger makes HDF5, JSON, CSV, report and manifest anew from an altered record.
std::string forged_archive(const std::function<void(Record&)>& change) {
    BundleContents contents = example_contents();
    for (BundledRecord& one : contents.records) {
        change(one.record);
        one.record.hash = hash_of(one.record);
        one.record.version = format_version;
        one.hdf5 = to_hdf5_bytes(one.record);
    }
    return to_zip(bundle_files(contents));
}

TEST(BundleAlterations, ADerivedFigureThatItsSamplesDoNotGive) {
    const auto judgement = judgement_of(forged_archive([](Record& record) {
        if (record.kind != "train" || record.samples.empty()) return;
        numbers_of(record, "summary", "tokens_per_s").at(0) *= 1.1;
    }));
    const std::string lines = lines_of(judgement);
    EXPECT_NE(lines.find("records/train-2.h5: table summary, row 0"), std::string::npos) << lines;
    EXPECT_NE(lines.find(", tokens_per_s: "), std::string::npos) << lines;
}

TEST(BundleAlterations, AVerdictThatTheSamplesDoNotGive) {
    const std::string lines = lines_of(judgement_of(forged_archive([](Record& record) {
        if (record.kind != "interconnect") return;
        for (Table& table : record.derived) {
            for (auto& column : table.columns) {
                if (table.name == "acceptance" && column.name == "verdict") {
                    column.texts.at(0) = "fail";
                }
            }
        }
    })));
    EXPECT_NE(lines.find("records/pod.h5: table acceptance, row 0 "), std::string::npos) << lines;
    EXPECT_NE(lines.find("verdict: 'fail', but its samples give 'pass'"), std::string::npos)
        << lines;
}

TEST(BundleAlterations, ASampleOnWhichFiguresRest) {
    const auto judgement = judgement_of(forged_archive([](Record& record) {
        for (Table& table : record.samples) {
            if (table.name != "rank_steps") continue;
            for (auto& column : table.columns) {
                if (column.name == "time_s") column.numbers.back() *= 1.001;
            }
        }
    }));
    EXPECT_NE(lines_of(judgement).find("records/train-2.h5: table steps, row "), std::string::npos)
        << lines_of(judgement);
}

TEST(BundleAlterations, FilesThatAreSwappedMissingOrAdded) {
    const auto swapped = judgement_after([](Files& files) {
        std::swap(file_of(files, "tables/train-2.steps.csv").bytes,
                  file_of(files, "tables/train-2.summary.csv").bytes);
    });
    for (const char* name : {"steps", "summary"}) {
        EXPECT_NE(lines_of(swapped).find(std::string("tables/train-2.") + name + ".csv: "),
                  std::string::npos)
            << lines_of(swapped);
    }
    const auto without = [](const std::string& path) {
        return [path](Files& files) {
            std::erase_if(files, [&](const BundledFile& file) { return file.path == path; });
        };
    };
    for (const char* path : {"manifest.json", "README.md", "tables/probe.machine.csv",
                             "records/train-2.json", "records/train-2.h5", "acceptance.toml"}) {
        const auto missing = judgement_after(without(path));
        EXPECT_NE(lines_of(missing).find(std::string(path) + ": missing"), std::string::npos)
            << lines_of(missing);
    }
    const auto add = [](Files& files) { files.push_back({"tables/extra.csv", "a\n1\n"}); };
    EXPECT_NE(lines_of(judgement_after(add)).find("tables/extra.csv: not in the manifest"),
              std::string::npos);
    EXPECT_NE(lines_of(judgement_after_sealing(add))
                  .find("tables/extra.csv: no part of a bundle of these records"),
              std::string::npos);
}

TEST(BundleAlterations, HeadersAndWhatIsAppended) {
    const auto appended = judgement_of(example_archive() + "x");
    EXPECT_NE(lines_of(appended).find("of the archive"), std::string::npos) << lines_of(appended);
    std::string bytes = example_archive();
    bytes[10] ^= 1;  // the time of the first file
    EXPECT_FALSE(judgement_of(bytes).wrong.empty());
}

}  // namespace
}  // namespace shardstone::validation
