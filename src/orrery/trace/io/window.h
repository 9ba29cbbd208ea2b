// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

/// A sliding view of a source: the bytes from the reading position on, as far as requested. Holds
/// one block, or as much as the largest single `need`. Grows only for bytes that the source really
/// returned.
class Window {
 public:
  static constexpr std::size_t kBlock = 1u << 20;

  explicit Window(ByteSource& source);

  /// The bytes in memory from the reading position on. Valid until the next call of `need`.
  [[nodiscard]] std::span<const std::byte> ahead() const {
    return {buffer_.data() + begin_, end_ - begin_};
  }
  [[nodiscard]] const std::byte* data() const { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data()), size()};
  }
  /// Reading position in the source.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

  /// Tries to have at least `count` bytes ahead; false if the source ends before. If the source
  /// ended with an error, every later call that needs more bytes returns this error again.
  Result<bool> need(std::size_t count) {
    return size() >= count ? Result<bool>(true) : fill(count);
  }
  /// Moves the reading position by `count` ≤ size().
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }

 private:
  Result<bool> fill(std::size_t count);

  ByteSource& source_;
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
  std::optional<Error> damage_;
};

}  // namespace orrery::trace
