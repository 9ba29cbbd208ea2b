// SPDX-License-Identifier: Apache-2.0
//
// Writes files atomically: an output file appears complete or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/system/temporary_file.h"

namespace orrery {

/// How a file is moved to its final path.
struct FilePlacement {
  bool force = false;  ///< replaces an existing file
  /// Does not wait until the disk has the data, as writes of single files do: for thousands of
  /// traces, each wait would take milliseconds. Only a power failure can leave such a file empty.
  bool skip_sync = false;
};

/// A file that appears complete or not at all. Bytes go into a temporary file in the same folder,
/// which replaces `path` in finish(). After an error, or without finish(), the temporary is removed
/// and the previous file at `path` is unchanged. A device (see is_device) is written to directly.
///
/// The temporary has no name where the file system supports that (O_TMPFILE): then a killed program
/// leaves none. Elsewhere, and while it replaces a file, it has the name of temporary_name().
/// remove_temporary_files() removes it from a signal handler. If a program was killed without its
/// signal handlers (SIGKILL), the next program that writes to the folder removes it.
class AtomicFile {
 public:
  /// Creates missing folders, too. Errc: output_exists unless `how.force`, output_failed.
  [[nodiscard]] static Result<AtomicFile> create(std::string path, FilePlacement how);
  /// Writes to a descriptor that is already open, e.g. stdout, and does not close it. `name` is for
  /// errors.
  [[nodiscard]] static AtomicFile onto(int descriptor, std::string name);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// After an error, every further call returns the same error. Errc: output_failed.
  Result<void> write(std::string_view bytes);
  /// Overwrites earlier bytes at `offset`; not for devices. Errc: output_failed.
  Result<void> write_at(std::uint64_t offset, std::string_view bytes);
  /// Errc: output_exists (if a file appeared meanwhile) unless `how.force`, output_failed.
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] bool failed() const { return error_ != 0; }
  /// Bytes written so far.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  AtomicFile(std::string path, FilePlacement how);
  [[nodiscard]] int open();
  [[nodiscard]] int open_temporary();
  [[nodiscard]] int name_temporary(const std::function<int(const char*)>& create);
  [[nodiscard]] int name_unnamed();
  [[nodiscard]] int place();
  [[nodiscard]] Result<void> done(int error);
  void close();

  std::string path_;
  FilePlacement how_;
  bool borrowed_ = false;
  bool unnamed_ = false;     ///< bytes go to a file without a name
  TemporaryFile temporary_;  ///< none if bytes go to a device or to a file without a name
  int descriptor_ = -1;
  int error_ = 0;  ///< errno of the first failure
  std::uint64_t size_ = 0;
};

/// Writes `bytes` to `path` atomically: see AtomicFile.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view bytes,
                                                 FilePlacement how);

/// Errc::output_exists if there is a regular file at `path` and `force` is not set. Commands call
/// it before long work, so that they fail early.
[[nodiscard]] Result<void> check_absent(const std::string& path, bool force);

/// Whether `path` is a pipe, a terminal, /dev/null or /dev/stdout: a file that cannot be replaced.
[[nodiscard]] bool is_device(const std::string& path);

/// Writes all of `bytes` to an open descriptor. Returns 0, or the errno of the failure.
[[nodiscard]] int write_all(int descriptor, std::string_view bytes);

}  // namespace orrery
