// SPDX-License-Identifier: BSD-3-Clause
// What a process brings itself: variables that change how libraries work, and the libraries loaded.
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "kernels/base/utf8.hpp"
#include "results/inventory/facts.hpp"

extern char** environ;

namespace shardstone::results {

namespace {

constexpr std::array families{"UCX_",
                              "UCC_",
                              "NCCL_",
                              "OMP_",
                              "GOMP_",
                              "KMP_",
                              "MPICH_",
                              "MPIR_CVAR_",
                              "FI_",
                              "PSM2_",
                              "PSM3_",
                              "HCOLL_",
                              "SHARP_",
                              "MKL_",
                              "OPENBLAS_",
                              "BLIS_",
                              "DNNL_",
                              "ONEDNN_",
                              "CUDA_",
                              "CUBLAS_",
                              "HIP_",
                              "ROCR_",
                              "HSA_",
                              "RCCL_",
                              "KOKKOS_",
                              "MALLOC_",
                              "HWLOC_",
                              "I_MPI_FABRICS",
                              "I_MPI_ADJUST",
                              "I_MPI_PIN",
                              "OMPI_MCA_btl",
                              "OMPI_MCA_pml",
                              "OMPI_MCA_mtl",
                              "OMPI_MCA_osc",
                              "OMPI_MCA_coll",
                              "LD_PRELOAD",
                              "LD_LIBRARY_PATH",
                              "GLIBC_TUNABLES"};

/// Set by the launcher for each node, and different on each of a healthy cluster.
constexpr std::array of_launchers{"MPICH_INTERFACE_HOSTNAME", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                  "HWLOC_FSROOT"};
constexpr std::array secrets{"KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"};

bool is_wanted(std::string_view name) {
    const auto begins = [&](std::string_view family) { return name.starts_with(family); };
    const auto holds = [&](std::string_view word) { return name.find(word) != name.npos; };
    return std::ranges::any_of(families, begins) && std::ranges::none_of(secrets, holds) &&
           std::ranges::find(of_launchers, name) == of_launchers.end();
}

constexpr std::size_t aligned(std::size_t size) {
    constexpr std::size_t word = 4;
    return (size + word - 1) / word * word;
}

/// The note of type NT_GNU_BUILD_ID in one segment of notes; empty where there is none.
std::string build_id_in(const char* notes, std::size_t size) {
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof(note));
        const std::size_t name = at + sizeof(note), content = name + aligned(note.n_namesz);
        const std::size_t end = content + aligned(note.n_descsz);
        if (end > size) break;
        if (note.n_type == NT_GNU_BUILD_ID && std::string_view(notes + name, 3) == "GNU") {
            constexpr std::size_t shown = 8;  // of twenty bytes: enough to tell builds apart
            std::string text;
            for (std::size_t i = 0; i < std::min<std::size_t>(note.n_descsz, shown); ++i) {
                text += fmt::format("{:02x}", static_cast<unsigned char>(notes[content + i]));
            }
            return text;
        }
        at = end;
    }
    return "";
}

std::string build_id(const dl_phdr_info& library) {
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const auto& segment = library.dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        const auto address = library.dlpi_addr + segment.p_vaddr;
        const std::string found =
            build_id_in(reinterpret_cast<const char*>(address), segment.p_memsz);
        if (!found.empty()) return found;
    }
    return "";
}

int add_library(dl_phdr_info* info, std::size_t, void* all) {
    const std::string path = info->dlpi_name;
    if (path.empty() || path.find('/') == std::string::npos)
        return 0;  // this program, the kernel's
    std::error_code failed;
    const auto real_path = std::filesystem::canonical(path, failed);
    const std::string file = (failed ? std::filesystem::path(path) : real_path).filename().string();
    const std::string name = as_utf8(file.substr(0, file.find(".so")));
    std::string& entry = (*static_cast<std::map<std::string, std::string>*>(all))[name];
    entry +=
        (entry.empty() ? "" : "; ") + fmt::format("{}, build {}", as_utf8(file), build_id(*info));
    return 0;
}

}  // namespace

std::map<std::string, std::string> chosen_variables_of_process() {
    std::map<std::string, std::string> found;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (equals == text.npos || !is_wanted(text.substr(0, equals))) continue;
        found[as_utf8(text.substr(0, equals))] = as_utf8(text.substr(equals + 1));
    }
    return found;
}

std::map<std::string, std::string> libraries_of_process() {
    std::map<std::string, std::string> found;
    dl_iterate_phdr(add_library, &found);
    return found;
}

}  // namespace shardstone::results
