// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/inputs/message_format.h"

#include <algorithm>
#include <vector>

namespace orrery::trace {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kBlanks = " \t\r\v\f";

/// The rest of a text behind its first comments and blank lines.
std::string_view without_comments(std::string_view text) {
  for (;;) {
    const std::size_t at = text.find_first_not_of(" \t\r\v\f\n");
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at);
    const bool block = text.starts_with("/*");
    if (!block && !text.starts_with("//") && !text.starts_with('#')) return text;
    const std::size_t end = block ? text.find("*/", 2) : text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (block ? 2 : 1));
  }
}

/// The words of the first line; removes it. Empty: the line is cut, or there is none.
Words take_line(std::string_view& text) {
  text = without_comments(text);
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  Words words;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
    const std::size_t stop = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, stop - at));
    at = stop;
    if (words.size() > 16) return {};
  }
  return words;
}

bool is_number(std::string_view word, std::string_view allowed) {
  return !word.empty() && word.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_count_of_matrix(const Words& words) {
  constexpr std::string_view kCounts[] = {"Nodes", "Connections", "Triggers", "Failures"};
  return words.size() >= 2 && is_number(words[1], "0123456789") &&
         std::find(std::begin(kCounts), std::end(kCounts), words[0]) != std::end(kCounts);
}

bool is_flow(const Words& words) {
  constexpr std::size_t kLeast = 5, kMost = 7;  // columns
  if (words.size() < kLeast || words.size() > kMost) return false;
  const auto whole = [](std::string_view word) { return is_number(word, "0123456789"); };
  return std::all_of(words.begin(), words.end() - 1, whole) &&
         is_number(words.back(), "0123456789.eE+-");
}

/// Of all dot files, those with FlexFlow's kinds of nodes.
bool is_flexflow(std::string_view text) {
  return (text.starts_with("digraph") || text.starts_with("strict digraph")) &&
         (text.find("COMP_NODE") != std::string_view::npos ||
          text.find("COMM_SEND_RECV_NODE") != std::string_view::npos);
}

}  // namespace

Format message_format(std::string_view head) {
  if (is_flexflow(without_comments(head))) return Format::flexflow;
  const Words first = take_line(head), second = take_line(head);
  if (first.empty()) return Format::unknown;
  if (first[0] == "num_ranks") return Format::goal;
  if (is_count_of_matrix(first) && is_count_of_matrix(second)) return Format::htsim_matrix;
  const bool count = first.size() == 1 && is_number(first[0], "0123456789");
  return count && is_flow(second) ? Format::ns3_flows : Format::unknown;
}

}  // namespace orrery::trace
