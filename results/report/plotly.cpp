// SPDX-License-Identifier: BSD-3-Clause
#include "results/report/plotly.hpp"

#include <fmt/format.h>

#include <array>

#include "kernels/base/error.hpp"
#include "results/format/atomic_file.hpp"

namespace shardstone::results {

namespace {

constexpr std::array known_places{
    "/usr/share/python3-plotly/plotly.js",
    "/usr/lib/python3/dist-packages/plotly/package_data/plotly.min.js",
    "/usr/share/javascript/plotly/plotly.min.js",
    "/usr/share/nodejs/plotly.js/dist/plotly.min.js",
};

std::filesystem::path find_plotly() {
    for (const char* place : known_places) {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(place, ignored)) return place;
    }
    fail(
        "no plotly.js on this machine: apt install python3-plotly, or name a plotly.min.js with "
        "--plotly FILE");
}

}  // namespace

std::string load_plotly(const std::optional<std::filesystem::path>& file) {
    const auto path = file ? *file : find_plotly();
    std::string source = read_file(path);
    require(source.find("plotly.js v") != std::string::npos, [&] {
        return fmt::format("'{}' is not plotly.js: name the file plotly.min.js of Plotly's release",
                           path.string());
    });
    require(source.find("</script") == std::string::npos, [&] {
        return fmt::format(
            "'{}' holds '</script', which would end the script in the page: take "
            "the plotly.min.js of another release",
            path.string());
    });
    return source;
}

}  // namespace shardstone::results
