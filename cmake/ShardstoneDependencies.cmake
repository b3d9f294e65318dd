# SPDX-License-Identifier: BSD-3-Clause
# Every dependency is found here and nowhere else; nothing is ever downloaded. What is missing is
# collected first and named in one message: package, Spack and module names.

find_package(PkgConfig QUIET)
set(shardstone_missing "")

function(shardstone_need found what debian spack module)
  if(NOT ${found})
    list(APPEND shardstone_missing
         "  ${what}: apt install ${debian} | spack install ${spack} | module load ${module}")
    set(shardstone_missing "${shardstone_missing}" PARENT_SCOPE)
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX QUIET)
find_package(MPI COMPONENTS CXX QUIET)
shardstone_need(MPI_CXX_FOUND "MPI" "mpich libmpich-dev" "mpich" "mpich")

find_package(fmt QUIET)
shardstone_need(fmt_FOUND "fmt" "libfmt-dev" "fmt" "fmt")

find_package(CLI11 QUIET)
shardstone_need(CLI11_FOUND "CLI11" "libcli11-dev" "cli11" "cli11")

find_package(nlohmann_json QUIET)
shardstone_need(nlohmann_json_FOUND "nlohmann-json" "nlohmann-json3-dev" "nlohmann-json"
                "nlohmann-json")

find_package(tomlplusplus QUIET)
shardstone_need(tomlplusplus_FOUND "toml++" "libtomlplusplus-dev" "tomlplusplus" "tomlplusplus")

find_package(hwloc QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(HWLOC QUIET IMPORTED_TARGET hwloc)
  pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash)
  pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5)
  pkg_check_modules(LIBZIP QUIET IMPORTED_TARGET libzip>=1.7)
  pkg_check_modules(LIBCRYPTO QUIET IMPORTED_TARGET libcrypto>=1.1.1)
endif()
shardstone_need(HWLOC_FOUND "hwloc" "libhwloc-dev pkg-config" "hwloc" "hwloc")
shardstone_need(XXHASH_FOUND "xxHash" "libxxhash-dev pkg-config" "xxhash" "xxhash")
shardstone_need(HDF5_FOUND "HDF5 (serial, C)" "libhdf5-dev pkg-config" "hdf5~mpi" "hdf5")

shardstone_need(LIBZIP_FOUND "libzip (1.7 or later)" "libzip-dev pkg-config" "libzip" "libzip")
shardstone_need(LIBCRYPTO_FOUND "OpenSSL's libcrypto" "libssl-dev pkg-config" "openssl" "openssl")

find_package(Boost QUIET)
shardstone_need(Boost_FOUND "Boost.Math" "libboost-math-dev" "boost+math" "boost")

# Debian's Kokkos (3.4.1, from Trilinos) names an include folder that does not exist: repair it.
# A lower bound only: a range across major versions is "not found".
find_package(Kokkos 3.4 QUIET)
shardstone_need(Kokkos_FOUND "Kokkos (3.4 to 5)" "libtrilinos-kokkos-dev" "kokkos" "kokkos")
if(Kokkos_FOUND)
  get_target_property(kokkos_include Kokkos::kokkos INTERFACE_INCLUDE_DIRECTORIES)
  find_path(SHARDSTONE_KOKKOS_INCLUDE Kokkos_Core.hpp HINTS ${kokkos_include}
            PATH_SUFFIXES trilinos)
  mark_as_advanced(SHARDSTONE_KOKKOS_INCLUDE)
  foreach(target Kokkos::kokkos Kokkos::kokkoscore Kokkos::kokkoscontainers)
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                                 "${SHARDSTONE_KOKKOS_INCLUDE}")
    endif()
  endforeach()
endif()

# Matrix products: oneDNN where it is, CBLAS beside it as the fallback.
# (oneDNN's own CMake configuration on Debian insists on OpenCL headers, which we never use.)
find_path(SHARDSTONE_ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp)
find_library(SHARDSTONE_ONEDNN_LIBRARY NAMES dnnl)
find_path(SHARDSTONE_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas x86_64-linux-gnu)
find_library(SHARDSTONE_CBLAS_LIBRARY NAMES openblas cblas)
mark_as_advanced(SHARDSTONE_CBLAS_INCLUDE SHARDSTONE_CBLAS_LIBRARY SHARDSTONE_ONEDNN_INCLUDE
                 SHARDSTONE_ONEDNN_LIBRARY)
set(onednn_FOUND FALSE)
if(SHARDSTONE_ONEDNN_INCLUDE AND SHARDSTONE_ONEDNN_LIBRARY)
  set(onednn_FOUND TRUE)
endif()
set(gemm_FOUND FALSE)
if(onednn_FOUND OR (SHARDSTONE_CBLAS_INCLUDE AND SHARDSTONE_CBLAS_LIBRARY))
  set(gemm_FOUND TRUE)
endif()
shardstone_need(gemm_FOUND "oneDNN or a CBLAS" "libdnnl-dev libopenblas-dev" "onednn openblas"
                "onednn openblas")

find_package(benchmark QUIET)
shardstone_need(benchmark_FOUND "Google Benchmark" "libbenchmark-dev" "benchmark" "benchmark")
find_package(GTest QUIET)
shardstone_need(GTest_FOUND "GoogleTest" "libgtest-dev" "googletest" "googletest")

if(SHARDSTONE_SIMGRID)
  if(PkgConfig_FOUND)
    pkg_check_modules(SIMGRID QUIET IMPORTED_TARGET simgrid)
  endif()
  find_path(SHARDSTONE_SMPI_INCLUDE mpi.h NO_DEFAULT_PATH
            PATHS ${SIMGRID_INCLUDEDIR}/smpi ${SIMGRID_PREFIX}/include/smpi)
  mark_as_advanced(SHARDSTONE_SMPI_INCLUDE)
  shardstone_need(SHARDSTONE_SMPI_INCLUDE "SimGrid with SMPI" "libsimgrid-dev pkg-config"
                  "simgrid" "simgrid")
endif()

if(shardstone_missing)
  list(JOIN shardstone_missing "\n" shardstone_missing_text)
  message(FATAL_ERROR "Shardstone needs what was not found on this machine:\n"
                      "${shardstone_missing_text}\n"
                      "jobs/quickstart installs all of it on Debian 12 when run as root.")
endif()
