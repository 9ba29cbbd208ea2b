// SPDX-License-Identifier: Apache-2.0
//
// Byte sources of readers: a file, memory, or another source decompressed with gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "orrery/core/error.h"

namespace orrery::trace {

/// Returns bytes in order, once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills `into` from its start and returns the number of bytes written; 0 only at the end (or if
  /// `into` is empty).
  virtual Result<std::size_t> read(std::span<std::byte> into) = 0;
  /// Upper bound for the number of bytes, or 0 if unknown: a hint for buffer sizes.
  [[nodiscard]] virtual std::uint64_t size_hint() const { return 0; }
};

/// Bytes that are already in memory and outlive the source.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : rest_(bytes), total_(bytes.size()) {}
  Result<std::size_t> read(std::span<std::byte> into) override;
  [[nodiscard]] std::uint64_t size_hint() const override { return total_; }

 private:
  std::span<const std::byte> rest_;
  std::uint64_t total_;
};

/// A source of `head` (copied) followed by `rest`.
[[nodiscard]] std::unique_ptr<ByteSource> prepend(std::unique_ptr<ByteSource> rest,
                                                  std::span<const std::byte> head);

/// Opens a regular file. Errc: input_not_found, input_read (also for folders, pipes and devices).
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

/// Decompresses gzip (consecutive members are one stream). Errc: input_corrupt, input_truncated,
/// limit_exceeded (see limits::kInflateRatio); `where` names the file.
[[nodiscard]] std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed,
                                                 std::string where);

/// Decompresses zstd (consecutive frames are one stream; skippable ones are skipped). Its maximum
/// ratio is five times that of gzip, because zstd finds repetitions over longer distances. Errc:
/// input_corrupt, input_truncated, limit_exceeded (also for a frame that requires more than
/// limits::kZstdWindowBytes of memory); `where` names the file.
[[nodiscard]] std::unique_ptr<ByteSource> unzstd(std::unique_ptr<ByteSource> compressed,
                                                 std::string where);

/// `source` itself, or its decompressed content if the content (not the name) is gzip or zstd.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> decompress(std::unique_ptr<ByteSource> source,
                                                             const std::string& where);

}  // namespace orrery::trace
