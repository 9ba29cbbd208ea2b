// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "orrery/core/limits.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

/// The file name in lower case, without folders and without endings of formats.
std::string stem_of(std::string_view name) {
  name.remove_prefix(name.find_last_of("/!") + 1);  // npos + 1 == 0
  std::string stem(name);
  std::transform(stem.begin(), stem.end(), stem.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 15> kEndings = {
      ".gz",  ".zst",    ".json",    ".trace",   ".pt",       ".et",     ".sqlite", ".db",
      ".tar", ".kineto", ".pftrace", ".pytorch", ".nsys-rep", ".xplane", ".pb"};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view ending : kEndings) {
      if (stem.size() <= ending.size() || !stem.ends_with(ending)) continue;
      stem.resize(stem.size() - ending.size());
      again = true;
    }
  }
  return stem;
}

/// The digits at `text[at]` as a number that could be a rank.
std::optional<std::uint32_t> number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (error != std::errc{} || number >= limits::kRanks) return std::nullopt;
  return number;
}

/// The last number that follows `word` and at most one separator.
std::optional<std::uint32_t> number_after(std::string_view stem, std::string_view word) {
  std::optional<std::uint32_t> found;
  for (std::size_t at = stem.find(word); at != std::string_view::npos;
       at = stem.find(word, at + 1)) {
    std::size_t digits = at + word.size();
    if (digits < stem.size() && std::string_view("_-.=:[(").find(stem[digits]) != std::string::npos)
      ++digits;
    if (digits >= stem.size() || !is_numeral(stem[digits])) continue;
    if (const auto number = number_at(stem, digits)) found = number;
  }
  return found;
}

/// Start of the digits at the end.
std::size_t last_digits(std::string_view stem) {
  std::size_t first = stem.size();
  while (first > 0 && is_numeral(stem[first - 1])) --first;
  return first;
}

/// The number at the end, unless the text before it shows that it counts something else.
std::optional<std::uint32_t> last_number(std::string_view stem) {
  const std::size_t first = last_digits(stem);
  constexpr std::size_t kMaxDigits = 5;  // longer ones are times and process ids
  if (first == stem.size() || stem.size() - first > kMaxDigits) return std::nullopt;
  std::string_view before = stem.substr(0, first);
  if (before.size() >= 2 && before.back() == '.' && is_numeral(before[before.size() - 2]))
    return std::nullopt;  // 1.0.3
  while (!before.empty() && std::isalnum(static_cast<unsigned char>(before.back())) == 0)
    before.remove_suffix(1);
  for (const std::string_view word : {"step", "iter", "iteration", "epoch", "batch", "bs", "v"}) {
    if (!before.ends_with(word)) continue;
    const std::string_view rest = before.substr(0, before.size() - word.size());
    if (rest.empty() || std::isalpha(static_cast<unsigned char>(rest.back())) == 0)
      return std::nullopt;
  }
  return number_at(stem, first);
}

}  // namespace

std::string pair_name(std::string_view name) {
  const std::size_t file = name.find_last_of('/');
  if (file == name.npos) return {};
  const std::size_t above = name.find_last_of("/!", file - 1) + 1;  // npos + 1 == 0
  const std::string_view folder = name.substr(above, file - above);
  if (folder != "torch_profile" && folder != "chakra") return {};
  return std::string(name.substr(0, above)) + '/' + stem_of(name);
}

bool is_capture_name(std::string_view name) {
  const std::string stem = stem_of(name);
  return stem.starts_with("graph_capture") || stem.starts_with("capture_trace") ||
         name.starts_with("capture_traces/") ||
         name.find("/capture_traces/") != std::string_view::npos ||
         name.find("!capture_traces/") != std::string_view::npos;
}

std::optional<FileNameRank> rank_in_name(std::string_view name) {
  const std::string stem = stem_of(name);
  FileNameRank out;
  for (const std::string_view word : {"node", "host"}) {
    if (!out.node) out.node = number_after(stem, word);
  }
  for (const std::string_view word : {"rank", "worker", "npu", "gpu", "device"}) {
    if (const auto rank = number_after(stem, word)) {
      out.rank = *rank;
      out.is_explicit = true;
      return out;
    }
  }
  const auto rank = last_number(stem);
  if (!rank) return std::nullopt;
  out.rank = *rank;
  out.family = stem.substr(0, last_digits(stem));
  std::replace_if(out.family.begin(), out.family.end(), is_numeral, '#');
  return out;
}

}  // namespace orrery::intake
