// SPDX-License-Identifier: Apache-2.0
//
// Finds where the elements of a large JSON array begin and end, also where the file is damaged.
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
  clean,   ///< an object whose brackets match, after one comma
  apart,   ///< an object that does not follow its neighbour by one comma
  mended,  ///< the same, and that is a mistake worth counting: no comma, or too many
  broken,  ///< what is left of an object whose brackets or quotes do not match
  junk     ///< no object, or nested too deeply
};

/// A stretch of the document, by bytes from its beginning.
struct Element {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  ElementState state = ElementState::clean;
};

/// Follows quotes and brackets only. Damage ends where the next element surely begins:
/// - A string that is not closed turns strings and structure inside out. Then an element's first
///   key seems to stand inside a string, `{"ph"`, which no whole document can contain.
/// - A bracket that is missing lets an object follow a comma inside an object, or closes two.
class Splitter {
 public:
  /// `begin` is the place behind the array's opening bracket.
  explicit Splitter(std::uint64_t begin) : at_(begin), gap_begin_(begin) {}

  /// Goes on. `text` starts at `offset` of the document, which is at most keep_from(); `last` says
  /// that the document ends with it. Appends to `out`.
  void scan(std::string_view text, std::uint64_t offset, bool last, std::vector<Element>& out);

  [[nodiscard]] bool ended() const { return ended_; }
  /// Behind the closing bracket, once ended.
  [[nodiscard]] std::uint64_t end() const { return at_; }
  /// What comes before is not needed any more.
  [[nodiscard]] std::uint64_t keep_from() const {
    const std::uint64_t needed = depth_ > 0 ? begin_ : gap_.piece ? gap_.begin : gap_begin_;
    return possible_end_ != 0 ? std::min(needed, possible_end_) : needed;
  }
  /// An element has begun and not ended.
  [[nodiscard]] bool inside() const { return depth_ > 0; }
  [[nodiscard]] bool comma_before_end() const { return comma_before_end_; }

 private:
  static constexpr std::size_t kAhead = 128;  // how far an element's first key may reach
  static constexpr std::size_t kDepth = limits::kJsonDepth;
  static constexpr std::size_t kKeys = 8;

  /// What lies between two elements.
  struct Gap {
    unsigned commas = 0;
    Strings strings;
    bool piece = false;  // something that is neither space nor comma has begun …
    bool colon = false;  // … and contains a colon
    bool pieces = false;
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
  void learn();
  bool interrupts(std::uint64_t place);
  [[nodiscard]] bool starts_element(std::uint64_t place) const;
  [[nodiscard]] bool ends_array(std::uint64_t place, bool surely) const;
  [[nodiscard]] char before(std::uint64_t place) const;
  [[nodiscard]] std::size_t after_space(std::uint64_t place) const;
  [[nodiscard]] char byte(std::size_t local) const {
    return local < text_.size() ? text_[local] : '\0';
  }
  [[nodiscard]] std::string_view first_key(std::uint64_t place) const;

  std::string_view text_;
  std::uint64_t base_ = 0;  // where text_ starts
  bool last_ = false;
  std::vector<Element>* out_ = nullptr;

  StringState strings_;
  std::uint64_t at_;         // all before is looked at
  std::uint64_t begin_ = 0;  // of the element
  ElementState state_ = ElementState::clean;
  std::array<char, kDepth> stack_{};
  std::size_t depth_ = 0;
  std::uint64_t over_ = 0;  // brackets open beyond the stack

  std::uint64_t possible_end_ = 0;  // of the array, if nothing else follows; 0 = none

  std::uint64_t gap_begin_;
  Gap gap_;
  bool gap_is_whole_ = true;  // nothing of it was fed before
  bool first_ = true;         // no element yet: no comma
  bool strange_ = false;      // the element follows damage and does not begin like one
  bool lenient_ = false;      // after damage: commas are as they are
  std::string usual_gap_;
  std::string usual_head_;                // "{" up to the end of the first key, as last seen
  std::vector<std::string> keys_;         // first keys of whole elements
  std::vector<std::string> nested_keys_;  // … and of objects in arrays inside them

  bool ended_ = false;
  bool comma_before_end_ = false;
};

}  // namespace orrery::trace::json
