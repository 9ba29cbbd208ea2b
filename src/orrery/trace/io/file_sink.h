// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::trace {

/// An AtomicFile, compressed with gzip if the name ends in ".gz", with zstd if it ends in ".zst".
/// Contains no time stamp: equal content gives equal bytes.
class FileSink {
 public:
  /// Errc: output_exists unless `how.force`, output_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>> create(const std::string& path,
                                                                FilePlacement how);
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Result<void> write(std::string_view bytes);
  /// Publishes the file. Without this call the file never appears.
  Result<void> close();

 private:
  class Compressor;
  class GzipCompressor;
  class ZstdCompressor;

  explicit FileSink(AtomicFile file);
  Result<void> compress(std::string_view bytes, bool last);

  AtomicFile file_;
  std::unique_ptr<Compressor> compressor_;  // null: no compression
};

}  // namespace orrery::trace
