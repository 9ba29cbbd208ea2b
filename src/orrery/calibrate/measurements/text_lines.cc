// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/text_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "orrery/core/limits.h"

namespace orrery::calibrate {

namespace {

using std::string_view;

constexpr string_view kBlank = " \t";
/// Characters after which a launcher may begin the line without a blank.
constexpr string_view kEndsPrefix = "]>:|)";
constexpr std::size_t kLeastWords = 5;  ///< of a row

bool is_number_char(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_whole(string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), is_number_char);
}

/// The number at the end of "[0]1048576"; the complete word if it is a number; empty: none.
string_view number_after_prefix(string_view word) {
  std::size_t begin = word.size();
  while (begin > 0 && is_number_char(word[begin - 1])) --begin;
  if (begin > 0 && kEndsPrefix.find(word[begin - 1]) == string_view::npos) return {};
  return word.substr(begin);
}

/// First words of the comments of nccl-tests and rccl-tests.
constexpr string_view kComments[] = {
    "nThread", "Using", "Rank",       "size",         "bytes",      "(B)",       "in-place",
    "Out",     "Avg",   "Collective", "out-of-place", "nccl-tests", "rccl-tests"};

bool starts_known_comment(string_view after) {
  after.remove_prefix(std::min(after.find_first_not_of(kBlank), after.size()));
  const string_view first = after.substr(0, after.find_first_of(kBlank));
  return std::find(std::begin(kComments), std::end(kComments), first) != std::end(kComments);
}

/// Whether `words` from `at` on begin as a row does.
bool begins_row(const std::vector<string_view>& words, std::size_t at, std::size_t type) {
  if (at + std::max(type + 1, kLeastWords) > words.size()) return false;
  if (!is_letter(words[at + type].front()) || number_after_prefix(words[at]).empty()) return false;
  for (std::size_t i = 1; i < type; ++i)
    if (!is_whole(words[at + i])) return false;
  return true;
}

bool is_tag(string_view word) { return word.find_first_of(kEndsPrefix) != string_view::npos; }

/// Removes `tag` where it stands alone, or touches a word.
void remove_tag(std::vector<string_view>& words, string_view tag) {
  for (string_view& word : words) {
    if (word.starts_with(tag))
      word.remove_prefix(tag.size());
    else if (word.ends_with(tag))
      word.remove_suffix(tag.size());
  }
  std::erase(words, string_view());
}

}  // namespace

TextLines::TextLines(trace::ByteSource& source, std::string where)
    : window_(source), where_(std::move(where)) {}

Result<bool> TextLines::next(std::string_view& line) {
  constexpr std::size_t kStep = 1u << 12;
  window_.consume(line_bytes_);
  line_bytes_ = 0;
  ++number_;
  for (std::size_t seen = 0;;) {
    const std::size_t end = window_.text().find('\n', seen);
    if (end != std::string_view::npos) {
      line = window_.text().substr(0, end);
      line_bytes_ = end + 1;
      break;
    }
    seen = window_.size();
    if (seen > limits::kJsonElementBytes)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("a line longer than {} MiB", limits::kJsonElementBytes >> 20));
    const Result<bool> more = window_.need(std::max(kStep, 2 * seen));
    if (!more) return more;
    if (*more || window_.size() > seen) continue;
    if (seen == 0) return false;
    line = window_.text();
    line_bytes_ = seen;
    break;
  }
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return true;
}

std::string TextLines::place() const { return fmt::format("{}:{}", where_, number_); }

string_view without_colors(string_view line, std::string& buffer) {
  if (line.find('\x1b') == string_view::npos) return line;
  buffer.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      buffer += line[i];
      continue;
    }
    if (i + 1 < line.size() && line[i + 1] == '[') ++i;
    while (i + 1 < line.size() && !is_letter(line[i + 1])) ++i;
    ++i;  // the letter that ends the sequence
  }
  const std::size_t first = std::min(buffer.find_first_not_of(kBlank), buffer.size());
  return string_view(buffer).substr(first);
}

string_view benchmark_comment(string_view line) {
  if (line.starts_with('#')) return line;
  for (std::size_t at = line.find('#'); at != string_view::npos; at = line.find('#', at + 1)) {
    const char before = line[at - 1];
    const bool separated =
        kBlank.find(before) != string_view::npos || kEndsPrefix.find(before) != string_view::npos;
    if (separated && starts_known_comment(line.substr(at + 1))) return line.substr(at);
  }
  return {};
}

bool take_row(std::vector<string_view>& words, std::optional<std::size_t> type) {
  if (type && *type > 0) {
    for (std::size_t at = 0; at < words.size(); ++at) {
      if (!begins_row(words, at, *type)) continue;
      const string_view size = number_after_prefix(words[at]);
      std::vector<string_view> tags(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
      tags.push_back(words[at].substr(0, words[at].size() - size.size()));
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
      words.front() = size;
      for (const string_view tag : tags)
        if (is_tag(tag)) remove_tag(words, tag);
      return true;
    }
  }
  return words.size() >= kLeastWords && is_whole(words.front());
}

}  // namespace orrery::calibrate
