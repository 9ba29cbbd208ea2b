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

/// A sliding view of a source: the bytes from the reading position on, as far as they were asked
/// for. Holds one block, or as much as the largest single `need`; never grows ahead of bytes that
/// really came.
class Window {
 public:
  static constexpr std::size_t kBlock = 1u << 20;

  explicit Window(ByteSource& source);

  /// What lies ahead and is in memory. Valid until the next call of `need`.
  [[nodiscard]] std::span<const std::byte> ahead() const {
    return {buffer_.data() + begin_, end_ - begin_};
  }
  [[nodiscard]] const std::byte* data() const { return buffer_.data() + begin_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(data()), size()};
  }
  /// Place of the reading position in the source.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

  /// Tries to have at least `count` bytes ahead; false when the source ends before. What ends it
  /// may be an error, which every later call that asks for too much meets again.
  Result<bool> need(std::size_t count) {
    return size() >= count ? Result<bool>(true) : fill(count);
  }
  /// Moves on; `count` ≤ size().
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
