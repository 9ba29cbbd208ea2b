// SPDX-License-Identifier: Apache-2.0
//
// What else runs say in passing: what they were made to run, and when.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/calibrate/benchmark.h"

namespace orrery::calibrate {
namespace {

using std::string_view;

constexpr std::int64_t kDay = 86'400'000'000;  // microseconds

/// The word that a text assigns to `name`; nothing where it says nothing of it.
std::optional<string_view> assigned(string_view text, string_view name) {
  const std::size_t found = text.find(name);
  if (found == string_view::npos) return std::nullopt;
  const string_view rest = text.substr(found + name.size());
  constexpr string_view kSet = " set by environment to ";
  string_view value;
  if (rest.starts_with('=')) {
    value = rest.substr(1);
  } else if (rest.starts_with(kSet)) {
    value = rest.substr(kSet.size());
  } else if (text.substr(0, found).ends_with("unset ")) {
    return string_view();
  } else {
    return std::nullopt;
  }
  value = value.substr(0, std::min(value.find_first_of(" \t\r"), value.size()));
  while (!value.empty() && (value.front() == '"' || value.front() == '\'')) value.remove_prefix(1);
  while (!value.empty() && string_view("\"'.;").find(value.back()) != string_view::npos)
    value.remove_suffix(1);
  return value;
}

bool is_digit_there(string_view text, std::size_t at) { return text[at] >= '0' && text[at] <= '9'; }

}  // namespace

std::string setting_text(std::string_view text) {
  std::string word;
  for (const char c : name_text(text)) {
    if (c == '_') continue;
    word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

void Forced::take(string_view text) {
  for (const auto& [name, into] :
       std::array{std::pair{"NCCL_ALGO", &algorithm}, std::pair{"NCCL_PROTO", &protocol}})
    if (const auto value = assigned(text, name)) *into = setting_text(*value);
}

std::string date_in(std::string_view text) {
  if (text.size() < 10 || text[4] != '-' || text[7] != '-') return {};
  for (const std::size_t at : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U})
    if (!is_digit_there(text, at)) return {};
  return std::string(text.substr(0, 10));
}

std::string date_of(std::int64_t microseconds) {
  // Days since 1 March of the year 0 fall into eras of 400 years; months count from March.
  if (microseconds < 946'684'800'000'000 || microseconds > 4'102'444'800'000'000) return {};
  const std::int64_t days = microseconds / kDay + 719'468;
  const std::int64_t of_era = days % 146'097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36'524 - of_era / 146'096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t day = of_year - (153 * month + 2) / 5 + 1;
  const bool next = month >= 10;
  return fmt::format("{:04}-{:02}-{:02}", year + days / 146'097 * 400 + (next ? 1 : 0),
                     next ? month - 9 : month + 3, day);
}

}  // namespace orrery::calibrate
