// SPDX-License-Identifier: BSD-3-Clause
// Hostile HDF5 records under a valid seal: wrong types, absurd sizes, links that lead outside.
#include "validation/fuzz/forged_hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <array>
#include <vector>

#include "kernels/base/error.hpp"
#include "results/format/hash.hpp"
#include "results/format/hdf5_format.hpp"
#include "results/format/hdf5_handle.hpp"

namespace shardstone::validation {

namespace {

using results::hdf5::check;
using results::hdf5::Handle;

constexpr std::size_t room = 1 << 16;

Handle in_memory(const std::string& bytes) {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
    check(H5Pset_fapl_core(access.get(), room, 0), "H5Pset_fapl_core");
    std::string copy = bytes;
    check(H5Pset_file_image(access.get(), copy.data(), copy.size()), "H5Pset_file_image");
    return {H5Fopen("forged", H5F_ACC_RDWR, access.get()), H5Fclose, "H5Fopen"};
}

/// The library gives what is behind the user block.
std::string image_of(const Handle& file) {
    check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush");
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    check(size < 0 ? -1 : 0, "H5Fget_file_image");
    std::string image(static_cast<std::size_t>(size), '\0');
    H5Fget_file_image(file.get(), image.data(), image.size());
    return image;
}

/// A data set of a type and shape that no record has, or as large as nothing is.
void put_data_set(const Handle& file, const char* path, Mutator& mutator) {
    const Handle varying(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    H5Tset_size(varying.get(), H5T_VARIABLE);
    const Handle list(H5Tvlen_create(H5T_NATIVE_DOUBLE), H5Tclose, "H5Tvlen_create");
    const Handle long_text(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    H5Tset_size(long_text.get(), std::size_t{1} << 31U);
    const std::array types{H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64,
                           H5T_STD_I8BE,      H5T_STD_REF_OBJ,  H5T_C_S1,
                           varying.get(),     list.get(),       long_text.get()};
    const hid_t type = types[mutator.below(types.size())];
    constexpr std::array<hsize_t, 7> counts{0, 1, 2, 3, 1ULL << 33U, 1ULL << 40U, 1ULL << 62U};
    const std::array<hsize_t, 2> shape{counts[mutator.below(counts.size())], 1 + mutator.below(3)};
    const int rank = static_cast<int>(mutator.below(3));
    const Handle space(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose, "H5Screate");
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
    if (mutator.below(2) == 0 && rank > 0) {
        const std::array<hsize_t, 2> chunk{1 + mutator.below(1000), 1};
        H5Pset_chunk(creation.get(), rank, chunk.data());
        if (mutator.below(2) == 0) H5Pset_deflate(creation.get(), 1);
    } else if (mutator.below(3) == 0) {
        H5Pset_external(creation.get(), "/dev/zero", 0, H5F_UNLIMITED);
    }
    if (mutator.below(2) == 0) H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_INCR);
    const hid_t made =
        H5Dcreate2(file.get(), path, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT);
    if (made >= 0) H5Dclose(made);
}

/// In the place of what was there: something else, or nothing.
void spoil_place(const Handle& file, const char* path, Mutator& mutator) {
    H5Ldelete(file.get(), path, H5P_DEFAULT);
    constexpr std::array others{"/about", "/samples", "/derived/sizes/value", "/about/kind", "/x"};
    const char* other = others[mutator.below(others.size())];
    switch (mutator.below(8)) {
        case 0:
            break;
        case 1:
            H5Lcreate_soft(other, file.get(), path, H5P_DEFAULT, H5P_DEFAULT);
            break;
        case 2:
            H5Lcreate_hard(file.get(), other, file.get(), path, H5P_DEFAULT, H5P_DEFAULT);
            break;
        case 3:
            H5Lcreate_external("/dev/zero", "/about", file.get(), path, H5P_DEFAULT, H5P_DEFAULT);
            break;
        case 4: {
            const hid_t group = H5Gcreate2(file.get(), path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            if (group >= 0) H5Gclose(group);
            break;
        }
        default:
            put_data_set(file, path, mutator);
            break;
    }
}

/// A text of /about that is another.
void put_text(const Handle& file, const char* path, Mutator& mutator) {
    H5Ldelete(file.get(), path, H5P_DEFAULT);
    const std::string text = mutator.below(2) == 0 ? mutator.any_word() : mutator.mutated("3");
    results::hdf5::write(file, path, std::vector(1 + mutator.below(2), text));
}

}  // namespace

std::string resealed_hdf5(std::string_view image) {
    std::string head = fmt::format("shardstone record 1\nseal {}\n", results::hash_of_bytes(image));
    head.resize(results::hdf5_head_size, '\0');
    return head.append(image);
}

std::string forged_hdf5(const results::Record& record, Mutator& mutator) {
    const results::hdf5::Quiet quiet;
    const std::string good = results::to_hdf5_bytes(record);
    const Handle file = in_memory(good);
    constexpr std::array paths{"/about",
                               "/about/version",
                               "/about/kind",
                               "/about/identity",
                               "/about/hash",
                               "/samples",
                               "/samples/times",
                               "/samples/times/time_s",
                               "/samples/times/more",
                               "/derived",
                               "/derived/sizes/name",
                               "/derived/sizes/value",
                               "/verification",
                               "/verification/name",
                               "/verification/passed",
                               "/verification/detail",
                               "/beside"};
    for (std::size_t times = 1 + mutator.below(2); times > 0; --times) {
        const char* path = paths[mutator.below(paths.size())];
        try {
            mutator.below(4) == 0 ? put_text(file, path, mutator)
                                  : spoil_place(file, path, mutator);
        } catch (const Error&) {  // what it was to lie in has been taken out before
            continue;
        }
    }
    return resealed_hdf5(image_of(file));
}

}  // namespace shardstone::validation
