// SPDX-License-Identifier: BSD-3-Clause
// A folder in memory for inputs that are files: a million of them wear out no disk.
#include "validation/fuzz/memory_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels/base/error.hpp"

namespace shardstone::validation {

namespace fs = std::filesystem;

MemoryFolder::MemoryFolder() {
    const fs::path memory = "/dev/shm";
    const fs::path above = fs::is_directory(memory) ? memory : fs::temp_directory_path();
    std::string pattern = (above / "shardstone-fuzz.XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "cannot create a folder for fuzzed files");
    path_ = pattern;
}

MemoryFolder::~MemoryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void MemoryFolder::write(const std::string& name, std::string_view bytes) const {
    const fs::path path = path_ / name;
    std::ofstream file(path, std::ios::binary);
    if (!file) {
        fs::create_directories(path.parent_path());
        file.open(path, std::ios::binary);
    }
    file << bytes;
    require(file.flush().good(), "cannot write a fuzzed file");
}

std::string MemoryFolder::read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace shardstone::validation
