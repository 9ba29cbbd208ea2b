// SPDX-License-Identifier: Apache-2.0
//
// What decompressors have in common: bytes come in blocks, what came before damage is handed out
// first, and the output may not grow out of proportion.
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

class UnpackingSource : public ByteSource {
 public:
  /// `ratio`: how many times its own size the content may have (beyond limits::kInflateFloor).
  UnpackingSource(std::unique_ptr<ByteSource> packed, std::string where, std::uint64_t ratio);

  Result<std::size_t> read(std::span<std::byte> into) final;

 protected:
  /// Takes from `input_` and writes to the start of `into`; `produced`: how many bytes it wrote,
  /// before an error too. Sets
  /// `open_` while it is inside something that must go on, `holds_` while it may have more to give
  /// without more input, and `finished_` at the end.
  virtual Result<void> step(std::span<std::byte> into, std::size_t& produced) = 0;
  /// Place of the next packed byte.
  [[nodiscard]] std::string place() const;

  std::string where_;
  std::span<const std::byte> input_;  ///< packed bytes that were read and not yet taken
  bool open_ = false;
  bool holds_ = false;
  bool finished_ = false;
  std::uint64_t out_ = 0;

 private:
  Result<void> unpack_into(std::span<std::byte> into, std::size_t& filled);
  Result<void> refill();
  [[nodiscard]] Result<void> check_limits() const;

  std::unique_ptr<ByteSource> packed_;
  std::uint64_t ratio_;
  std::vector<std::byte> buffer_;
  std::uint64_t in_ = 0;
  std::optional<Error> damage_;
};

}  // namespace orrery::trace
