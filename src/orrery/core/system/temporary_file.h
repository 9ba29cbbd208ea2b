// SPDX-License-Identifier: Apache-2.0
//
// Registers temporary files that are being written, so that a signal handler can remove them.
#pragma once

#include <string>

namespace orrery {

/// Registers the path of a file that is being written. remove_temporary_files() knows the path
/// before the file is created and until it is removed. The destructor removes the file.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  explicit TemporaryFile(std::string path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile() { remove(); }

  explicit operator bool() const { return slot_ != nullptr; }
  [[nodiscard]] const char* path() const;
  /// Removes the file, if it still exists.
  void remove();
  /// Unregisters the path without removing the file, which belongs to another writer.
  void release();

 private:
  struct Slot;
  static Slot* take();

  Slot* slot_ = nullptr;

  friend void remove_temporary_files();
};

/// Removes all registered files, of all threads. For a signal handler (it only makes
/// async-signal-safe calls), as the last step before the program ends: a write in progress
/// continues into a file that has no name any more.
void remove_temporary_files();

}  // namespace orrery
