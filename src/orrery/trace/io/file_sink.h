// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/system/atomic_file.h"

namespace orrery::trace {

/// An AtomicFile, compressed with gzip when the name ends ".gz", with zstd when it ends ".zst"
/// (without a time stamp: same content, same bytes).
class FileSink {
 public:
  /// Errc: output_exists unless `how.force`, output_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSink>> create(const std::string& path,
                                                                FilePlacement how);
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

  explicit FileSink(AtomicFile file);
  Result<void> pack(std::string_view bytes, bool last);

  AtomicFile file_;
  std::unique_ptr<Packer> packer_;  // null: as it comes
};

}  // namespace orrery::trace
