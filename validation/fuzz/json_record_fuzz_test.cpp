// SPDX-License-Identifier: BSD-3-Clause
// Hostile JSON records, of this version of the format and of older ones: as accidents make them,
// and as only a forger could, with seals and hashes that hold.
#include "kernels/base/error.hpp"
#include "results/convert/rows.hpp"
#include "results/format/json_format.hpp"
#include "results/format/parse_json.hpp"
#include "results/schema/schema.hpp"
#include "validation/fuzz/json_mutator.hpp"
#include "validation/fuzz/small_records.hpp"
#include "validation/fuzz/trial.hpp"

namespace shardstone::validation {
namespace {

using namespace shardstone::results;
using nlohmann::json;

/// What is accepted is written and read back as it was, and can be shown, converted and, unless it
/// is refused in our words, reported.
void keep_promises(const Record& record) {
    const Record again = record_from_bytes(to_json_text(record), "again.json");
    ASSERT_EQ(hash_of(again), hash_of(record));
    ASSERT_EQ(again.verified(), record.verified());
    ASSERT_FALSE(to_json_lines(record).empty());
    for (const Table& table : record.derived) ASSERT_FALSE(to_csv(table).empty());
    try {
        require_readable(record);
    } catch (const Error& error) {
        ASSERT_TRUE(is_one_line(error.what()));
    }
}

void try_bytes(const std::string& bytes, Counts& counts) {
    try_input([&] { keep_promises(record_from_bytes(bytes, "fuzz.json")); }, counts);
}

/// Any changed byte shows: what is accepted is what was written.
TEST(JsonRecordFuzz, AChangedByteIsRefused) {
    std::vector<std::string> texts;
    for (Record record : small_records()) texts.push_back(forged_json(document_of(record)));
    Mutator mutator(texts, nasty_words(), 11);
    Counts counts;
    for_each_input([&] {
        const std::string bytes = mutator.next();
        const bool unchanged = std::ranges::find(texts, bytes) != texts.end();
        const int before = counts.accepted;
        try_bytes(bytes, counts);
        ASSERT_EQ(counts.accepted - before, unchanged ? 1 : 0) << bytes;
    });
    expect_both("JSON records, changed", counts, 1000);
}

/// Members of wrong types, missing, doubled, numbers that do not fit, tables that are none.
TEST(JsonRecordFuzz, AForgedDocumentIsReadOrRefused) {
    std::vector<json> documents;
    for (const Record& record : small_records()) documents.push_back(document_of(record));
    JsonMutator mutator(12);
    Counts counts;
    for_each_input([&] {
        json document = documents[mutator.below(documents.size())];
        if (mutator.below(4) == 0) document["version"] = 1 + mutator.below(3);
        mutator.spoil(document);
        if (!document.is_object()) document = json::object({{"kind", document}});
        try_bytes(forged_json(document), counts);
    });
    expect_both("JSON records, forged", counts, 20);
}

/// The text itself: what the parser of JSON makes of it is a document or one kind of exception, and
/// no depth takes it down.
TEST(JsonRecordFuzz, TextIsParsedOrRefused) {
    std::vector<std::string> texts{std::string(5000, '['),
                                   "[1, 2.5e3, \"\\u00e4\", {\"a\": null}]"};
    for (const Record& record : small_records()) texts.push_back(document_of(record).dump());
    Mutator mutator(texts, nasty_words(), 13);
    Counts counts;
    for_each_input([&] {
        const std::string text = mutator.next();
        try {
            const json document = parse_json(text);
            ++counts.accepted;
            ASSERT_EQ(parse_json(document.dump()), document) << text;
        } catch (const json::exception&) {
            ++counts.refused;
        }
    });
    expect_both("JSON", counts, 100);
}

}  // namespace
}  // namespace shardstone::validation
