// SPDX-License-Identifier: BSD-3-Clause
// The text and the chained hash of each line of a journal.
#include "results/journal/lines.hpp"

#include "results/format/hash.hpp"
#include "results/format/json_tables.hpp"
#include "results/record/texts.hpp"
#include "results/record/wellformed.hpp"

namespace shardstone::results {

namespace {

using nlohmann::ordered_json;

/// A copy that can be written: any bytes may be in texts.
Record writable(Record record) {
    escape_texts(record);
    require_wellformed(record);
    return record;
}

}  // namespace

std::string line_hash(std::string_view hash_before, std::string_view text) {
    return hash_of_bytes(std::string(hash_before).append(text));
}

std::string head_text(const Record& begun) {
    const Record record = writable(begun);
    ordered_json head;
    head["format"] = "shardstone journal";
    head["version"] = format_version;
    head["kind"] = record.kind;
    head["identity"] = record.identity;
    head["configuration"] = record.configuration;
    head["environment"] = record.environment;
    return head.dump();
}

std::string part_text(const Record& part, const std::string& done) {
    Record record = writable(part);
    std::vector<Table> tables = std::move(record.derived);
    tables.insert(tables.end(), record.samples.begin(), record.samples.end());
    ordered_json line;
    line["done"] = done;
    line["verification"] = to_json(record.verification);
    line["tables"] = to_json(tables, /*with_meanings=*/false);
    return line.dump();
}

}  // namespace shardstone::results
