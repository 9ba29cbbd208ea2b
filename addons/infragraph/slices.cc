// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/slices.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

constexpr std::size_t kMaxSlices = 64;

tl::unexpected<Error> no_slice(std::string_view text, const std::string& place) {
  return fail(Errc::input_corrupt, place,
              fmt::format("{} is not a name with slices", in_quotes(text)),
              "write host[0:2] or nic[3]");
}

/// Parses the text between brackets: "3", "0:2", ":", "::2".
bool read_brackets(std::string_view inside, Slice& out) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t colon = inside.find(':');
    pieces.push_back(inside.substr(0, colon));
    if (colon == std::string_view::npos) break;
    inside.remove_prefix(colon + 1);
  }
  if (pieces.size() > 3) return false;
  std::optional<std::uint64_t> values[3];
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty()) continue;
    values[i] = whole_number(pieces[i]);
    if (!values[i]) return false;
  }
  if (pieces.size() == 1) {
    if (!values[0]) return false;
    out.first = values[0];
    out.last = saturating_sum(*values[0], 1);
    out.indexed = true;
    return true;
  }
  out.first = values[0];
  out.last = values[1];
  out.step = values[2].value_or(1);
  return out.step > 0;
}

}  // namespace

Result<std::vector<Slice>> parse_slices(std::string_view text, const std::string& place) {
  std::vector<Slice> made;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(".["), rest.size());
    const std::string_view name = rest.substr(0, end);
    if (name.empty() || name.find(']') != std::string_view::npos) return no_slice(text, place);
    rest.remove_prefix(end);
    const auto index = whole_number(name);
    if (index && !made.empty() && !made.back().first && !made.back().last) {
      made.back().first = *index;
      made.back().last = saturating_sum(*index, 1);
      made.back().indexed = true;
    } else {
      made.push_back({std::string(name), std::nullopt, std::nullopt, 1, false});
    }
    if (rest.starts_with('[')) {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos || !read_brackets(rest.substr(1, close - 1), made.back()))
        return no_slice(text, place);
      rest.remove_prefix(close + 1);
    }
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      if (rest.empty()) return no_slice(text, place);
    }
    if (made.size() > kMaxSlices) return no_slice(text, place);
  }
  if (made.empty()) return no_slice(text, place);
  return made;
}

Result<IndexRange> range_of(const Slice& slice, std::uint64_t count, const std::string& place) {
  const std::uint64_t first = slice.first.value_or(0), last = slice.last.value_or(count);
  if (last > count)
    return fail(Errc::input_range, place,
                fmt::format("{} has {} copies, but the file uses number {}", in_quotes(slice.name),
                            count, slice.indexed ? first : last - 1),
                "copies are numbered from 0; the number after the colon is the last number plus 1");
  if (first >= last) return IndexRange{first, 0, slice.step};
  return IndexRange{first, (last - first - 1) / slice.step + 1, slice.step};
}

}  // namespace orrery::platform::infragraph
