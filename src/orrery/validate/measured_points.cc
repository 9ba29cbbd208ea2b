// SPDX-License-Identifier: Apache-2.0
#include "orrery/validate/measured_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/io/byte_source.h"
#include "orrery/validate/measured_points_internal.h"
#include "orrery/validate/training_log.h"

namespace orrery::validate {

namespace {

/// The complete unpacked content of a file.
Result<std::string> text_of(const std::string& path) {
  auto file = trace::open_file(path);
  if (!file) return tl::unexpected(file.error());
  auto source = trace::decompress(*std::move(file), path);
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

/// A tree begins with a bracket, or with a line with a colon at its end or before a blank. CSV
/// begins with names separated by commas.
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
  if (points.empty()) return fail(Errc::input_empty, where, "contains no points");
  std::map<std::string_view, std::string_view> places;
  for (const MeasuredPoint& point : points) {
    if (point.id.empty())
      return fail(Errc::input_missing_attr, point.place, "a point has no id",
                  "give each point a unique `id`");
    const auto [known, added] = places.try_emplace(point.id, point.place);
    if (!added)
      return fail(Errc::input_duplicate_id, point.place,
                  fmt::format("{} is also at {}", in_quotes(point.id), known->second));
  }
  return {};
}

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points(std::string_view text, const std::string& where,
                                                Findings& findings) {
  auto points = is_tree(text) ? parse_points_tree(text, where, findings)
                              : parse_points_csv(text, where, findings);
  if (!points) {
    const auto log = find_training_log(text);
    if (!log) return points;
    return fail(Errc::input_unsupported, where,
                describe(*log) + "; but it does not state the model and the plan",
                "write a table with them and measured_s, one row per configuration: "
                "docs/scoreboard.md");
  }
  if (auto fine = check(*points, where); !fine) return tl::unexpected(fine.error());
  return points;
}

Result<std::vector<MeasuredPoint>> read_points(const std::string& path, Findings& findings) {
  const auto text = text_of(path);
  if (!text) return tl::unexpected(text.error());
  return parse_points(*text, path, findings);
}

void complete_point(MeasuredPoint& point, const PointCluster& facts) {
  if (point.skip_reason.empty() && point.seconds == 0) point.skip_reason = "no measured step";
  if (point.skip_reason.empty() && !point.question.job.given())
    point.skip_reason = "no job is given";
  if (!point.skip_reason.empty()) return;
  if (facts.prec == "fp8" || facts.prec == "fp4") {
    // A value in the job takes precedence.
    std::vector<std::string>& set = point.question.job.set;
    const auto is_products = [](const std::string& one) {
      return one.starts_with("precision.products=");
    };
    if (!facts.has_products && std::none_of(set.begin(), set.end(), is_products))
      set.push_back("precision.products=" + facts.prec);
  }
  if (!point.question.cluster_text.empty()) return;
  if (!facts.cluster.empty()) {
    point.question.cluster = facts.cluster;
    return;
  }
  auto text = cluster_sketch_file(facts.sketch, point.place);
  if (!text) {
    point.skip_reason = text.error().what;
    return;
  }
  point.question.cluster = point.place;
  point.question.cluster_text = *std::move(text);
}

}  // namespace orrery::validate
