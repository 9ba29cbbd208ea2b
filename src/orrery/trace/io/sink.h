// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/error.h"

namespace orrery::trace {

/// A file that comes into being whole or not at all: bytes go to `<path>.part`, which is renamed at
/// `close`. Compressed with gzip when the name ends ".gz", with zstd when it ends ".zst" (without a
/// time stamp: same content, same bytes).
class FileSink {
 public:
  /// Errc: output_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>> create(const std::string& path);
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Result<void> write(std::string_view bytes);
  /// Without it the file never appears.
  Result<void> close();

 private:
  class Packer;
  class GzipPacker;
  class ZstdPacker;

  explicit FileSink(std::string path);
  Result<void> put(std::string_view bytes);
  Result<void> pack(std::string_view bytes, bool last);

  std::string path_;
  std::string part_;
  int fd_ = -1;
  std::unique_ptr<Packer> packer_;  // null: as it comes
};

}  // namespace orrery::trace
