// SPDX-License-Identifier: Apache-2.0
//
// Reads a large JSON document through a bounded window: top-level members one by one, and the
// elements of large arrays in blocks for simdjson.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/trace/io/window.h"
#include "orrery/trace/json/splitter.h"

namespace orrery::trace::json {

/// Splits the document by its structure alone: quotes, backslashes and brackets. Holds at most one
/// block, or one member or element (limits::kJsonElementBytes).
class Document {
 public:
  Document(ByteSource& source, std::string where, Findings& findings);

  /// Moves to the next member of the top-level object and skips the rest of the current one; false
  /// at the end. A top-level array without an object is one member with an empty key. A document
  /// that ends too early returns false and counts truncated_tail_dropped. Errc: input_corrupt if
  /// the text is not JSON.
  Result<bool> next();
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool is_array() const;
  /// The member's value as text. Errc: limit_exceeded.
  Result<std::string_view> value();

  /// Handles one element. Returns false if the element is damaged and no part of it was used; then
  /// it may be passed again after a repair. Keys and values are those of simdjson on demand. Views
  /// are valid during the call.
  using Handler = std::function<bool(simdjson::ondemand::object& element, std::uint64_t offset)>;
  /// Calls `handle` for each element of the current array. If simdjson rejects a block, its
  /// elements are processed one by one:
  /// - Repaired and counted (json_repaired): control characters and broken UTF-8 in strings, words
  ///   that JSON does not have (NaN, None), extra commas. Missing commas between elements are
  ///   ignored and counted, too.
  /// - Dropped and counted (corrupt_record_dropped): elements that remain damaged, are not objects,
  ///   or nest deeper than limits::kJsonDepth.
  ///
  /// A damaged element never affects its neighbors. Errc: those of the source, limit_exceeded.
  Result<void> for_each_element(const Handler& handle);
  /// Number of elements in the last for_each_element, including damaged ones.
  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  /// The current position for error messages: "<where>:byte N".
  [[nodiscard]] std::string place() const;

 private:
  enum class Position : std::uint8_t { start, value, after_value, end };

  Result<bool> more(std::size_t count);
  Result<int> peek();
  Result<bool> first_member();
  Result<bool> next_member();
  Result<bool> read_key();
  Result<bool> find_value_end(bool keep);
  Result<bool> skip_value();
  bool end_with(FindingCode code);
  void deliver(const Handler& handle);
  std::size_t deliver_run(std::size_t first, std::size_t last, const Handler& handle);
  void deliver_one(const Element& element, const Handler& handle);
  bool parse_one(std::string_view text, std::uint64_t offset, const Handler& handle);
  void count(FindingCode code, std::uint64_t offset);
  [[nodiscard]] std::string_view text_of(std::uint64_t begin, std::uint64_t end) const;

  Window window_;
  std::string where_;
  Findings& findings_;
  std::string key_;
  std::uint64_t elements_ = 0;
  Position position_ = Position::start;
  bool bare_array_ = false;
  std::size_t value_size_ = 0;  // size of the value that value() returned; 0: unknown
  std::vector<Element> block_;
  std::vector<char> buffer_;  // input of simdjson
  std::string repaired_text_;
  simdjson::ondemand::parser parser_;
};

}  // namespace orrery::trace::json
