// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/kernel_parse_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/graph/kernel.h"

namespace orrery::model {
namespace {

using std::string_view;

template <std::size_t count, class Named>
std::vector<string_view> all_names(Named name_of) {
  std::vector<string_view> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(name_of(i));
  return names;
}
std::vector<string_view> operation_names() {
  return all_names<graph::kOperations>(
      [](std::size_t i) { return name(static_cast<graph::Operation>(i)); });
}
std::vector<string_view> pass_names() {
  return all_names<graph::kPasses>([](std::size_t i) { return name(static_cast<graph::Pass>(i)); });
}
std::vector<string_view> format_names() {
  return all_names<graph::kFormats>(
      [](std::size_t i) { return name(static_cast<graph::Format>(i)); });
}
std::vector<string_view> trait_names() {
  return all_names<graph::kTraits>([](std::size_t i) { return graph::trait_name(i); });
}

Error wrong_word(string_view what, string_view word, const std::vector<string_view>& words,
                 const std::string& place) {
  std::string hint = did_you_mean(word, words);
  if (hint.empty()) hint = "one of " + join(words);
  return {Errc::input_corrupt, place, fmt::format("{} is not a valid {}", in_quotes(word), what),
          std::move(hint)};
}

/// The reason why `word`, which contains '=', is not a size of kernels of `operation`; empty: it
/// is.
std::optional<Error> size_mistake(string_view word, graph::Operation operation,
                                  const std::string& place) {
  const string_view key = word.substr(0, word.find('='));
  const auto names = graph::size_names(operation);
  std::vector<string_view> keys(names.begin(), names.end());
  keys.insert(keys.end(), {"launches", "host_launches", "looped_launches", "flops", "bytes"});
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    return wrong_word(fmt::format("size of {} kernels", name(operation)), key, keys, place);
  const Result<std::int64_t> number = parse_integer(word.substr(key.size() + 1), place);
  if (!number) return Error{Errc::input_corrupt, place, number.error().what};
  const bool of_host = key == "host_launches" || key == "looped_launches";
  if (*number < 1 || (key == "launches" && (*number < 2 || *number > 0xffffffff)) ||
      (of_host && *number > 0xffffff))
    return Error{Errc::input_range, place, in_quotes(word) + " is out of range",
                 key == "launches" ? "omit launches=1" : "omit sizes of 0"};
  return std::nullopt;
}

}  // namespace

Error kernel_parse_error(string_view text, const std::string& place) {
  const auto next = [&] {
    const std::size_t end = std::min(text.find(' '), text.size());
    const string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  };
  const string_view operation_word = next();
  const auto operation = graph::operation_of(operation_word);
  if (!operation) return wrong_word("operation", operation_word, operation_names(), place);
  const std::vector<string_view> passes = pass_names();
  const string_view pass = next();
  if (std::find(passes.begin(), passes.end(), pass) == passes.end())
    return wrong_word("pass", pass, passes, place);
  string_view formats = next();
  const std::size_t comma = formats.find(','), arrow = formats.find('>');
  if (comma == string_view::npos || arrow == string_view::npos || comma > arrow)
    return {Errc::input_corrupt, place, in_quotes(formats) + " is not a list of formats",
            "write the formats of both inputs and of the output, such as bf16,bf16>fp32"};
  for (const string_view word :
       {formats.substr(0, comma), formats.substr(comma + 1, arrow - comma - 1),
        formats.substr(arrow + 1)})
    if (!graph::format_of(word)) return wrong_word("format", word, format_names(), place);
  const std::vector<string_view> traits = trait_names();
  while (!text.empty()) {
    const string_view word = next();
    if (word.find('=') != string_view::npos) {
      if (auto mistake = size_mistake(word, *operation, place)) return *mistake;
    } else if (word != "host_waits" &&
               std::find(traits.begin(), traits.end(), word) == traits.end()) {
      return wrong_word("trait", word, traits, place);
    }
  }
  return {Errc::input_corrupt, place, "gives a size or a trait twice"};
}

}  // namespace orrery::model
