// SPDX-License-Identifier: Apache-2.0
//
// Cuts a long JSON text into its records without holding all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/trace/io/window.h"

namespace orrery::trace::chakra {

/// One JSON object's text.
struct JsonObjectText {
  std::string_view text;  ///< valid until the next call
  std::uint64_t offset = 0;
};

/// Yields either the objects in the array `key` of the one top-level object, or, where the
/// top-level objects have no such key, these themselves. Strings and nesting are respected; what is
/// inside a piece is the JSON parser's business.
class JsonObjects {
 public:
  JsonObjects(Window& window, std::string where, std::string key)
      : window_(window), where_(std::move(where)), key_(std::move(key)) {}

  /// Finds out which of the two it is. Names of top-level keys passed on the way are kept for
  /// `other_key`.
  Result<void> open();
  [[nodiscard]] bool in_array() const { return in_array_; }
  /// Errc: input_truncated, input_corrupt, limit_exceeded.
  Result<std::optional<JsonObjectText>> next();
  /// The first top-level key seen before `key` (or without it).
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
