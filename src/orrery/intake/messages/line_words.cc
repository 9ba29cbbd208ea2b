// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/line_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "orrery/core/text/text.h"
#include "orrery/trace/json/decimal.h"

namespace orrery::intake {

std::string LineWords::place() const { return fmt::format("{}:line {}", where_, number_); }

Result<bool> LineWords::next() {
  do {
    const auto more = read_line();
    if (!more || !*more) return more;
  } while (words_.empty());
  return true;
}

Result<bool> LineWords::read_line() {
  window_.consume(used_);
  used_ = 0;
  words_.clear();
  std::size_t end = std::string_view::npos;
  for (std::size_t wanted = 1;; wanted = std::min(2 * window_.size(), kLongestLine + 1)) {
    const auto all = window_.need(wanted);
    if (!all) return tl::unexpected(all.error());
    end = window_.text().find('\n');
    if (end != std::string_view::npos || !*all) break;
    if (window_.size() > kLongestLine) {
      ++number_;
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("is longer than {} bytes", kLongestLine),
                  "this may not be the text file that it begins like");
    }
  }
  if (window_.size() == 0) return false;
  const std::size_t length = std::min(end, window_.size());
  used_ = std::min(length + 1, window_.size());
  ++number_;
  split(window_.text().substr(0, length));
  return true;
}

void LineWords::split(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r\v\f";
  if (!in_comment_ && !line.empty() && line.front() == '#') return;
  for (std::size_t at = 0; at < line.size();) {
    if (in_comment_) {
      const std::size_t end = line.find("*/", at);
      if (end == std::string_view::npos) return;
      in_comment_ = false;
      at = end + 2;
    } else if (kBlank.find(line[at]) != std::string_view::npos) {
      ++at;
    } else if (line.substr(at, 2) == "//") {
      return;
    } else if (line.substr(at, 2) == "/*") {
      in_comment_ = true;
      at += 2;
    } else if (alone_.find(line[at]) != std::string_view::npos) {
      words_.push_back(line.substr(at++, 1));
    } else {
      const std::size_t begin = at;
      while (at < line.size() && kBlank.find(line[at]) == std::string_view::npos &&
             alone_.find(line[at]) == std::string_view::npos && line.substr(at, 2) != "/*")
        ++at;
      words_.push_back(line.substr(begin, at - begin));
    }
  }
}

Result<std::int64_t> number_in(std::string_view word, std::string_view what,
                               const std::string& place, std::int64_t most) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = stop == word.data() + word.size();
  if (!whole || error == std::errc::invalid_argument)
    return fail(Errc::input_corrupt, place,
                fmt::format("{} must be a whole number, not {}", what, in_quotes(word)));
  if (error != std::errc{} || value < 0 || value > most)
    return fail(Errc::input_range, place,
                fmt::format("{} is {}, but must be 0 to {}", what, printable(word, 40), most));
  return value;
}

Result<Time> time_in(std::string_view word, int digits, std::string_view what,
                     const std::string& place) {
  const auto value = word.starts_with('"') ? std::nullopt : trace::json::fixed_point(word, digits);
  if (!value)
    return fail(Errc::input_corrupt, place,
                fmt::format("{} must be a number, not {}", what, in_quotes(word)));
  if (*value < 0) return fail(Errc::input_range, place, fmt::format("{} is negative", what));
  return ps(*value);
}

}  // namespace orrery::intake
