// SPDX-License-Identifier: Apache-2.0
//
// Where a reader's bytes come from: a file, memory, or another source through gzip or zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "orrery/core/error.h"

namespace orrery::trace {

/// Hands out bytes in order, once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills `into` from its start and returns how many bytes it wrote; 0 only at the end (or when
  /// `into` is empty).
  virtual Result<std::size_t> read(std::span<std::byte> into) = 0;
  /// How many bytes there will be at most, if known, else 0: a hint for buffer sizes.
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

/// `head` again (copied), then what is left of `rest`.
[[nodiscard]] std::unique_ptr<ByteSource> replay(std::unique_ptr<ByteSource> rest,
                                                 std::span<const std::byte> head);

/// Opens a regular file. Errc: input_not_found, input_read (also for folders, pipes and devices).
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);

/// Decompresses gzip (several members in a row are one stream).
/// Errc: input_corrupt, input_truncated, limit_exceeded (see limits::kInflateRatio); `where` names
/// the file.
[[nodiscard]] std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed,
                                                 std::string where);

/// Decompresses zstd (several frames in a row are one stream; skippable ones are skipped). May grow
/// five times as much as gzip may, because it finds repetition over longer distances.
/// Errc: input_corrupt, input_truncated, limit_exceeded (also for a frame that asks for more than
/// limits::kZstdWindowBytes of memory); `where` names the file.
[[nodiscard]] std::unique_ptr<ByteSource> unzstd(std::unique_ptr<ByteSource> compressed,
                                                 std::string where);

/// `source` itself, or what it unpacks to if its content is gzip or zstd, whatever it is called.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> unpack(std::unique_ptr<ByteSource> source,
                                                         const std::string& where);

}  // namespace orrery::trace
