// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/kept.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "orrery/core/whole_file.h"
#include "orrery/report/json.h"

namespace orrery::space {

namespace {

constexpr std::size_t kDigestDigits = 64;

/// Null: no figure.
bool read_figure(const Json& value, double& out) {
  if (value.is_null()) return true;
  if (!value.is_number()) return false;
  out = value.get<double>();
  return true;
}

bool read_values(const Json& line, Values& out) {
  const auto values = line.find("values");
  const auto findings = line.find("findings");
  if (values == line.end() || !values->is_object() || findings == line.end() ||
      !findings->is_array())
    return false;
  for (const MetricInfo& metric : metrics()) {
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

std::string line_of(const Space& space, const Run& run, const std::string& digest,
                    const Values& values) {
  std::string text;
  report::JsonWriter json(text, 0);
  json.begin_object().field("digest", digest).key("run").begin_object();
  for (std::size_t a = 0; a < run.at.size(); ++a) json.field(space.axes[a].name, run.at[a]);
  json.end_object().key("values").begin_object();
  for (const MetricInfo& metric : metrics()) json.field(metric.name, values[metric.metric]);
  json.end_object().key("findings").begin_array();
  for (const std::string& finding : values.findings) json.value(finding);
  json.end_array();
  write_provenance(json, values.provenance);
  json.end_object();
  return text + "\n";
}

void each_kept(std::string_view text,
               const std::function<void(const std::string& digest, const Json& line,
                                        std::string_view text)>& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // it was broken off here
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.empty() || line.size() > limits::kLineBytes) continue;
    const auto read = config::parse_json(line, "");
    if (!read || !read->is_object()) continue;
    const auto digest = read->find("digest");
    if (digest == read->end() || !digest->is_string()) continue;
    const auto key = digest->get<std::string>();
    if (key.size() == kDigestDigits) visit(key, *read, line);
  }
}

Kept parse_kept(std::string_view text, Freshness& fresh) {
  Kept kept;
  each_kept(text, [&](const std::string& digest, const Json& line, std::string_view) {
    Values values;
    if (!read_values(line, values)) return;
    const auto known = kept.find(digest);
    if (known == kept.end() ||
        (!fresh.holds(known->second.provenance) && fresh.holds(values.provenance)))
      kept.insert_or_assign(digest, std::move(values));
  });
  return kept;
}

Result<Kept> read_kept(const std::string& path, Freshness& fresh) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return Kept{};
  const auto text = config::read_text(path, std::uint64_t{limits::kRuns} * limits::kLineBytes);
  if (!text) return tl::unexpected(text.error());
  return parse_kept(*text, fresh);
}

Result<KeptFile> KeptFile::begin(const std::string& path, std::string_view text) {
  if (auto written = write_whole(path, text, {.force = true}); !written)
    return tl::unexpected(written.error());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return fail(Errc::output_failed, path, std::strerror(errno));
  return KeptFile(path, descriptor);
}

KeptFile::KeptFile(KeptFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

KeptFile::~KeptFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> KeptFile::add(std::string_view line) {
  if (const int error = write_all(descriptor_, line); error != 0)
    return fail(Errc::output_failed, path_, std::strerror(error));
  return {};
}

}  // namespace orrery::space
