// SPDX-License-Identifier: BSD-3-Clause
// Records of every kind of content, small enough to be changed a million times.
#include "validation/fuzz/small_records.hpp"

#include <fmt/format.h>

#include <limits>

#include "kernels/base/error.hpp"
#include "results/format/hash.hpp"
#include "results/format/json_format.hpp"
#include "results/format/json_tables.hpp"
#include "results/format/known_fields.hpp"
#include "validation/fuzz/json_mutator.hpp"

namespace shardstone::validation {

namespace {

using nlohmann::json;
using results::Record;
using results::Table;

Record record_of(const char* kind, int version, std::vector<Table> derived,
                 std::vector<Table> samples) {
    Record record;
    record.kind = kind;
    record.version = version;
    record.identity = {{"id", "1"},
                       {"title", "t"},
                       {"start_time", "2026-11-22T10:20:30Z"},
                       {"duration_s", 1.5},
                       {"command_line", {"shardstone", kind}},
                       {"version", "1"}};
    record.configuration = {{"ranks", 2}, {"list", {1, 2.5, "three", nullptr}}};
    record.environment = {
        {"machine",
         {{"host", "n1"},
          {"cpu", "c"},
          {"cores", 2},
          {"usable_threads", 2},
          {"caches", {{{"level", 1}, {"type", "data"}, {"size_bytes", 32768}, {"count", 2}}}}}},
        {"ranks", 2},
        {"mpi", "MPICH"},
        {"variables", {{"OMP_NUM_THREADS", "1"}}}};
    record.derived = std::move(derived);
    record.samples = std::move(samples);
    record.verification = {{"sum is exact", true, "2 ranks"}, {"no detail", true, ""}};
    return record;
}

Table times(const char* name) {
    return {name,
            {{"step_s", {1.0, 2.0}, {}}, {"exposed_s", {0.1, 0.2}, {}}, {"compute_s", {1, 1}, {}}}};
}

}  // namespace

std::vector<Record> small_records() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {
        record_of("example", 3, {{"sizes", {{"name", {}, {"a", "b"}}, {"value", {1, nan}, {}}}}},
                  {{"times", {{"time_s", {1.0 / 3.0, 1e-300, 2}, {}}}}, {"empty", {}}}),
        record_of("collectives", 1,
                  {{"all_reduce",
                    {{"algorithm", {}, {"ring", "auto"}},
                     {"size_bytes", {4, 8}, {}},
                     {"reason", {}, {"", "staged: 1.10 us measured before; next ring, 2 us"}},
                     {"predicted_s", {nan, 1.1e-6}, {}}}}},
                  {{"samples", {{"algorithm", {}, {"ring"}}, {"time_s", {1e-6}, {}}}}}),
        record_of("collectives", 2,
                  {{"collectives",
                    {{"operation", {}, {"all_reduce"}},
                     {"reason", {}, {"staged: 1.10 us measured before"}},
                     {"predicted_s", {1.1e-6}, {}}}}},
                  {}),
        record_of("overlap", 1, {{"summary", {{"step_s", {1.0}, {}}}}},
                  {times("overlapped"), times("apart")}),
        record_of("pipeline", 1, {}, {{"steps", {{"step_s", {1.0}, {}}}}}),
        record_of("equivalence", 1,
                  {{"layouts", {{"all_reduce", {}, {"dp=2"}}, {"difference", {0.0}, {}}}}}, {}),
        record_of("train", 2, {{"summary", {{"warmup_steps", {3.0}, {}}}}},
                  {{"steps", {{"loss", {5.5}, {}}}}}),
    };
}

json document_of(const Record& record) {
    json document = json::parse(results::to_json_text(record));
    document.erase("seal");
    document["version"] = record.version;
    return document;
}

std::string forged_json(json document) {
    try {
        Record record;
        record.kind = results::member<std::string>(document, "kind", "");
        for (const char* name : {"identity", "configuration", "environment"}) {
            (name[0] == 'i'   ? record.identity
             : name[0] == 'c' ? record.configuration
                              : record.environment) = results::member<json>(document, name, "");
        }
        record.samples = results::tables_from_json(document, "samples", "");
        record.derived = results::tables_from_json(document, "derived", "");
        record.verification = results::checks_from_json(document, "");
        document["hash"] = results::hash_of(record);
    } catch (const std::exception&) {  // what holds no record, or no UTF-8, has no hash
        ;
    }
    const std::string rest = text_of(document, 1).substr(1);
    return fmt::format("{{\"seal\": \"{}\",\n{}", results::hash_of_bytes(rest), rest);
}

}  // namespace shardstone::validation
