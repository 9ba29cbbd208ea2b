// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/system/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "orrery/core/system/abandoned_files.h"
#include "orrery/core/system/create_parent_folders.h"

namespace orrery {

namespace {

/// The descriptor for "/dev/stdout" and similar names. Opening such a name again would overwrite a
/// file from its start.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdout") return 1;
  if (path == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = 0;
    const char* const end = path.data() + path.size();
    const auto parsed = std::from_chars(path.data() + folder.size(), end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end && number >= 0) return number;
  }
  return {};
}

/// Call it after write(): removes the written part from `bytes`. Returns false if the write failed.
bool took(ssize_t written, std::string_view& bytes, int& error) {
  if (written < 0 && errno == EINTR) return true;
  if (written <= 0) {
    error = written < 0 ? errno : EIO;
    return false;
  }
  bytes.remove_prefix(static_cast<std::size_t>(written));
  return true;
}

/// Links the temporary to its final name unless the name exists. If hard links are not supported,
/// checks for the name and renames. Returns 0 or an errno.
int give_name(const char* temporary, const char* path, bool force) {
  if (!force) {
    if (::link(temporary, path) == 0) return 0;
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    if (::access(path, F_OK) == 0) return EEXIST;
  }
  return ::rename(temporary, path) == 0 ? 0 : errno;
}

/// The path by which an open file without a name gets one. (AT_EMPTY_PATH needs a privilege.)
std::string descriptor_path(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Opens a file without a name in the folder of `path`: the system removes it when its program
/// ends, however it ends. Returns -1 if the file system or the system does not support that.
int open_unnamed(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor >= 0 && ::access(descriptor_path(descriptor).c_str(), F_OK) != 0) {
    (void)::close(descriptor);  // without /proc, it could not get a name
    return -1;
  }
  return descriptor;
}

tl::unexpected<Error> exists_already(const std::string& path) {
  return fail(Errc::output_exists, path, "exists already", "--force overwrites it");
}

}  // namespace

int write_all(int descriptor, std::string_view bytes) {
  int error = 0;
  while (!bytes.empty() && took(::write(descriptor, bytes.data(), bytes.size()), bytes, error))
    continue;
  return error;
}

bool is_device(const std::string& path) {
  if (descriptor_of(path)) return true;
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

Result<void> check_absent(const std::string& path, bool force) {
  if (force || is_device(path)) return {};
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return exists_already(path);
  return {};
}

AtomicFile::AtomicFile(std::string path, FilePlacement how) : path_(std::move(path)), how_(how) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      how_(other.how_),
      borrowed_(other.borrowed_),
      unnamed_(other.unnamed_),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      error_(std::exchange(other.error_, EBADF)),
      size_(other.size_) {}

AtomicFile::~AtomicFile() { close(); }

Result<AtomicFile> AtomicFile::create(std::string path, FilePlacement how) {
  AtomicFile file(std::move(path), how);
  if (auto opened = file.done(file.open()); !opened) return tl::unexpected(opened.error());
  return file;
}

AtomicFile AtomicFile::onto(int descriptor, std::string name) {
  AtomicFile file(std::move(name), {});
  file.borrowed_ = true;
  file.descriptor_ = descriptor;
  return file;
}

int AtomicFile::open() {
  if (const auto descriptor = descriptor_of(path_)) {
    descriptor_ = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
    return descriptor_ < 0 ? errno : 0;
  }
  if (is_device(path_)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor_ < 0 ? errno : 0;
  }
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return EISDIR;  // even with `force`
    if (!how_.force) return EEXIST;
  }
  if (const std::error_code error = create_parent_folders(path_)) return error.value();
  return open_temporary();
}

int AtomicFile::open_temporary() {
  remove_abandoned_files(path_);
  descriptor_ = open_unnamed(path_);
  unnamed_ = descriptor_ >= 0;
  if (unnamed_) return 0;
  return name_temporary([this](const char* name) {
    descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return errno;
    if (lock_temporary(descriptor_)) return 0;
    (void)::close(std::exchange(descriptor_, -1));
    return EEXIST;
  });
}

/// Registers a new name and calls `create` with it. If the name exists, it belongs to another
/// program: tries the next name. Returns 0 or an errno.
int AtomicFile::name_temporary(const std::function<int(const char*)>& create) {
  constexpr int kMaxNames = 1000;
  for (int number = 0; number < kMaxNames; ++number) {
    TemporaryFile temporary(temporary_name(path_));
    const int error = create(temporary.path());
    if (error == 0) {
      temporary_ = std::move(temporary);
      return 0;
    }
    temporary.release();
    if (error != EEXIST) return error;
  }
  return EBUSY;
}

/// A file without a name can get one, but cannot replace a file: for that, it first gets a
/// temporary name. Returns 0 or an errno.
int AtomicFile::name_unnamed() {
  const std::string self = descriptor_path(descriptor_);
  const auto link = [&](const char* name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  const int error = link(path_.c_str());
  if (error != EEXIST || !how_.force) return error;
  // Locked before it has a name, so that no program finds it unlocked.
  (void)lock_temporary(descriptor_);
  if (const int failed = name_temporary(link); failed != 0) return failed;
  return ::rename(temporary_.path(), path_.c_str()) == 0 ? 0 : errno;
}

Result<void> AtomicFile::write(std::string_view bytes) {
  if (error_ != 0) return done(error_);
  auto written = done(write_all(descriptor_, bytes));
  if (written) size_ += bytes.size();
  return written;
}

Result<void> AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  if (error_ != 0) return done(error_);
  int error = 0;
  auto at = static_cast<off_t>(offset);
  while (!bytes.empty()) {
    const std::size_t before = bytes.size();
    if (!took(::pwrite(descriptor_, bytes.data(), bytes.size(), at), bytes, error)) break;
    at += static_cast<off_t>(before - bytes.size());
  }
  return done(error);
}

/// Returns 0 or an errno.
int AtomicFile::place() {
  if (borrowed_) return 0;
  if ((temporary_ || unnamed_) && !how_.skip_sync && ::fsync(descriptor_) != 0) return errno;
  if (unnamed_) return name_unnamed();
  // A copy of the descriptor holds the lock until the file has its final name.
  const int lock = temporary_ ? ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 3) : -1;
  int error = ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
  if (error == 0 && temporary_) error = give_name(temporary_.path(), path_.c_str(), how_.force);
  if (lock >= 0) (void)::close(lock);
  return error;
}

Result<void> AtomicFile::finish() {
  auto placed = done(error_ != 0 ? error_ : place());
  close();  // the temporary is now a second link to the file, or already removed
  error_ = error_ != 0 ? error_ : EBADF;
  return placed;
}

/// Converts `error` to a result. The first error is stored, and the temporary is removed.
Result<void> AtomicFile::done(int error) {
  if (error == 0) return {};
  error_ = error;
  close();
  if (error == EEXIST && !borrowed_) return exists_already(path_);
  return fail(Errc::output_failed, path_,
              "cannot be written: " + std::generic_category().message(error),
              borrowed_ ? "" : "write to another path, or free space and allow write access there");
}

void AtomicFile::close() {
  if (descriptor_ >= 0 && !borrowed_) (void)::close(descriptor_);
  descriptor_ = -1;
  temporary_.remove();
}

Result<void> write_file_atomically(const std::string& path, std::string_view bytes,
                                   FilePlacement how) {
  auto file = AtomicFile::create(path, how);
  if (!file) return tl::unexpected(file.error());
  (void)file->write(bytes);
  return file->finish();
}

}  // namespace orrery
