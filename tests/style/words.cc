// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <algorithm>
#include <regex>

#include "text.h"

namespace orrery::style {

namespace {

/// Blanks what `pattern` matches, except line ends.
std::string without(std::string text, const std::regex& pattern) {
  std::string result;
  std::size_t end = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), none; it != none; ++it) {
    const auto begin = static_cast<std::size_t>(it->position());
    result.append(text, end, begin - end);
    for (const char c : it->str())
      if (c == '\n') result += c;
    end = begin + static_cast<std::size_t>(it->length());
  }
  return result.append(text, end, std::string::npos);
}

}  // namespace

std::vector<std::string> forbidden_words(std::string_view text) {
  static const std::regex words(
      R"(\b(told|footing|nobody|somebody|whoever|beside|what came of|comes of|put right)\b)",
      std::regex::icase);
  std::vector<std::string> found;
  for (std::cregex_iterator it(text.data(), text.data() + text.size(), words), end; it != end; ++it)
    found.push_back(it->str());
  return found;
}

std::vector<std::string> british_spellings(std::string_view text) {
  // Parts of names, too, so a list of parts of words: "optimistic" is another word.
  static constexpr std::string_view kParts[] = {
      "artefact",   "behaviour",  "catalogue",  "colour",    "favour",    "labelled",
      "labelling",  "licence",    "modelled",   "modelling", "neighbour", "initialis",
      "maximis",    "minimise",   "minimisa",   "normalis",  "optimise",  "optimisa",
      "organisa",   "parallelis", "quantis",    "recognis",  "serialis",  "summaris",
      "synchronis", "synthesise", "synthesisi", "utilis",    "vectoris"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  std::vector<std::string> found;
  for (const std::string_view part : kParts)
    for (std::size_t at = lower.find(part); at != std::string::npos; at = lower.find(part, at + 1))
      if (lower.compare(at, 11, "parallelism") != 0) found.emplace_back(part);
  return found;
}

std::string prose_of(std::string_view markdown) {
  std::string text;
  bool code = false;
  for (const std::string& line : lines_of(markdown)) {
    const bool fence = line.find("```") != std::string::npos;
    if (fence) code = !code;
    text += (code || fence ? "" : line) + "\n";
  }
  static const std::regex hidden(R"(`[^`\n]*`|\]\([^)\n]*\)|<!--[^>]*-->)");
  return without(std::move(text), hidden);
}

std::string strings_of(std::string_view source) {
  std::string text;
  bool inside = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (!inside && c == '/' && i + 1 < source.size() && source[i + 1] == '/') {
      i = std::min(source.find('\n', i), source.size() - 1);
      text += '\n';
    } else if (!inside && c == '\'') {
      i = source.find('\'', source[i + 1] == '\\' ? i + 3 : i + 2);
      if (i == std::string_view::npos) break;
    } else if (!inside && c == '"' && i > 0 && source[i - 1] == 'R') {
      const std::size_t open = source.find('(', i);
      const std::string close = ")" + std::string(source.substr(i + 1, open - i - 1)) + "\"";
      const std::size_t end = std::min(source.find(close, open), source.size());
      text += source.substr(open + 1, end - open - 1);
      i = end + close.size() - 1;
    } else if (c == '"') {
      inside = !inside;
      if (inside) text += ' ';
    } else if (inside && c == '\\') {
      ++i;
      text += ' ';
    } else if (inside || c == '\n') {
      text += c;
    }
  }
  return text;
}

std::string comments_of(std::string_view header) {
  std::string text;
  for (const std::string& line : lines_of(header)) {
    const std::size_t begin = line.find("//");
    text += (begin == std::string::npos ? "" : line.substr(begin)) + "\n";
  }
  return text;
}

Violations check_words(const std::string& path, std::string_view text) {
  Violations violations;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    for (const std::string& word : forbidden_words(line))
      violations.push_back(path + ":" + std::to_string(number) + ": '" + word +
                           "' is idiom: name the actor, or use the term of the field");
  }
  return violations;
}

}  // namespace orrery::style
