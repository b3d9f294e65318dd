// SPDX-License-Identifier: BSD-3-Clause
// The main loop of a rival's all-reduce program: times every size, checks sums, writes results.
#include "benchmarks/collectives/rivals/contender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>

#include "benchmarks/collectives/exact_inputs.hpp"
#include "benchmarks/harness/measure.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/units.hpp"

namespace shardstone::rivals {

namespace {

using benchmarks::ExactInputs;
using benchmarks::Measurement;

constexpr auto element_bytes = static_cast<std::int64_t>(sizeof(float));

/// Wrong elements over all processes of one run on fresh inputs.
double wrong_elements(Contender& contender, Meeting& meeting, Extent place, float* vector,
                      std::int64_t count) {
    if (!contender.sums()) return 0.0;
    const ExactInputs inputs(ElementType::fp32, collectives::Reduction::sum, place.size);
    inputs.fill(vector, count, place.rank);
    meeting.line_up();
    contender.run();
    const std::array mine{static_cast<double>(inputs.wrong_elements(vector, count))};
    return meeting.maxima(mine)[0];
}

}  // namespace

Request Request::parse(int argc, char** argv) {
    const std::vector<std::string> words(argv, argv + argc);
    require(argc >= 5,
            [&] { return fmt::format("{} takes FOLDER SECONDS SETTING SIZE_BYTES...", words[0]); });
    Request request{words[1], std::atof(words[2].c_str()), words[3], {}};
    for (std::size_t i = 4; i < words.size(); ++i) {
        const std::int64_t size_bytes = parse_size_bytes(words[i]);
        require(size_bytes > 0 && size_bytes % element_bytes == 0, [&] {
            return fmt::format("{} bytes: give a positive multiple of {}", words[i], element_bytes);
        });
        request.sizes_bytes.push_back(size_bytes);
    }
    return request;
}

std::shared_ptr<float> ordinary_vector(std::int64_t count) {
    constexpr std::align_val_t line{64};
    auto* const memory = new (line) float[static_cast<std::size_t>(count)]();
    return {memory, [](float* data) { ::operator delete[](data, line); }};
}

int compete(const Request& request, Extent place, Contender& contender) {
    Meeting meeting(request.folder + "/meeting", place, [&] { contender.while_asleep(); });
    benchmarks::MeasurePolicy policy;
    policy.time_limit_s = request.seconds_per_size;
    nlohmann::json result{{"version", contender.version()}, {"points", nlohmann::json::array()}};
    bool right = true;
    for (const std::int64_t size_bytes : request.sizes_bytes) {
        const std::int64_t count = size_bytes / element_bytes;
        const auto vector = contender.prepare(count);
        std::vector<double> round_trips_s;
        const Measurement measured = measure(
            meeting, policy, [&] { contender.run(); },
            [&] {
                std::fill_n(vector.get(), contender.sums() ? count : 0, 0.0F);
                round_trips_s.push_back(meeting.round_trip_s());
            });
        round_trips_s.erase(round_trips_s.begin(),
                            round_trips_s.end() - std::ssize(measured.samples_s));
        const double wrong = wrong_elements(contender, meeting, place, vector.get(), count);
        right = right && wrong == 0.0;
        result["points"].push_back({{"size_bytes", size_bytes},
                                    {"warmup_iterations", measured.warmup_iterations},
                                    {"samples_s", measured.samples_s},
                                    {"round_trips_s", round_trips_s},
                                    {"wrong_elements", wrong}});
    }
    if (place.rank == 0) {
        const std::string path = request.folder + "/result.json";
        std::ofstream file(path);
        file << result << '\n';
        require(file.good(), [&] { return fmt::format("{}: cannot be written", path); });
    }
    return right ? 0 : 1;
}

int guarded(const std::function<int()>& body) {
    try {
        return body();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rival: %s\n", error.what());
        return 2;
    }
}

}  // namespace shardstone::rivals
