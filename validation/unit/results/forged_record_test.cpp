// SPDX-License-Identifier: BSD-3-Clause
// Records with right hashes and wrong types, as only a program could make them: each is refused in
// one line that names the file, or read; what is not ours never ends in an exception of a library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "kernels/base/error.hpp"
#include "results/format/hash.hpp"
#include "results/format/json_format.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

using nlohmann::json;

/// The document as a JSON record with a seal that holds.
std::string resealed(json document) {
    document.erase("seal");
    const std::string rest = document.dump(1).substr(2) + "\n";
    return fmt::format("{{\"seal\": \"{}\",\n{}", results::hash_of_bytes(rest), rest);
}

/// Refused with the name of the file, or read.
void expect_sound(const TemporaryFolder& folder, const json& document, const std::string& what) {
    std::ofstream(folder / "forged.json") << resealed(document);  // write_file() would sync each
    try {
        results::read_record(folder / "forged.json");
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("forged.json"), std::string::npos)
            << what << ": " << error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << what << ": " << error.what();
    }
}

TEST(Forged, EveryMemberOfEveryWrongTypeIsRefusedInOurWords) {
    const TemporaryFolder folder;
    const json good = json::parse(results::to_json_text(example_record()));
    const json leaves = good.flatten();
    std::set<std::string> places;
    for (const auto& [pointer, value] : leaves.items()) {
        for (json::json_pointer place(pointer); !place.empty(); place = place.parent_pointer()) {
            places.insert(place.to_string());
        }
    }
    for (const std::string& place : places) {
        for (const json& wrong : {json(7), json("text"), json(nullptr), json::array({1, "two"}),
                                  json::object({{"a", 1}}), json(-1e300), json(true)}) {
            json forged = good;
            forged[json::json_pointer(place)] = wrong;
            expect_sound(folder, forged, place + " = " + wrong.dump());
        }
    }
}

/// What of the three documents is looked up: named by its path.
TEST(Forged, AFieldThatIsLookedUpIsNamed) {
    const TemporaryFolder folder;
    for (const char* pointer : {"/identity/title", "/identity/command_line", "/identity/duration_s",
                                "/environment/machine/host", "/environment/machine/cores",
                                "/environment/machine/caches", "/environment/variables"}) {
        auto record = example_record();
        const json::json_pointer place(pointer);
        const auto inner =
            json::json_pointer(std::string(pointer).substr(std::string(pointer).find('/', 1)));
        json& document =
            place.to_string().starts_with("/identity") ? record.identity : record.environment;
        document[inner] = json::array({json::array()});
        results::write_json(record, folder / "forged.json");
        try {
            results::read_record(folder / "forged.json");
            ADD_FAILURE() << pointer << " went unnoticed";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(inner.to_string()), std::string::npos)
                << error.what();
        }
    }
}

}  // namespace
}  // namespace shardstone::validation
