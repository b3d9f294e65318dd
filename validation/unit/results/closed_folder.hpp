// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

namespace shardstone::validation {

/// While it lives, this process may not read a folder, which stands in one of its own: not even as
/// root, which is nobody meanwhile.
class ClosedFolder {
  public:
    explicit ClosedFolder(std::filesystem::path folder)
        : folder_(std::move(folder)), is_root_(::geteuid() == 0) {
        using std::filesystem::perms;
        constexpr auto open = static_cast<perms>(0755);
        std::filesystem::permissions(folder_.parent_path(), open);
        std::filesystem::permissions(folder_, perms::none);
        constexpr uid_t nobody = 65534;
        if (is_root_) is_root_ = ::seteuid(nobody) == 0;
    }
    ClosedFolder(const ClosedFolder&) = delete;
    ClosedFolder& operator=(const ClosedFolder&) = delete;
    ~ClosedFolder() {
        if (is_root_ && ::seteuid(0) != 0) std::terminate();
        std::error_code ignored;
        std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    }

  private:
    std::filesystem::path folder_;
    bool is_root_;
};

}  // namespace shardstone::validation
