// SPDX-License-Identifier: Apache-2.0
//
// A large JSON document through a bounded window: its top-level members one after another, the
// elements of its large arrays in blocks that simdjson can parse.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/trace/io/window.h"
#include "orrery/trace/json/splitter.h"

namespace orrery::trace::json {

/// Splits by structure alone: quotes, backslashes and brackets. Never holds more than one block, or
/// one member or element (limits::kJsonElementBytes), of the document.
class Document {
 public:
  Document(ByteSource& source, std::string where, Findings& findings);

  /// Moves to the next member of the top-level object, skipping what is left of this one; false at
  /// the end. A bare top-level array is one member with an empty key. What is no JSON at all:
  /// Errc::input_corrupt. A document that ends too early: truncated_tail_dropped is counted and
  /// false returned.
  Result<bool> next();
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool is_array() const;
  /// The member's value as text. Errc: limit_exceeded.
  Result<std::string_view> value();

  /// What an element's handler says: false = this element is damaged, and nothing of it was kept
  /// (it may be handed over again, mended). Keys and values are those of simdjson on demand; views
  /// end with the call.
  using Handler = std::function<bool(simdjson::ondemand::object& element, std::uint64_t offset)>;
  /// Calls `handle` for each element of the array that the document stands at; elements that are no
  /// objects, or deeper than limits::kJsonDepth, are counted (corrupt_record_dropped). A block that
  /// simdjson refuses is gone through element by element: control characters and broken UTF-8 in
  /// strings, words that JSON does not have (NaN, None) and commas too many are mended and counted
  /// (json_repaired), missing commas between elements are overlooked and counted, what stays broken
  /// is dropped and counted (corrupt_record_dropped). A damaged element never takes its neighbours
  /// with it. Errors are only those of the source and limit_exceeded.
  Result<void> for_each_element(const Handler& handle);
  /// Elements met by the last for_each_element, damaged ones included.
  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  /// Handed from one line to the next for error messages: "<where>:byte N".
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
  bool truncated();
  bool damaged();
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
  std::size_t value_size_ = 0;  // of the value that value() showed; 0 = not known
  std::vector<Element> block_;
  std::vector<char> buffer_;  // what simdjson sees
  std::string mended_;
  simdjson::ondemand::parser parser_;
};

}  // namespace orrery::trace::json
