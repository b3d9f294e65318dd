// SPDX-License-Identifier: BSD-3-Clause
// The HDF5 calls that records need; what a forged file could announce or link to is refused.
#include "results/format/hdf5_handle.hpp"

#include <algorithm>
#include <array>

#include "kernels/base/error.hpp"

namespace shardstone::results::hdf5 {

namespace {

Handle text_type(std::size_t length) {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "H5Tset_size");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad");
    return type;
}

constexpr std::size_t page_bytes = 4096;

/// In chunks that are shuffled and deflated where that is worth a chunk's overhead. Without the
/// time of writing, so that the same record gives the same bytes.
Handle creation_of(std::size_t count, std::size_t element_bytes) {
    Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "H5Pcreate");
    check(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times");
    if (count * element_bytes <= page_bytes) return creation;
    constexpr std::size_t chunk_bytes = 1 << 18;
    constexpr unsigned fast = 4;
    const std::array<hsize_t, 1> chunk{
        std::min(count, std::max<std::size_t>(1, chunk_bytes / element_bytes))};
    check(H5Pset_chunk(creation.get(), 1, chunk.data()), "H5Pset_chunk");
    check(H5Pset_shuffle(creation.get()), "H5Pset_shuffle");
    check(H5Pset_deflate(creation.get(), fast), "H5Pset_deflate");
    return creation;
}

Handle write_array(const Handle& parent, const std::string& name, hid_t type, std::size_t count,
                   const void* data) {
    const std::array<hsize_t, 1> dimensions{count};
    const Handle space(H5Screate_simple(1, dimensions.data(), nullptr), H5Sclose, "H5Screate");
    const Handle creation = creation_of(count, H5Tget_size(type));
    Handle set(H5Dcreate2(parent.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                          creation.get(), H5P_DEFAULT),
               H5Dclose, "H5Dcreate");
    if (count == 0) return set;
    check(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "H5Dwrite");
    return set;
}

/// Soft and external links lead to where the hash of the file does not reach.
void require_own(const Handle& parent, const std::string& name) {
    H5L_info_t link{};
    check(H5Lget_info(parent.get(), name.c_str(), &link, H5P_DEFAULT), "H5Lget_info");
    require(link.type == H5L_TYPE_HARD, [&] { return "HDF5: '" + name + "' is a link"; });
}

/// In one dimension, inside the file, under no filters but ours: others would be looked for in
/// plugins.
void require_plain(const Handle& set, const Handle& creation, const std::string& name) {
    const Handle space(H5Dget_space(set.get()), H5Sclose, "H5Dget_space");
    const H5D_layout_t layout = H5Pget_layout(creation.get());
    bool plain = H5Sget_simple_extent_ndims(space.get()) == 1 && layout >= 0 &&
                 layout != H5D_VIRTUAL && H5Pget_external_count(creation.get()) == 0;
    for (int i = 0; i < H5Pget_nfilters(creation.get()); ++i) {
        std::size_t values = 0;
        const H5Z_filter_t filter = H5Pget_filter2(creation.get(), static_cast<unsigned>(i),
                                                   nullptr, &values, nullptr, 0, nullptr, nullptr);
        plain = plain && (filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE);
    }
    require(plain, [&] { return "HDF5: '" + name + "' is no column as a record has them"; });
}

/// Memory is taken for what the file says that it holds: it must hold so much. Deflate makes 1032
/// bytes of one at most.
void require_held(const Handle& set, const Handle& creation, const std::string& name) {
    constexpr hsize_t most_ratio = 1100;
    const Handle type(H5Dget_type(set.get()), H5Tclose, "H5Dget_type");
    const Handle space(H5Dget_space(set.get()), H5Sclose, "H5Dget_space");
    const Handle file(H5Iget_file_id(set.get()), H5Fclose, "H5Iget_file_id");
    hsize_t file_bytes = 0, chunk = 0;
    check(H5Fget_filesize(file.get(), &file_bytes), "H5Fget_filesize");
    if (H5Pget_layout(creation.get()) == H5D_CHUNKED) {
        check(H5Pget_chunk(creation.get(), 1, &chunk), "H5Pget_chunk");
    }
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    const hsize_t stored = std::min(H5Dget_storage_size(set.get()), file_bytes);
    const hsize_t most = count == 0 ? file_bytes : most_ratio * stored;
    const std::size_t each = H5Tget_size(type.get());
    const bool held = count >= 0 && each > 0 && static_cast<hsize_t>(count) <= most / each &&
                      chunk <= std::max(most, file_bytes) / each;
    require(held, [&] { return "HDF5: '" + name + "' announces more than the file holds"; });
}

Handle open_set(const Handle& parent, const std::string& name) {
    require_own(parent, name);
    Handle set(H5Dopen2(parent.get(), name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen");
    const Handle creation(H5Dget_create_plist(set.get()), H5Pclose, "H5Dget_create_plist");
    require_plain(set, creation, name);
    require_held(set, creation, name);
    return set;
}

std::size_t count_of(const Handle& set) {
    const Handle space(H5Dget_space(set.get()), H5Sclose, "H5Dget_space");
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    check(count < 0 ? -1 : 0, "H5Sget_simple_extent_npoints");
    return static_cast<std::size_t>(count);
}

}  // namespace

Handle::Handle(hid_t id, Close close, const char* call) : id_(id), close_(close) {
    require(id >= 0, [&] { return std::string("HDF5: ") + call + " failed"; });
}

Handle::~Handle() {
    if (id_ >= 0) close_(id_);
}

void check(herr_t status, const char* call) {
    require(status >= 0, [&] { return std::string("HDF5: ") + call + " failed"; });
}

Quiet::Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

Handle memory_access() {
    Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
    constexpr std::size_t increment = 1 << 16;
    check(H5Pset_fapl_core(access.get(), increment, 0), "H5Pset_fapl_core");
    return access;
}

Handle open_image(const std::string& bytes) {
    const Handle access = memory_access();
    std::string copy = bytes;
    check(H5Pset_file_image(access.get(), copy.data(), copy.size()), "H5Pset_file_image");
    return {H5Fopen("record", H5F_ACC_RDONLY, access.get()), H5Fclose, "H5Fopen"};
}

Handle create_group(const Handle& parent, const std::string& name) {
    const Handle order(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "H5Pcreate");
    check(H5Pset_link_creation_order(order.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order");
    return {H5Gcreate2(parent.get(), name.c_str(), H5P_DEFAULT, order.get(), H5P_DEFAULT), H5Gclose,
            "H5Gcreate"};
}

Handle open_group(const Handle& parent, const std::string& name) {
    require_own(parent, name);
    return {H5Gopen2(parent.get(), name.c_str(), H5P_DEFAULT), H5Gclose, "H5Gopen"};
}

std::vector<std::string> members(const Handle& group) {
    std::vector<std::string> names;
    const auto append = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Literate(group.get(), H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, append, &names),
          "H5Literate");
    return names;
}

Handle write(const Handle& parent, const std::string& name, const std::vector<double>& numbers) {
    return write_array(parent, name, H5T_NATIVE_DOUBLE, numbers.size(), numbers.data());
}

Handle write(const Handle& parent, const std::string& name, const std::vector<std::string>& texts) {
    std::size_t length = 1;
    for (const auto& text : texts) length = std::max(length, text.size());
    std::string padded;
    padded.reserve(length * texts.size());
    for (const auto& text : texts) padded.append(text).append(length - text.size(), '\0');
    return write_array(parent, name, text_type(length).get(), texts.size(), padded.data());
}

void describe(const Handle& object, const std::string& name, const std::string& text) {
    const Handle type = text_type(text.size());
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate");
    const Handle attribute(
        H5Acreate2(object.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, "H5Acreate");
    check(H5Awrite(attribute.get(), type.get(), text.c_str()), "H5Awrite");
}

std::vector<double> read_numbers(const Handle& parent, const std::string& name) {
    const Handle set = open_set(parent, name);
    const Handle type(H5Dget_type(set.get()), H5Tclose, "H5Dget_type");
    require(H5Tget_class(type.get()) == H5T_FLOAT,
            [&] { return "HDF5: '" + name + "' does not hold numbers"; });
    std::vector<double> numbers(count_of(set));
    if (numbers.empty()) return numbers;
    check(H5Dread(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
          "H5Dread");
    return numbers;
}

std::vector<std::string> read_texts(const Handle& parent, const std::string& name) {
    const Handle set = open_set(parent, name);
    const Handle type(H5Dget_type(set.get()), H5Tclose, "H5Dget_type");
    require(H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0,
            [&] { return "HDF5: '" + name + "' does not hold texts of a fixed length"; });
    const std::size_t length = H5Tget_size(type.get());
    std::string padded(length * count_of(set), '\0');
    std::vector<std::string> texts;
    if (padded.empty()) return texts;
    check(H5Dread(set.get(), text_type(length).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()),
          "H5Dread");
    for (std::size_t begin = 0; begin < padded.size(); begin += length) {
        const auto text = std::string_view(padded).substr(begin, length);
        texts.emplace_back(text.substr(0, text.find('\0')));
    }
    return texts;
}

bool holds_texts(const Handle& parent, const std::string& name) {
    const Handle set = open_set(parent, name);
    const Handle type(H5Dget_type(set.get()), H5Tclose, "H5Dget_type");
    return H5Tget_class(type.get()) == H5T_STRING;
}

}  // namespace shardstone::results::hdf5
