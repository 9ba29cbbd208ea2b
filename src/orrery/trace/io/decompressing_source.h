// SPDX-License-Identifier: Apache-2.0
//
// Base of decompressors: reads blocks, returns the bytes before damage first, and limits the ratio
// of output to input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

class DecompressingSource : public ByteSource {
 public:
  /// `ratio`: maximum size of the content relative to the input (beyond limits::kInflateFloor).
  DecompressingSource(std::unique_ptr<ByteSource> compressed, std::string where,
                      std::uint64_t ratio);

  Result<std::size_t> read(std::span<std::byte> into) final;

 protected:
  /// Decompresses from `input_` to the start of `into`. `produced`: number of bytes written, also
  /// before an error. Sets `is_frame_open_` while the stream is incomplete, `has_pending_output_`
  /// while it may have more output without more input, and `is_finished_` at the end.
  virtual Result<void> step(std::span<std::byte> into, std::size_t& produced) = 0;
  /// Position of the next compressed byte.
  [[nodiscard]] std::string place() const;

  std::string where_;
  std::span<const std::byte> input_;  ///< compressed bytes that were read but not used yet
  bool is_frame_open_ = false;
  bool has_pending_output_ = false;
  bool is_finished_ = false;
  std::uint64_t bytes_written_ = 0;

 private:
  Result<void> decompress_into(std::span<std::byte> into, std::size_t& filled);
  Result<void> refill();
  [[nodiscard]] Result<void> check_limits() const;

  std::unique_ptr<ByteSource> compressed_;
  std::uint64_t ratio_;
  std::vector<std::byte> buffer_;
  std::uint64_t bytes_read_ = 0;
  std::optional<Error> damage_;
};

}  // namespace orrery::trace
