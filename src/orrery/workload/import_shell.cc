// SPDX-License-Identifier: Apache-2.0
//
// Arguments out of a shell script, without a shell: words, variables, options.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/workload/import_internal.h"

namespace orrery::workload {

using config::Json;

namespace {

/// "8" → 8, "1e-5" → 1e-5, other text as it is.
Json value_of(const std::string& word) {
  Json parsed = Json::parse(word, nullptr, false);
  return parsed.is_number() || parsed.is_boolean() ? parsed : Json(word);
}

/// What a shell would put for $NAME, ${NAME} and ${NAME:-default}, as far as the script says it. A
/// word of the command line is a number or a name: one that grows without end stays as it is then.
std::string expand(std::string word, const std::map<std::string, std::string>& variables) {
  constexpr std::size_t kLongest = 64;
  for (int rounds = 0; rounds < 32; ++rounds) {
    const std::size_t dollar = word.find('$');
    if (dollar == std::string::npos || dollar + 1 >= word.size()) break;
    const bool braces = word[dollar + 1] == '{';
    const std::size_t first = dollar + (braces ? 2 : 1);
    std::size_t last = first;
    while (last < word.size() &&
           (std::isalnum(static_cast<unsigned char>(word[last])) != 0 || word[last] == '_'))
      ++last;
    const std::string name = word.substr(first, last - first);
    std::size_t end = braces ? word.find('}', last) : last;
    if (name.empty() || end == std::string::npos) break;
    std::string value;
    const auto known = variables.find(name);
    if (known != variables.end()) {
      value = known->second;
    } else if (braces && word.compare(last, 2, ":-") == 0) {
      value = word.substr(last + 2, end - last - 2);
    } else {
      break;
    }
    if (value.size() > kLongest || word.size() > 2 * kLongest) break;
    if (value.find("$" + name) != std::string::npos) break;
    word.replace(dollar, end + (braces ? 1 : 0) - dollar, value);
  }
  return word;
}

/// Words between spaces, line ends and line continuations; quotes and comments are gone. A quoted
/// list of arguments thus reads like any other. One word more than there may be ends the reading.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool comment = false;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, ""));
  };
  for (const char c : text) {
    if (words.size() > limits::kConfigNodes) break;
    if (comment) {
      comment = c != '\n';
    } else if (c == '#' && word.empty()) {
      comment = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\' || c == ';') {
      flush();
    } else if (c != '"' && c != '\'') {
      word += c;
    }
  }
  flush();
  return words;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

}  // namespace

Result<Json> megatron_arguments(std::string_view text, const std::string& where,
                                Findings& findings) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() > limits::kConfigNodes)
    return fail(Errc::limit_exceeded, where,
                fmt::format("has more than {} words", limits::kConfigNodes));
  std::map<std::string, std::string> variables;
  Json file = Json::object();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    const bool option = name.rfind("--", 0) == 0;
    if (option) name = name.substr(2);
    std::replace(name.begin(), name.end(), '-', '_');
    if (!is_name(name)) continue;
    const bool assigned = equals != std::string::npos;
    std::string value = assigned ? word.substr(equals + 1) : "";
    if (!option) {
      if (assigned) variables[name] = expand(value, variables);
      continue;
    }
    const bool next_is_value =
        i + 1 < words.size() && words[i + 1].rfind("--", 0) != 0 &&
        (words[i + 1][0] == '(' || words[i + 1].find_first_of("=)") == std::string::npos);
    if (!assigned && next_is_value) value = words[++i];
    value = expand(value, variables);
    if (value.find('$') != std::string::npos) {
      findings.add(FindingCode::key_ignored, fmt::format("{}: --{} = {}", where, name, value));
      continue;
    }
    file[name] = value.empty() ? Json(true) : value_of(value);
  }
  return file;
}

}  // namespace orrery::workload
