// SPDX-License-Identifier: BSD-3-Clause
// A made-up record with every awkward value, and a folder that cleans up after the test.
#include "validation/unit/results/example_record.hpp"

#include <iterator>
#include <limits>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

results::Record example_record() {
    using Limits = std::numeric_limits<double>;
    auto record = results::new_record("example", "A title with \"quotes\", <tags> and \u00fcmlauts",
                                      {"shardstone", "example", "--flag=<1>"});
    record.configuration = {{"ranks", 8}, {"fraction", 0.1}, {"list", {1, 2.5, "three", nullptr}}};
    record.samples = {
        {"times",
         {{"iteration", {0, 1, 2, 3}, {}},
          {"time_s", {1.0 / 3.0, Limits::denorm_min(), Limits::max(), 1e-300}, {}},
          {"odd", {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0}, {}}}},
        {"empty", {{"nothing", {}, {}}}},
        {"columnless", {}}};
    record.derived = {{"z_first", {{"algorithm", {}, {"ring", "", "a longer \u00e4 name"}}}},
                      {"a_second", {{"value", {42.0}, {}}, {"above", {7.0}, {}}}}};
    record.verification = {{"sum is exact", true, "8 ranks, 3 sizes"}, {"no detail", true, ""}};
    return record;
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "shardstone.XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "cannot create a temporary folder");
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::size_t TemporaryFolder::entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
}

}  // namespace shardstone::validation
