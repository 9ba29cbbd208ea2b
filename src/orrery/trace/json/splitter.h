// SPDX-License-Identifier: Apache-2.0
//
// Finds the elements of a large JSON array, also in damaged files.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/trace/json/masks.h"
#include "orrery/trace/json/scan.h"

namespace orrery::trace::json {

enum class ElementState : std::uint8_t {
  clean,         ///< an object whose brackets match, after one comma
  unseparated,   ///< an object that is not separated from its neighbor by one comma
  repaired,      ///< the same, with an error to count: no comma, or several
  broken,        ///< the rest of an object with unmatched brackets or quotes
  not_an_object  ///< not an object, or nested too deeply
};

/// A range of bytes in the document.
struct Element {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  ElementState state = ElementState::clean;
};

/// Tracks only quotes and brackets. After damage, it resumes where the next element certainly
/// begins:
/// - An unclosed string inverts strings and structure. Then the first key of an element appears
///   inside a string, `{"ph"`, which is impossible in a valid document.
/// - After a missing bracket, an object follows a comma inside an object, or one bracket closes two
///   levels.
class Splitter {
 public:
  /// `begin`: position after the array's opening bracket.
  explicit Splitter(std::uint64_t begin) : at_(begin), gap_begin_(begin) {}

  /// Continues with `text`, which starts at `offset` of the document (at most keep_from()). `last`:
  /// the document ends with `text`. Appends to `out`.
  void scan(std::string_view text, std::uint64_t offset, bool last, std::vector<Element>& out);

  [[nodiscard]] bool ended() const { return ended_; }
  /// Position after the closing bracket, if ended().
  [[nodiscard]] std::uint64_t end() const { return at_; }
  /// Bytes before this position are not needed any more.
  [[nodiscard]] std::uint64_t keep_from() const {
    const std::uint64_t needed = depth_ > 0 ? begin_ : gap_.has_piece ? gap_.begin : gap_begin_;
    return possible_array_end_ != 0 ? std::min(needed, possible_array_end_) : needed;
  }
  /// True inside an unfinished element.
  [[nodiscard]] bool inside() const { return depth_ > 0; }
  [[nodiscard]] bool comma_before_end() const { return comma_before_end_; }

 private:
  // Maximum length of an element's head up to its first key.
  static constexpr std::size_t kAhead = 128;
  static constexpr std::size_t kDepth = limits::kJsonDepth;
  static constexpr std::size_t kKeys = 8;

  /// The bytes between two elements.
  struct Gap {
    unsigned commas = 0;
    StringTracker strings;
    bool has_piece = false;  // text other than spaces and commas has begun …
    bool has_colon = false;  // … and contains a colon
    bool has_ended_pieces = false;
    std::uint64_t begin = 0;  // of the piece
  };

  bool step();
  bool bracket(std::uint64_t place, char c);
  bool open(std::uint64_t place, char c);
  void close(std::uint64_t place, char c);
  void close_array(std::uint64_t place);
  void mismatch(std::uint64_t place, char c);
  void begin_element(std::uint64_t place, char c);
  ElementState gap_before(std::uint64_t place);
  bool ended_before(std::uint64_t end);
  void finish(std::uint64_t end);
  void resume_at(std::uint64_t place);
  void feed_gap(std::uint64_t to);
  void end_piece(std::uint64_t end);
  void end_array(std::uint64_t place);
  void remember_first_key();
  bool begins_next_element(std::uint64_t place);
  [[nodiscard]] bool starts_element(std::uint64_t place) const;
  [[nodiscard]] bool ends_array(std::uint64_t place, bool surely) const;
  [[nodiscard]] char before(std::uint64_t place) const;
  [[nodiscard]] std::size_t after_space(std::uint64_t place) const;
  [[nodiscard]] char byte(std::size_t local) const {
    return local < text_.size() ? text_[local] : '\0';
  }
  [[nodiscard]] std::string_view first_key(std::uint64_t place) const;

  std::string_view text_;
  std::uint64_t base_ = 0;  // position of text_ in the document
  bool is_last_ = false;
  std::vector<Element>* out_ = nullptr;

  BlockStringTracker strings_;
  std::uint64_t at_;         // everything before is processed
  std::uint64_t begin_ = 0;  // of the element
  ElementState state_ = ElementState::clean;
  std::array<char, kDepth> stack_{};
  std::size_t depth_ = 0;
  std::uint64_t excess_depth_ = 0;  // open brackets beyond the stack

  std::uint64_t possible_array_end_ = 0;  // end of the array if nothing else follows; 0: none

  std::uint64_t gap_begin_;
  Gap gap_;
  bool gap_is_whole_ = true;        // no part of it was fed before
  bool is_first_ = true;            // no element yet: no comma
  bool has_unusual_start_ = false;  // the element follows damage and does not begin like an element
  bool is_after_damage_ = false;    // after damage: any number of commas is accepted
  std::string usual_gap_;
  std::string usual_first_key_;           // "{" up to the end of the first key, as last seen
  std::vector<std::string> keys_;         // first keys of complete elements
  std::vector<std::string> nested_keys_;  // … and of objects in arrays inside them

  bool ended_ = false;
  bool comma_before_end_ = false;
};

}  // namespace orrery::trace::json
