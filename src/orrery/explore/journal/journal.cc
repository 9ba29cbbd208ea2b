// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/journal/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "orrery/config/parameters.h"
#include "orrery/explore/journal/line_file.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::explore {

namespace {

namespace fs = std::filesystem;

bool read_whole(const Json& line, const char* key, std::int64_t& out) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return false;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > INT64_MAX) return false;
  out = found->get<std::int64_t>();
  return out >= 0;
}

bool read_number(const Json& line, const char* key, double& out) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return false;
  out = found->get<double>();
  return std::isfinite(out) && out >= 0;
}

bool read_text(const Json& line, const char* key, std::string& out) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_string()) return false;
  out = found->get<std::string>();
  return true;
}

bool read_state(const Json& line, State& out) {
  const auto found = line.find("state");
  if (found == line.end()) return false;
  config::Reading reading{""};
  config::read_value(*found, "", {}, out, reading);
  return !reading.error && out != State::failed;
}

bool read_shares(const Json& line, PointPrediction& out) {
  const auto found = line.find("shares");
  if (found == line.end()) return true;
  if (!found->is_array() || found->size() != kStepParts.size()) return false;
  PartShares shares{};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (!(*found)[i].is_number()) return false;
    shares[i] = (*found)[i].get<double>();
  }
  out.shares = shares;
  return true;
}

bool read_bytes(const Json& line, const char* key, Bytes& out) {
  std::int64_t bytes = 0;
  if (!read_whole(line, key, bytes)) return false;
  out = Bytes(bytes);
  return true;
}

/// The interval of a step; only simulations have one.
bool read_interval(const Json& line, PointPrediction& out) {
  if (line.find("interval_ps") == line.end()) return true;
  const Json& found = line["interval_ps"];
  if (!found.is_array() || found.size() != 3) return false;
  std::array<std::int64_t, 3> ends{};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!found[i].is_number_integer()) return false;
    ends[i] = found[i].get<std::int64_t>();
  }
  out.interval = analysis::StepInterval{Time(ends[0]), Time(ends[1]), Time(ends[2])};
  return true;
}

/// A line of version 0.6 or before: it has no bounds of memory, interval or products by format.
bool is_old(const Json& line) { return line.find("memory_low") == line.end(); }

/// What old lines lack.
bool read_verdict_and_interval(const Json& line, PointPrediction& out) {
  std::string by_format;
  if (!read_bytes(line, "memory_low", out.memory.lower) ||
      !read_bytes(line, "memory_high", out.memory.upper) ||
      !read_bytes(line, "capacity", out.capacity) ||
      !read_text(line, "work_by_format", by_format) ||
      !read_text(line, "no_interval_reason", out.no_interval_reason))
    return false;
  out.work_by_format = analysis::parse_work_by_format(by_format);
  return out.work_by_format.empty() == by_format.empty() && read_interval(line, out);
}

bool read_provenance(const Json& line, PointPrediction& out) {
  auto provenance = std::make_shared<Provenance>();
  if (!read_provenance(line, *provenance)) return false;
  out.provenance = std::move(provenance);
  return true;
}

bool read_prediction(const Json& line, PointPrediction& out) {
  if (!read_state(line, out.state) || !read_text(line, "why", out.why) ||
      !read_text(line, "plan", out.plan))
    return false;
  const bool whole =
      read_whole(line, "step_ps", out.step) && read_bytes(line, "memory", out.memory.total) &&
      read_whole(line, "devices", out.devices) && read_whole(line, "samples", out.samples) &&
      read_whole(line, "tokens", out.tokens);
  if (!whole || (out.state == State::fits && out.step == 0)) return false;
  return read_number(line, "model_flops", out.model_flops) && read_number(line, "peak", out.peak) &&
         read_number(line, "device_power", out.device_power) && read_shares(line, out) &&
         // An old line has no provenance that holds: its point is out of date.
         (is_old(line) || (read_verdict_and_interval(line, out) && read_provenance(line, out)));
}

}  // namespace

std::string_view evaluation_label(Evaluation evaluation) {
  switch (evaluation) {
    case Evaluation::columns:
      return "columns";
    case Evaluation::simulate:
      return "simulate";
    default:
      return "estimate";
  }
}

