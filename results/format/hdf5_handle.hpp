// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace shardstone::results::hdf5 {

/// Owner of one HDF5 identifier. Throws Error naming the call if the library returned none.
class Handle {
  public:
    using Close = herr_t (*)(hid_t);
    Handle(hid_t id, Close close, const char* call);
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle();
    hid_t get() const noexcept { return id_; }

  private:
    hid_t id_;
    Close close_;
};

/// Throws Error naming `call` if an HDF5 status indicates failure.
void check(herr_t status, const char* call);

/// During its lifetime the library prints nothing by itself: errors are reported as exceptions.
class Quiet {
  public:
    Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    ~Quiet();

  private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

/// Access to a file in memory that is never written to a disk by the library, whose exit handler
/// crashes when a disk was full.
Handle memory_access();
/// Opens the very bytes whose hash was checked, not the file a second time.
Handle open_image(const std::string& bytes);

/// A group that remembers in which order its members were created.
Handle create_group(const Handle& parent, const std::string& name);
Handle open_group(const Handle& parent, const std::string& name);
/// Names of the members in creation order.
std::vector<std::string> members(const Handle& group);

// One-dimensional data sets, compressed if larger than a page of memory; each function returns the
// data set. Texts have a fixed length, that of the longest, padded with zeros.
Handle write(const Handle& parent, const std::string& name, const std::vector<double>& numbers);
Handle write(const Handle& parent, const std::string& name, const std::vector<std::string>& texts);
/// Adds an attribute to a group or data set.
void describe(const Handle& object, const std::string& name, const std::string& text);
std::vector<double> read_numbers(const Handle& parent, const std::string& name);
std::vector<std::string> read_texts(const Handle& parent, const std::string& name);
bool holds_texts(const Handle& parent, const std::string& name);

}  // namespace shardstone::results::hdf5
