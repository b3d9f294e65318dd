// SPDX-License-Identifier: BSD-3-Clause
// Names of kernels: they are local functions, which only the program's own file knows by name.
#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

#include "validation/emulated_device/faults.hpp"

namespace shardstone::emulated {

namespace {

std::vector<char> program() {
    std::ifstream file("/proc/self/exe", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Where the program was loaded, to which addresses in its file are relative.
std::uintptr_t base() {
    std::uintptr_t found = 0;
    const auto first = [](dl_phdr_info* info, std::size_t, void* result) {
        *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
        return 1;  // the program is the first of all objects
    };
    dl_iterate_phdr(first, &found);
    return found;
}

template <class T>
std::span<const T> table(const std::vector<char>& file, std::size_t offset, std::size_t bytes) {
    if (offset + bytes > file.size()) return {};
    return {reinterpret_cast<const T*>(file.data() + offset), bytes / sizeof(T)};
}

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

}  // namespace

std::string name_of_kernel(const void* function) {
    const std::vector<char> file = program();
    const auto headers = table<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
    if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return "unknown";
    const auto sections =
        table<ElfW(Shdr)>(file, headers[0].e_shoff, headers[0].e_shnum * sizeof(ElfW(Shdr)));
    const auto address = reinterpret_cast<std::uintptr_t>(function) - base();
    for (const auto& section : sections) {
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
        const auto& strings = sections[section.sh_link];
        for (const auto& symbol : table<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
            if (symbol.st_value != address || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
            return demangled(file.data() + strings.sh_offset + symbol.st_name);
        }
    }
    return fmt::format("at {}", function);
}

}  // namespace shardstone::emulated
