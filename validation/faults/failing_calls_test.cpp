// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program, makes one of the system calls fail by which it writes files below a
// folder: for the campaign of this folder. What it is told by its environment:
//
//     FAIL_BELOW   the folder; calls on other files are left alone and not counted
//     FAIL_AT      which call, from 1; 0 only counts
//     FAIL_WITH    the errno
//     FAIL_ON      if not empty, so do all calls after it (a disk that stays full)
//     FAIL_LOG     a file that gets a line "N CALL PATH" for each counted call
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

const char* setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

template <class Function>
Function* real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_below(const std::string& path) {
    const std::string folder = setting("FAIL_BELOW");
    return !folder.empty() && path.starts_with(folder);
}

std::string path_of(int descriptor) {
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    std::array<char, 4096> path{};
    return ::readlink(link.c_str(), path.data(), path.size() - 1) > 0 ? path.data() : "";
}

std::string absolute(const char* path) {
    if (path[0] == '/') return path;
    std::array<char, 4096> folder{};
    return ::getcwd(folder.data(), folder.size()) == nullptr
               ? path
               : std::string(folder.data()) + "/" + path;
}

void note(int number, const char* call, const std::string& path) {
    const char* log = setting("FAIL_LOG");
    if (*log == '\0') return;
    const std::string line = std::to_string(number) + " " + call + " " + path + "\n";
    using Open = int(const char*, int, ...);
    const int file = real<Open>("open")(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    using Write = ssize_t(int, const void*, size_t);
    (void)real<Write>("write")(file, line.data(), line.size());
    real<int(int)>("close")(file);
}

/// Counts a call on this path; whether it is the one to fail, errno being set then.
bool fails(const char* call, const std::string& path) {
    if (!is_below(path)) return false;
    static std::atomic<int> calls{0};
    const int number = ++calls;
    note(number, call, path);
    const int at = std::atoi(setting("FAIL_AT"));
    const bool chosen = number == at || (at > 0 && number > at && *setting("FAIL_ON") != '\0');
    if (chosen) errno = std::atoi(setting("FAIL_WITH"));
    return chosen;
}

bool is_for_writing(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY;
}

mode_t mode_in(int flags, va_list arguments) {
    const bool given = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return given ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    if (is_for_writing(flags) && fails("open", absolute(path))) return -1;
    return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_in(flags, arguments);
    va_end(arguments);
    if (is_for_writing(flags) && fails("open", absolute(path))) return -1;
    return real<int(const char*, int, ...)>("open64")(path, flags, mode);
}

FILE* fopen64(const char* path, const char* mode) {
    if (mode[0] != 'r' && fails("fopen", absolute(path))) return nullptr;
    return real<FILE*(const char*, const char*)>("fopen64")(path, mode);
}

FILE* fopen(const char* path, const char* mode) {
    if (mode[0] != 'r' && fails("fopen", absolute(path))) return nullptr;
    return real<FILE*(const char*, const char*)>("fopen")(path, mode);
}

ssize_t write(int file, const void* data, size_t size) {
    if (fails("write", path_of(file))) return -1;
    return real<ssize_t(int, const void*, size_t)>("write")(file, data, size);
}

ssize_t writev(int file, const struct iovec* pieces, int count) {
    if (fails("writev", path_of(file))) return -1;
    return real<ssize_t(int, const struct iovec*, int)>("writev")(file, pieces, count);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
    if (fails("pwrite", path_of(file))) return -1;
    return real<ssize_t(int, const void*, size_t, off_t)>("pwrite")(file, data, size, offset);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
    if (fails("pwrite", path_of(file))) return -1;
    return real<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(file, data, size, offset);
}

int fsync(int file) {
    if (fails("fsync", path_of(file))) return -1;
    return real<int(int)>("fsync")(file);
}

int fdatasync(int file) {
    if (fails("fdatasync", path_of(file))) return -1;
    return real<int(int)>("fdatasync")(file);
}

int ftruncate64(int file, off64_t size) {
    if (fails("ftruncate", path_of(file))) return -1;
    return real<int(int, off64_t)>("ftruncate64")(file, size);
}

int ftruncate(int file, off_t size) {
    if (fails("ftruncate", path_of(file))) return -1;
    return real<int(int, off_t)>("ftruncate")(file, size);
}

/// As the kernel does: the descriptor is gone all the same.
int close(int file) {
    const std::string path = path_of(file);
    const bool failing = is_for_writing(::fcntl(file, F_GETFL)) && fails("close", path);
    const int reason = errno;
    const int code = real<int(int)>("close")(file);
    if (!failing) return code;
    errno = reason;
    return -1;
}

int rename(const char* from, const char* to) {
    if (fails("rename", absolute(to))) return -1;
    return real<int(const char*, const char*)>("rename")(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    if (fails("linkat", absolute(to))) return -1;
    return real<int(int, const char*, int, const char*, int)>("linkat")(from_folder, from,
                                                                        to_folder, to, flags);
}

int mkdir(const char* path, mode_t mode) {
    if (fails("mkdir", absolute(path))) return -1;
    return real<int(const char*, mode_t)>("mkdir")(path, mode);
}

void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
    const bool writes = (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0 && file >= 0;
    if (writes && fails("mmap", path_of(file))) return MAP_FAILED;
    return real<void*(void*, size_t, int, int, int, off_t)>("mmap")(address, size, protection,
                                                                    flags, file, offset);
}

}  // extern "C"
