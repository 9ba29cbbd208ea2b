// SPDX-License-Identifier: Apache-2.0
//
// Values of Python or JSON: none, truth values, numbers, texts, lists and dictionaries. They refer
// to each other by number, as in a pickle, where two lists may contain the same dictionary.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"

namespace orrery::trace::flight_recorder {

enum class ValueKind : std::uint8_t { none, boolean, integer, real, text, list, dictionary };
/// "a list", "a text" …, for messages.
[[nodiscard]] std::string_view name(ValueKind kind);

/// The number of a value.
using ValueId = std::uint32_t;

struct Value {
  ValueKind kind = ValueKind::none;
  std::int64_t integer = 0;  ///< also of a truth value
  double real = 0;
  std::string_view text{};
  /// Of a list or a tuple: its elements. Of a dictionary: a key, its value, the next key …
  std::vector<ValueId> items{};
};

/// The values of one file. Texts refer to bytes that it owns.
class Values {
 public:
  // Limits on untrusted files. A record of a collective has some 40 values; rings have up to some
  // 20,000 records.
  static constexpr std::size_t kBytes = 64ull << 20;  ///< of a file
  static constexpr std::size_t kValues = 2'000'000;   ///< values of a file …
  static constexpr std::size_t kItems = 16ull << 20;  ///< … and their places in lists

  explicit Values(std::string bytes) : bytes_(std::move(bytes)) {}
  Values(Values&&) = delete;  // texts refer to bytes_

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  /// Adds a value. Errc: limit_exceeded; `where` names the place.
  Result<ValueId> add(Value value, const std::string& where);
  /// Appends to a list or a dictionary. Errc: limit_exceeded.
  Result<void> append(ValueId to, const ValueId* first, std::size_t count,
                      const std::string& where);
  /// Stores a text that is not part of the file's bytes.
  std::string_view own(std::string text) { return texts_.emplace_back(std::move(text)); }

  [[nodiscard]] const Value& operator[](ValueId id) const { return values_[id]; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const Value& root() const { return values_[root_]; }
  void set_root(ValueId root) { root_ = root; }

  /// The value of a key; null: there is no such key, or `dictionary` is none. Of a repeated key,
  /// the last value. O(keys).
  [[nodiscard]] const Value* member(const Value& dictionary, std::string_view key) const;

 private:
  std::string bytes_;
  std::deque<std::string> texts_;
  std::deque<Value> values_;
  std::size_t items_ = 0;
  ValueId root_ = 0;
};

}  // namespace orrery::trace::flight_recorder
