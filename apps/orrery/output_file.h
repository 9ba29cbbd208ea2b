// SPDX-License-Identifier: Apache-2.0
//
// A file that comes into being whole or not at all, however long its writing takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::app {

/// Errc::output_exists when there is a regular file at `path` and `force` is not set.
[[nodiscard]] Result<void> check_absent(const std::string& path, bool force);

/// A pipe, a terminal, /dev/null: nothing to replace, so it is written to directly.
[[nodiscard]] bool is_device(const std::string& path);

/// What the temporary beside `path` is called.
[[nodiscard]] std::string temporary_of(const std::string& path);

/// Registers a temporary file that an interrupt takes away; "" when it is gone. One at a time.
void set_temporary(const std::string& path);

/// Bytes go into a temporary beside `path`, which takes its place in finish(). Without finish()
/// nothing is left behind. "-" is stdout. One at a time (see set_temporary).
class OutputFile {
 public:
  OutputFile(std::string path, bool force);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// False when they could not be written; finish() says why.
  bool write(std::string_view bytes);
  /// Errc: output_exists, output_failed.
  [[nodiscard]] Result<void> finish();
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  [[nodiscard]] Result<void> failed(int error);
  void discard();

  std::string path_;
  bool force_;
  std::string temporary_;  ///< "" where bytes go to stdout or a device
  int descriptor_ = -1;
  int error_ = 0;  ///< errno of the first failure
  std::uint64_t size_ = 0;
};

}  // namespace orrery::app
