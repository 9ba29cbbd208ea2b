// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/json/scan.h"

namespace orrery::trace::json {
namespace {

bool opens(char c) { return c == '{' || c == '['; }
bool closes(char c) { return c == '}' || c == ']'; }

}  // namespace

std::optional<std::size_t> ValueScanner::feed(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (strings_.take(c)) {
      if (depth_ == 0 && !strings_.inside()) return i + 1;
    } else if (opens(c)) {
      max_depth_ = std::max(max_depth_, ++depth_);
    } else if (closes(c)) {
      if (depth_ == 0) return i;
      if (--depth_ == 0) return i + 1;
    } else if (depth_ == 0 && (c == ',' || is_space(c))) {
      return i;
    }
  }
  return std::nullopt;
}

bool KeyIterator::next() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c != '"') {
      if (opens(c)) ++depth_;
      if (closes(c)) {
        is_outside_ = is_outside_ || depth_ <= 1;
        if (depth_ > 0) --depth_;
      }
      ++at_;
      continue;
    }
    const std::size_t begin = at_ + 1;
    at_ = string_end(text_, at_);
    const std::size_t colon = skip_space(text_, at_);
    if (colon == text_.size() || text_[colon] != ':') continue;
    key_ = text_.substr(begin, at_ - begin - 1);
    value_ = skip_space(text_, colon + 1);
    return true;
  }
  return false;
}

bool nests_deeper(std::string_view text, int most) {
  StringTracker strings;
  int depth = 0;
  for (const char c : text) {
    if (strings.take(c)) continue;
    if (opens(c) && ++depth > most) return true;
    if (closes(c)) --depth;
  }
  return false;
}

}  // namespace orrery::trace::json
