// SPDX-License-Identifier: Apache-2.0
//
// The parts of the HTML report's data. All functions write the format of web/src/data.ts.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/analysis/run_index.h"
#include "orrery/core/error.h"
#include "orrery/report/answer/value.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/result/run.h"

namespace orrery::report::html {

/// The version of the page's data; web/src/load.ts reads this one.
inline constexpr int kPageDataVersion = 2;

/// The names that the page shows, numbered in order of first use; 0 is "". Long names are cut.
class UsedNames {
 public:
  explicit UsedNames(const result::Names& names) : names_(names), numbers_(names.size(), 0) {}

  std::uint32_t number(std::uint32_t in_run);
  void write(JsonWriter& json) const;

 private:
  const result::Names& names_;
  std::vector<std::uint32_t> numbers_;  // by number in the run; 0: not used yet, or ""
  std::vector<std::uint32_t> used_{0};  // by number in the page
};

/// Values computed once per run and used by several parts.
struct RunPageData {
  explicit RunPageData(const result::Run& of);

  const result::Run& run;
  analysis::RunIndex index;
  analysis::Digest digest;
  analysis::Stragglers stragglers;
  std::vector<analysis::CollectiveClass> classes;
  std::vector<analysis::Metric> metrics;
};

/// The member "moreIsBetter": null if neither is better by itself.
void write_direction(JsonWriter& json, const analysis::Metric& metric);

/// "llama on two-nodes.yaml".
[[nodiscard]] std::string title(const result::Run& run);
/// The titles of runs on one page. Runs on clusters of one name also state what differs between
/// these: "… on h100-sxm:64 (25 GB/s)".
[[nodiscard]] std::vector<std::string> titles(const std::vector<const result::Run*>& runs);
/// The summary as lines of (label, text).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> summary_lines(
    const analysis::Digest& digest, const Findings& findings);

/// A span of the page: one span of the run, or several merged ones.
struct PageSpan {
  Time start{};
  Time length{};
  std::uint32_t name = 0;  ///< number in the run
  std::uint16_t lane = 0;
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  Time wait{};
  Time slack{};
  std::uint64_t bytes = 0;
  std::uint64_t node = 0;
  Time queue{};
  Time latency{};
  std::uint32_t released_by = result::kNone;  ///< index among the page's spans
};

inline constexpr std::uint8_t kCritical = 1, kSlackKnown = 2, kMerged = 4, kUnfinished = 8,
                              kLaneTaken = 16;

/// The spans of all timelines, reduced to at most about `most`: the longest, all of a length or
/// none. Consecutive omitted spans on a lane are merged into one.
struct PageSpans {
  std::vector<std::vector<PageSpan>> timelines;  ///< each by start
  std::uint64_t merged_spans = 0;                ///< number of spans of the run that are merged
};
[[nodiscard]] PageSpans reduce_spans(const result::Run& run, std::size_t most);

/// Appends a column of numbers as TimelineData.spans has them: "," between numbers, ";" after the
/// column, empty for 0.
template <class NumberOf>
void add_packed(std::string& out, std::size_t count, const NumberOf& number_of) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    const auto number = static_cast<std::uint64_t>(number_of(i));
    if (number != 0) fmt::format_to(std::back_inserter(out), "{}", number);
  }
  out += ';';
}

/// Packs the spans as TimelineData.spans.
[[nodiscard]] std::string pack_spans(const std::vector<PageSpan>& spans, UsedNames& names);

void write_timelines(JsonWriter& json, const RunPageData& facts, const PageSpans& spans,
                     UsedNames& names);
void write_ranks(JsonWriter& json, const RunPageData& facts);
void write_groups(JsonWriter& json, const result::Run& run);
void write_collectives(JsonWriter& json, const RunPageData& facts, UsedNames& names);
void write_links(JsonWriter& json, const result::LinkUse& use);
/// The links that the page has, in its order: by bytes, descending.
[[nodiscard]] std::vector<std::uint32_t> shown_links(const result::LinkUse& use);
void write_packets(JsonWriter& json, const result::Run& run);
void write_fabric(JsonWriter& json, const result::Run& run);
void write_memory_levels(JsonWriter& json, const result::Run& run);
void write_path(JsonWriter& json, const result::Run& run, UsedNames& names);
void write_comparison(JsonWriter& json, const result::Run& a, const result::Run& b);

/// `"name": [f(0), f(1), …]`.
template <class F>
void column(JsonWriter& json, std::string_view name, std::size_t count, F&& f) {
  json.key(name).begin_array();
  for (std::size_t i = 0; i < count; ++i) f(i);
  json.end_array();
}
template <class Range>
void write_list(JsonWriter& json, std::string_view name, const Range& values) {
  column(json, name, values.size(), [&](std::size_t i) { json.value(values[i]); });
}

/// A name as pages show it: long ones are cut.
[[nodiscard]] std::string page_name(std::string_view name);

void write_pairs(JsonWriter& json, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& pairs);
void write_findings(JsonWriter& json, const Findings& findings);

/// The parts of a page that depend on the report.
struct PageParts {
  std::string title;  ///< escaped
  std::string plain;  ///< tables that are visible without JavaScript
  std::string data;   ///< JSON; compressed if it is long
};
/// Replaces the placeholders in `page` by these parts. Errc::config_missing_key if it lacks one.
[[nodiscard]] Result<std::string> fill_page(std::string_view page, PageParts parts);

/// JSON without white space between its parts, and without characters that could end a script
/// element or a line: "<", U+2028 and U+2029 are escaped.
[[nodiscard]] std::string compact_json(std::string_view json);

/// The data of a page without runs: `write(JsonWriter&)` writes the value of `key`.
template <class Write>
[[nodiscard]] std::string page_data_without_runs(std::string_view key, const Write& write) {
  std::string out;
  JsonWriter json(out, 0);
  json.begin_object().field("version", kPageDataVersion);
  json.key("runs").begin_array().end_array().key("comparison").null();
  write(json.key(key));
  json.end_object();
  return compact_json(out);
}

/// A page with one table: label and text of each row.
[[nodiscard]] Result<std::string> fill_table_page(
    std::string_view page, std::string_view title,
    const std::vector<std::pair<std::string, std::string>>& rows, const Findings& findings,
    std::string data);

/// Parts of `plain`: the head of a table, one row, and findings. `</tbody>` and `</table>` close
/// it.
[[nodiscard]] std::string table_head(std::string_view caption);
void add_row(std::string& out, std::string_view label, std::string_view text);
void add_finding_rows(std::string& out, const Findings& findings);

/// Text for content or quoted attributes; invalid UTF-8 and control characters become '?'.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace orrery::report::html
