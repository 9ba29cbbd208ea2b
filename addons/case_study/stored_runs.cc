// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/stored_runs.h"

#include <filesystem>
#include <utility>

#include "orrery/explore/journal/line_file.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::case_study {

extern const char* const kModelsHash;  // cmake/OrreryModelsHash.cmake

std::string_view models_hash() { return std::string_view(kModelsHash).substr(0, 16); }

namespace {

/// Null: no value.
bool read_figure(const Json& value, double& out) {
  if (value.is_null()) return true;
  if (!value.is_number()) return false;
  out = value.get<double>();
  return true;
}

bool read_values(const Json& line, MetricValues& out) {
  const auto values = line.find("values");
  const auto findings = line.find("findings");
  if (values == line.end() || !values->is_object() || findings == line.end() ||
      !findings->is_array())
    return false;
  for (const RunMetricInfo& metric : metrics()) {
    const auto found = values->find(metric.name);
    if (found == values->end() || !read_figure(*found, out[metric.metric])) return false;
  }
  for (const Json& finding : *findings) {
    if (!finding.is_string()) return false;
    out.findings.push_back(finding.get<std::string>());
  }
  return read_provenance(line, out.provenance);
}

}  // namespace

std::string line_of(const RunGrid& space, const GridRun& run, const std::string& digest,
                    const MetricValues& values) {
  std::string text;
  report::JsonWriter json(text, 0);
  json.begin_object().field("digest", digest).key("run").begin_object();
  for (std::size_t a = 0; a < run.at.size(); ++a) json.field(space.axes[a].name, run.at[a]);
  json.end_object().key("values").begin_object();
  for (const RunMetricInfo& metric : metrics()) json.field(metric.name, values[metric.metric]);
  json.end_object().key("findings").begin_array();
  for (const std::string& finding : values.findings) json.value(finding);
  json.end_array();
  write_provenance(json, values.provenance);
  json.end_object();
  return text + "\n";
}

StoredRuns parse_runs(std::string_view text, explore::Freshness& fresh) {
  StoredRuns stored;
  explore::for_each_line(text, [&](const std::string& digest, const Json& line, std::string_view) {
    MetricValues values;
    if (!read_values(line, values)) return;
    const auto known = stored.find(digest);
    if (known == stored.end() ||
        (!fresh.holds(known->second.provenance) && fresh.holds(values.provenance)))
      stored.insert_or_assign(digest, std::move(values));
  });
  return stored;
}

Result<StoredRuns> read_runs(const std::string& path, explore::Freshness& fresh) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return StoredRuns{};
  const auto text = config::read_text(path, std::uint64_t{limits::kRuns} * explore::kLineBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_runs(*text, fresh);
}

}  // namespace orrery::case_study
