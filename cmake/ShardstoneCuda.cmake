# SPDX-License-Identifier: BSD-3-Clause
# CUDA and NCCL. Where nvcc is found, *.cu and *_cuda.cpp are compiled and linked, so that they never
# rot; they run where a GPU is. Without it they are left out and nothing else changes.
#
# Sets SHARDSTONE_HAS_CUDA and SHARDSTONE_HAS_NCCL.

set(SHARDSTONE_CUDA AUTO CACHE STRING "CUDA sources: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE SHARDSTONE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(SHARDSTONE_HAS_CUDA FALSE)
set(SHARDSTONE_HAS_NCCL FALSE)
if(NOT SHARDSTONE_CUDA)
  return()
endif()

find_program(SHARDSTONE_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME
             PATHS /usr/local/cuda PATH_SUFFIXES bin)
mark_as_advanced(SHARDSTONE_NVCC)
if(NOT SHARDSTONE_NVCC)
  if(SHARDSTONE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "SHARDSTONE_CUDA is ON and nvcc was not found: put it on the PATH, set "
                        "CUDA_HOME, or give -DSHARDSTONE_CUDA=OFF")
  endif()
  message(STATUS "CUDA: no nvcc; built without")
  return()
endif()

if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${SHARDSTONE_NVCC})
endif()
if(NOT CMAKE_CUDA_HOST_COMPILER)
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
endif()
# For the GPUs of this machine; where there are none, for Hopper and, as PTX, for what comes after it. The
# preset `cuda` names Ampere, Hopper and Blackwell; name others for other GPUs.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE unknown)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  list(TRANSFORM capabilities REPLACE "\\." "")
  list(REMOVE_DUPLICATES capabilities)
  if(unknown OR NOT capabilities)
    set(capabilities 90)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${capabilities} CACHE STRING "Compute capabilities that kernels are compiled for")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(SHARDSTONE_HAS_CUDA TRUE)

find_path(SHARDSTONE_NCCL_INCLUDE nccl.h HINTS ENV NCCL_HOME PATH_SUFFIXES include
          PATHS ${CUDAToolkit_INCLUDE_DIRS})
find_library(SHARDSTONE_NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ENV NCCL_HOME PATH_SUFFIXES lib lib64
             PATHS ${CUDAToolkit_LIBRARY_DIR})
mark_as_advanced(SHARDSTONE_NCCL_INCLUDE SHARDSTONE_NCCL_LIBRARY)
if(SHARDSTONE_NCCL_INCLUDE AND SHARDSTONE_NCCL_LIBRARY)
  set(SHARDSTONE_HAS_NCCL TRUE)
  add_library(shardstone_nccl UNKNOWN IMPORTED)
  set_target_properties(shardstone_nccl PROPERTIES
    IMPORTED_LOCATION ${SHARDSTONE_NCCL_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SHARDSTONE_NCCL_INCLUDE})
endif()
message(STATUS "CUDA: ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}; "
               "NCCL: ${SHARDSTONE_NCCL_LIBRARY}")