std::string line_of(const SearchSpace& space, const Coordinates& at, Evaluation evaluation,
                    const std::string& digest, const PointPrediction& predicted) {
  std::string text;
  report::JsonWriter json(text, 0);
  json.begin_object().field("digest", digest).key("at").begin_object();
  for (std::size_t a = 0; a < at.size(); ++a)
    json.field(space.axes[a].name, space.axes[a].labels[at[a]]);
  json.end_object();
  json.field("method", evaluation_label(evaluation));
  json.field("state", config::enum_name(predicted.state)).field("why", predicted.why);
  json.field("plan", predicted.plan)
      .field("step_ps", predicted.step)
      .field("memory", predicted.memory.total.count())
      .field("memory_low", predicted.memory.lower.count())
      .field("memory_high", predicted.memory.upper.count())
      .field("capacity", predicted.capacity.count());
  json.field("devices", predicted.devices)
      .field("samples", predicted.samples)
      .field("tokens", predicted.tokens);
  json.field("model_flops", predicted.model_flops).field("peak", predicted.peak);
  json.field("device_power", predicted.device_power);
  json.field("work_by_format", analysis::to_fact(predicted.work_by_format));
  if (predicted.interval) {
    json.key("interval_ps").begin_array().value(predicted.interval->lower.count());
    json.value(predicted.interval->upper.count()).value(predicted.interval->unknown.count());
    json.end_array();
  }
  json.field("no_interval_reason", predicted.no_interval_reason);
  if (predicted.shares) {
    json.key("shares").begin_array();
    for (const double share : *predicted.shares) json.value(share);
    json.end_array();
  }
  if (predicted.provenance != nullptr) write_provenance(json, *predicted.provenance);
  json.end_object();
  return text + "\n";
}

std::string failure_line(const std::string& digest, const Error& error) {
  std::string text;
  report::JsonWriter json(text, 0);
  json.begin_object().field("digest", digest).key("error").begin_object();
  json.field("code", static_cast<std::int64_t>(error.code)).field("where", error.where);
  json.field("what", error.what).field("hint", error.hint).end_object().end_object();
  return text + "\n";
}

std::optional<JournalEntry> parse_journal_entry(std::string_view line) {
  const auto read = config::parse_json(line, "");
  JournalEntry answer;
  if (!read || !read->is_object() || !read_text(*read, "digest", answer.digest))
    return std::nullopt;
  const auto failed = read->find("error");
  if (failed == read->end())
    return read_prediction(*read, answer.predicted) ? std::optional(std::move(answer))
                                                    : std::nullopt;
  std::int64_t code = 0;
  Error error;
  if (!failed->is_object() || !read_whole(*failed, "code", code) || code > UINT16_MAX ||
      !read_text(*failed, "where", error.where) || !read_text(*failed, "what", error.what) ||
      !read_text(*failed, "hint", error.hint))
    return std::nullopt;
  error.code = static_cast<Errc>(code);
  answer.predicted.state = State::failed;
  answer.predicted.error = std::move(error);
  return answer;
}

void parse_journal(std::string_view text, Freshness& fresh, StoredPoints& stored,
                   std::map<std::string, std::string>& lines) {
  for_each_line(text, [&](const std::string& digest, const Json& read, std::string_view line) {
    PointPrediction predicted;
    if (!read_prediction(read, predicted)) return;
    const auto known = stored.find(digest);
    const bool better = known == stored.end() || (!fresh.holds(known->second.provenance) &&
                                                  fresh.holds(predicted.provenance));
    if (!better) return;
    stored.insert_or_assign(digest, std::move(predicted));
    lines.insert_or_assign(digest, std::string(line) + "\n");
  });
}

std::string part_file(const std::string& file, std::uint32_t part, std::uint32_t parts) {
  return fmt::format("{}.part-{}-of-{}", file, part, parts);
}

std::vector<std::string> journal_files(const std::string& file) {
  std::vector<std::string> files;
  std::error_code none;
  if (fs::exists(file, none)) files.push_back(file);
  const fs::path path(file);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string begins = path.filename().string() + ".part-";
  std::vector<std::string> parts;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(begins)) parts.push_back((path.parent_path() / name).string());
  }
  std::sort(parts.begin(), parts.end());
  files.insert(files.end(), parts.begin(), parts.end());
  return files;
}

Result<void> read_journal_file(const std::string& path, Freshness& fresh, StoredPoints& stored,
                               std::map<std::string, std::string>& lines) {
  std::error_code none;
  if (!fs::exists(path, none)) return {};
  const auto text = config::read_text(path, limits::kJournalBytes);
  if (!text) return tl::unexpected(text.error());
  parse_journal(*text, fresh, stored, lines);
  return {};
}

Result<void> read_journals(const std::string& file, Freshness& fresh, StoredPoints& stored,
                           std::map<std::string, std::string>& lines) {
  for (const std::string& one : journal_files(file))
    if (auto read = read_journal_file(one, fresh, stored, lines); !read) return read;
  return {};
}

}  // namespace orrery::explore
