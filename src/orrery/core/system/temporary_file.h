// SPDX-License-Identifier: Apache-2.0
//
// Temporary files that are being written, so that whoever ends the program can take them away.
#pragma once

#include <string>

namespace orrery {

/// The name of a file in the making: remove_temporary_files() knows it from before there is a file
/// until there is none, and the file goes with this.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  explicit TemporaryFile(std::string path);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile() { remove(); }

  explicit operator bool() const { return slot_ != nullptr; }
  [[nodiscard]] const char* path() const;
  /// Removes the file, if there is (still) one of that name.
  void remove();
  /// Leaves what bears the name alone: it is somebody else's.
  void forget();

 private:
  struct Slot;
  static Slot* take();

  Slot* slot_ = nullptr;

  friend void remove_temporary_files();
};

/// Removes every file in the making, of whatever thread. For a signal handler (it only makes calls
/// that are safe there), and the last thing before the program ends: what is being written goes on
/// into files without a name.
void remove_temporary_files();

}  // namespace orrery
