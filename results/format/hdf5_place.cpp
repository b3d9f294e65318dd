// SPDX-License-Identifier: BSD-3-Clause
// The column of an HDF5 record in which a byte of the file lies.
#include "results/format/hdf5_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "results/format/hdf5_format.hpp"
#include "results/format/hdf5_handle.hpp"

namespace shardstone::results {

namespace {

using hdf5::Handle;

/// Where a chunk begins in the file. Some versions of the library count from behind the user
/// block, so its bytes decide.
std::size_t begin_of_chunk(const Handle& set, const std::string& bytes, hsize_t first,
                           std::size_t address, std::size_t size) {
    std::uint32_t filters = 0;
    std::string stored(size, '\0');
    hdf5::check(H5Dread_chunk(set.get(), H5P_DEFAULT, &first, &filters, stored.data()),
                "H5Dread_chunk");
    const bool from_start =
        address + size <= bytes.size() && bytes.compare(address, size, stored) == 0;
    return from_start ? address : address + hdf5_head_size;
}

bool holds(const Handle& set, const std::string& bytes, std::size_t offset) {
    const Handle creation(H5Dget_create_plist(set.get()), H5Pclose, "H5Dget_create_plist");
    const auto is_inside = [&](std::size_t begin, std::size_t size) {
        return begin <= offset && offset - begin < size;
    };
    if (H5Pget_layout(creation.get()) != H5D_CHUNKED) {
        const haddr_t begin = H5Dget_offset(set.get());
        return begin != HADDR_UNDEF && is_inside(begin, H5Dget_storage_size(set.get()));
    }
    const Handle space(H5Dget_space(set.get()), H5Sclose, "H5Dget_space");
    hsize_t count = 0;
    hdf5::check(H5Dget_num_chunks(set.get(), space.get(), &count), "H5Dget_num_chunks");
    for (hsize_t i = 0; i < count; ++i) {
        hsize_t first = 0, size = 0;
        unsigned filters = 0;
        haddr_t address = 0;
        hdf5::check(H5Dget_chunk_info(set.get(), space.get(), i, &first, &filters, &address, &size),
                    "H5Dget_chunk_info");
        if (is_inside(begin_of_chunk(set, bytes, first, address, size), size)) return true;
    }
    return false;
}

}  // namespace

std::string hdf5_place(const std::string& bytes, std::size_t offset) {
    const hdf5::Quiet quiet;
    const Handle file = hdf5::open_image(bytes);
    for (const char* role : {"samples", "derived"}) {
        const Handle group = hdf5::open_group(file, role);
        for (const auto& table : hdf5::members(group)) {
            const Handle inner = hdf5::open_group(group, table);
            for (const auto& column : hdf5::members(inner)) {
                const Handle set(H5Dopen2(inner.get(), column.c_str(), H5P_DEFAULT), H5Dclose,
                                 "H5Dopen");
                if (!holds(set, bytes, offset)) continue;
                return fmt::format("{}, table {}, column {}", role, table, column);
            }
        }
    }
    return "its structure";
}

}  // namespace shardstone::results
