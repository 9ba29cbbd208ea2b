// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/points.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "orrery/core/limits.h"
#include "orrery/core/text.h"
#include "orrery/trace/io/source.h"
#include "orrery/validate/points_internal.h"

namespace orrery::validate {

namespace {

/// The whole of it, unpacked.
Result<std::string> text_of(const std::string& path) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::unpack(*std::move(file), path);
  if (!source) return tl::unexpected(source.error());
  std::string text;
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (true) {
    const auto got = (*source)->read(block);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return text;
    if (text.size() + *got > limits::kConfigBytes)
      return fail(Errc::limit_exceeded, path,
                  fmt::format("more than {} bytes of text", limits::kConfigBytes));
    text.append(reinterpret_cast<const char*>(block.data()), *got);
  }
}

/// A tree begins with a bracket, or with a line that ends in a colon or has one before a blank; CSV
/// with names between commas.
bool is_tree(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t first = line.find_first_not_of(" \t\r\xEF\xBB\xBF");
    if (first == std::string_view::npos || line[first] == '#') continue;
    line = line.substr(first);
    const char last = line[line.find_last_not_of(" \t\r")];
    return line.front() == '{' || line.front() == '[' || line.starts_with("---") || last == ':' ||
           line.find(": ") != std::string_view::npos;
  }
  return false;
}

Result<void> check(const std::vector<MeasuredPoint>& points, const std::string& where) {
  if (points.empty()) return fail(Errc::input_empty, where, "there is no point");
  std::map<std::string_view, std::string_view> places;
  for (const MeasuredPoint& point : points) {
    if (point.id.empty())
      return fail(Errc::input_missing_attr, point.place, "a point has no id",
                  "give each an `id` of its own");
    const auto [known, added] = places.try_emplace(point.id, point.place);
    if (!added)
      return fail(Errc::input_duplicate_id, point.place,
                  fmt::format("{} is at {}, too", in_quotes(point.id), known->second));
  }
  return {};
}

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points(std::string_view text, const std::string& where,
                                                Findings& findings) {
  auto points =
      is_tree(text) ? points_of_tree(text, where, findings) : points_of_csv(text, where, findings);
  if (!points) return points;
  if (auto fine = check(*points, where); !fine) return tl::unexpected(fine.error());
  return points;
}

Result<std::vector<MeasuredPoint>> read_points(const std::string& path, Findings& findings) {
  const auto text = text_of(path);
  if (!text) return tl::unexpected(text.error());
  return parse_points(*text, path, findings);
}

}  // namespace orrery::validate
