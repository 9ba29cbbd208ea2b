// SPDX-License-Identifier: Apache-2.0
//
// The one way in which files are put in their places: whole, or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/system/temporary_file.h"

namespace orrery {

/// How a file is put in its place.
struct FilePlacement {
  bool force = false;  ///< replaces a file that is there
  /// Does not wait for the disk, as single files do: of thousands of traces each would take
  /// milliseconds. A power cut, and nothing less, may leave such a file empty.
  bool skip_sync = false;
};

/// A file that comes into being whole or not at all, however long its writing takes: bytes go into
/// a temporary beside `path`, which takes its place in finish(). Whatever fails, and without
/// finish(), the temporary is removed and what was at `path` is still there; remove_unfinished()
/// does the same from a signal handler. A device (see is_device) is written to directly.
class AtomicFile {
 public:
  /// Makes missing folders, too. Errc: output_exists unless `how.force`, output_failed.
  [[nodiscard]] static Result<AtomicFile> create(std::string path, FilePlacement how);
  /// What is open already, and stays so: stdout, say. `name` is for errors.
  [[nodiscard]] static AtomicFile onto(int descriptor, std::string name);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// After an error every other call has the same one. Errc: output_failed.
  Result<void> write(std::string_view bytes);
  /// Over what was written before; not for devices. Errc: output_failed.
  Result<void> write_at(std::uint64_t offset, std::string_view bytes);
  /// Errc: output_exists (by now) unless `how.force`, output_failed.
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] bool failed() const { return error_ != 0; }
  /// How many bytes were written.
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  AtomicFile(std::string path, FilePlacement how);
  [[nodiscard]] int open();
  [[nodiscard]] int open_temporary();
  [[nodiscard]] int place();
  [[nodiscard]] Result<void> done(int error);
  void close();

  std::string path_;
  FilePlacement how_;
  bool borrowed_ = false;
  TemporaryFile temporary_;  ///< none where bytes go to a device
  int descriptor_ = -1;
  int error_ = 0;  ///< errno of the first failure
  std::uint64_t size_ = 0;
};

/// A file of this content: see AtomicFile.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view bytes,
                                                 FilePlacement how);

/// Errc::output_exists when there is a regular file at `path` and `force` is not set: for those who
/// want to say so before the work that comes before the writing.
[[nodiscard]] Result<void> check_absent(const std::string& path, bool force);

/// A pipe, a terminal, /dev/null, /dev/stdout wherever it leads: nothing to replace.
[[nodiscard]] bool is_device(const std::string& path);

/// All of `bytes` to what is open. 0, or the errno of what kept it from that.
[[nodiscard]] int write_all(int descriptor, std::string_view bytes);

}  // namespace orrery
