// SPDX-License-Identifier: BSD-3-Clause
// The layout that hdf5_format.hpp documents, read by somebody else's code.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "results/record/record.hpp"
#include "validation/unit/results/example_record.hpp"

namespace shardstone::validation {
namespace {

constexpr const char* reader = R"(
import json, sys, h5py, math
with h5py.File(sys.argv[1], "r") as f:
    about = {name: f["about"][name][0].decode() for name in f["about"]}
    assert about["format"] == "shardstone record" and about["kind"] == "example", about
    assert json.loads(about["configuration"])["ranks"] == 8
    times = f["samples/times/time_s"][:]
    assert times[0] == 1 / 3 and len(times) == 4, times
    assert math.isnan(f["samples/times/odd"][0]) and f["samples/times/odd"][1] == math.inf
    assert f["samples/empty/nothing"].shape == (0,)
    words = [w.decode() for w in f["derived/z_first/algorithm"][:]]
    assert words == ["ring", "", "a longer \u00e4 name"], words
    assert list(f["verification/passed"][:]) == [1.0, 1.0]
)";

TEST(Hdf5Layout, IsReadableWithH5py) {
    const std::string python = "/usr/bin/python3";
    if (std::system((python + " -c 'import h5py' 2> /dev/null").c_str()) != 0) {
        GTEST_SKIP() << python << " has no h5py (apt install python3-h5py)";
    }
    const TemporaryFolder folder;
    results::write_hdf5(example_record(), folder / "record.h5");
    std::ofstream(folder / "reader.py") << reader;
    const auto command =
        python + " " + (folder / "reader.py").string() + " " + (folder / "record.h5").string();
    EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace shardstone::validation
