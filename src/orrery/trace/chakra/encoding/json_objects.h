// SPDX-License-Identifier: Apache-2.0
//
// Splits a long JSON text into records without loading all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// The text of one JSON object.
struct JsonObjectText {
  std::string_view text;  ///< valid until the next call
  std::uint64_t offset = 0;
};

/// Returns the objects of the array `key` in the only top-level object; if there is no such key,
/// the top-level objects. Respects strings and nesting. Does not validate the contents of an
/// object; the JSON parser does.
class JsonObjects {
 public:
  JsonObjects(Window& window, std::string where, std::string key)
      : window_(window), where_(std::move(where)), key_(std::move(key)) {}

  /// Detects which of the two forms the text has. Remembers the first other top-level key
  /// (first_key).
  Result<void> open();
  [[nodiscard]] bool in_array() const { return in_array_; }
  /// Errc: input_truncated, input_corrupt, limit_exceeded.
  Result<std::optional<JsonObjectText>> next();
  /// The first top-level key before `key`, or without `key`; may be empty.
  [[nodiscard]] const std::string& first_key() const { return first_key_; }

 private:
  Result<bool> skip_space();
  Result<std::size_t> object_length();
  [[nodiscard]] std::string place() const;

  Window& window_;
  std::string where_;
  std::string key_;
  std::string first_key_;
  bool in_array_ = false;
  bool ended_ = false;
  std::size_t taken_ = 0;
};

}  // namespace orrery::trace::chakra
