// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "orrery/core/text_numbers.h"

namespace orrery {

/// An interned string: an index into its StringPool. 0 is always the empty string.
enum class StringId : std::uint32_t { empty = 0 };

/// Stores each distinct string once. Ids are dense, in order of first appearance. Views stay valid
/// while the pool lives.
class StringPool {
 public:
  StringPool() = default;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  StringId intern(std::string_view text);
  [[nodiscard]] std::string_view view(StringId id) const {
    return strings_[static_cast<std::uint32_t>(id)];
  }
  [[nodiscard]] std::size_t size() const { return strings_.size(); }
  /// The approximate memory of the strings, in bytes.
  [[nodiscard]] std::size_t resident_bytes() const {
    return text_bytes_ + strings_.size() * sizeof(std::string) + numbers_.resident_bytes();
  }

 private:
  std::deque<std::string> strings_{""};  // a deque: growing it moves no string
  TextNumbers numbers_;
  std::size_t text_bytes_ = 0;
};

}  // namespace orrery
