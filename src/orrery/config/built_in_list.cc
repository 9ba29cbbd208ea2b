// SPDX-License-Identifier: Apache-2.0
#include "orrery/config/built_in_list.h"

#include <algorithm>

namespace orrery::config {

std::vector<EntryText> split_entries(std::string_view yaml) {
  constexpr std::string_view kStart = "- name: ";
  std::vector<EntryText> entries;
  std::size_t begin = std::string_view::npos;
  for (std::size_t line = 0; line <= yaml.size();) {
    const std::size_t end = std::min(yaml.find('\n', line), yaml.size());
    const bool starts = yaml.substr(line, end - line).starts_with(kStart);
    if (starts && begin != std::string_view::npos)
      entries.back().text = yaml.substr(begin, line - begin);
    if (starts) {
      begin = line;
      entries.push_back({yaml.substr(line + kStart.size(), end - line - kStart.size()), {}});
    }
    line = end + 1;
  }
  if (!entries.empty()) entries.back().text = yaml.substr(begin);
  return entries;
}

std::string plain_spelling(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_' && c != ' ')
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return plain;
}

}  // namespace orrery::config
