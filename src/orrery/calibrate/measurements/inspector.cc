// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>

#include "orrery/calibrate/measurements/json_fields.h"
#include "orrery/calibrate/measurements/text_lines.h"
#include "orrery/core/limits.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/json/scan.h"

namespace orrery::calibrate {

namespace {

using Communicator = InspectorLogs::Communicator;
using RankRecord = InspectorLogs::RankRecord;
using Transfer = InspectorLogs::Transfer;

constexpr double kMaxColdRatio = 2;  // threshold of a cold measurement, relative to the median

/// The key of a row.
struct RowKey {
  std::uint32_t collective = 0;
  std::int32_t ranks = 0, nodes = 0;
  std::int64_t bytes = 0;

  friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

/// Calls `each` with every maximal range of consecutive items that are `same` as its first.
template <class Items, class Same, class Each>
void for_groups(const Items& items, Same same, Each each) {
  for (std::size_t first = 0; first < items.size();) {
    std::size_t last = first + 1;
    while (last < items.size() && same(items[first], items[last])) ++last;
    each(std::span(items).subspan(first, last - first));
    first = last;
  }
}

std::uint32_t index_of(std::string_view name) {
  const auto all = collectives();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Collective& one) { return one.name == name; });
  return static_cast<std::uint32_t>(found - all.begin());
}

class RecordMatcher {
 public:
  RecordMatcher(std::vector<const Communicator*> communicators, MeasurementSink& into)
      : communicators_(std::move(communicators)), into_(into) {}

  /// Adds all collectives of one kind and size in one communicator; ordered by number and rank.
  void collectives_of(std::span<const RankRecord> parts) {
    const Communicator& group = *communicators_[parts.front().communicator];
    std::vector<double> times;
    std::uint64_t incomplete = 0;
    for_groups(
        parts, [](const RankRecord& a, const RankRecord& b) { return a.number == b.number; },
        [&](std::span<const RankRecord> ranks) {
          double shortest = ranks.front().time_us;
          std::int32_t count = 1;
          for (std::size_t i = 1; i < ranks.size(); ++i) {
            shortest = std::min(shortest, ranks[i].time_us);
            count += ranks[i].rank != ranks[i - 1].rank ? 1 : 0;
          }
          if (count < group.ranks) ++incomplete;
          times.push_back(shortest);
        });
    const std::string_view name = collectives()[parts.front().collective].name;
    add_series({parts.front().collective, group.ranks, group.nodes, parts.front().bytes},
               std::move(times), incomplete,
               fmt::format("communicator {}: {} of {} bytes", in_quotes(group.id), name,
                           parts.front().bytes));
  }

  /// Adds all transfers of one size from one rank to another; sends first.
  void transfers_of(std::span<const Transfer> both) {
    const Communicator& group = *communicators_[both.front().communicator];
    const auto receives =
        std::find_if(both.begin(), both.end(), [](const Transfer& one) { return one.receive; });
    const auto sends = static_cast<std::size_t>(receives - both.begin());
    const bool is_matched = sends * 2 == both.size();
    std::vector<double> times;
    for (std::size_t i = 0; i < (is_matched ? sends : both.size()); ++i)
      times.push_back(is_matched ? std::min(both[i].time_us, both[i + sends].time_us)
                                 : both[i].time_us);
    // Whether both ranks are on the same node is known only with one node, or one node per rank.
    std::int32_t nodes = 0;
    if (group.nodes == 1) nodes = 1;
    if (group.nodes > 1 && group.nodes == group.ranks) nodes = 2;
    const std::uint64_t incomplete = is_matched ? 0 : times.size();
    add_series({index_of("send_recv"), 2, nodes, both.front().bytes}, std::move(times), incomplete,
               fmt::format("communicator {}: {} to {}, {} bytes", in_quotes(group.id),
                           both.front().from, both.front().to, both.front().bytes));
  }

  Result<void> rows(const std::string& tool, const std::string& date) {
    for (auto& [key, times] : rows_by_key_) {
      MeasuredCollective row;
      row.collective = collectives()[key.collective].name;
      row.bytes = key.bytes;
      row.time_us = median(std::move(times));
      row.ranks = key.ranks;
      row.nodes = key.nodes;
      row.library = "nccl";
      row.tool = tool;
      row.date = date;
      if (auto added = add_row(std::move(row), "NCCL Inspector", into_); !added) return added;
    }
    return {};
  }

 private:
  void add_series(const RowKey& key, std::vector<double> times, std::uint64_t incomplete,
                  const std::string& place) {
    if (incomplete > 0) into_.findings.add(FindingCode::waiting_included, place, incomplete);
    if (times.front() > kMaxColdRatio * median(times)) {
      into_.findings.add(FindingCode::cold_measurement_dropped, place);
      times.erase(times.begin());
    }
    std::vector<double>& all = rows_by_key_[key];
    all.insert(all.end(), times.begin(), times.end());
  }

  std::vector<const Communicator*> communicators_;
  MeasurementSink& into_;
  std::map<RowKey, std::vector<double>> rows_by_key_;
};

}  // namespace

std::uint32_t InspectorLogs::index_of_communicator(const Communicator& communicator) {
  const auto next = static_cast<std::uint32_t>(communicators_.size());
  return communicators_.try_emplace(communicator, next).first->second;
}

void InspectorLogs::set_tool(std::string tool, std::string date) {
  tool_ = std::max(tool_, std::move(tool));
  date_ = std::max(date_, std::move(date));
}

bool InspectorLogs::add(const RankRecord& part) {
  if (records_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  records_.push_back(part);
  return true;
}

bool InspectorLogs::add(const Transfer& transfer) {
  if (records_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  transfers_.push_back(transfer);
  return true;
}

Result<void> InspectorLogs::finish(MeasurementSink& into) {
  std::vector<const Communicator*> communicators(communicators_.size());
  for (const auto& [communicator, number] : communicators_) communicators[number] = &communicator;
  RecordMatcher matcher(std::move(communicators), into);
  std::sort(records_.begin(), records_.end());
  for_groups(
      records_,
      [](const RankRecord& a, const RankRecord& b) {
        return std::tie(a.communicator, a.collective, a.bytes) ==
               std::tie(b.communicator, b.collective, b.bytes);
      },
      [&](std::span<const RankRecord> parts) { matcher.collectives_of(parts); });
  std::sort(transfers_.begin(), transfers_.end());
  for_groups(
      transfers_,
      [](const Transfer& a, const Transfer& b) {
        return std::tie(a.communicator, a.from, a.to, a.bytes) ==
               std::tie(b.communicator, b.from, b.to, b.bytes);
      },
      [&](std::span<const Transfer> both) { matcher.transfers_of(both); });
  Result<void> done = matcher.rows(tool_, date_);
  *this = {};
  return done;
}

namespace {

using std::string_view;
using trace::json::ValueScanner;

/// The rank that wrote a record.
struct RecordSource {
  std::uint32_t communicator = 0;
  std::int32_t rank = 0, ranks = 0;
};

class InspectorLogParser {
 public:
  InspectorLogParser(trace::ByteSource& source, const std::string& where, InspectorLogs& logs,
                     Findings& findings)
      : lines_(source, where), logs_(logs), findings_(findings) {}

  Result<void> read() {
    string_view line;
    while (true) {
      const Result<bool> more = lines_.next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (line.starts_with('{') && !partial_record_.empty()) {
        findings_.add(FindingCode::corrupt_record_dropped, lines_.place());
        partial_record_.clear();
      }
      if (auto taken = take(line); !taken) return taken;
    }
    if (!partial_record_.empty())
      findings_.add(FindingCode::truncated_tail_dropped, lines_.place());
    return {};
  }

 private:
  /// Parses a line. It may contain a record, a part of one, or several.
  Result<void> take(string_view line) {
    while (true) {
      if (partial_record_.empty()) {
        line = line.substr(trace::json::skip_space(line));
        if (line.empty() || line == "[" || line == "]") return {};
        if (line.front() == ',') {
          line.remove_prefix(1);
          continue;
        }
        if (line.front() != '{') {
          findings_.add(FindingCode::corrupt_record_dropped, lines_.place());
          return {};
        }
        end_ = ValueScanner();
      }
      const auto end = end_.feed(line);
      if (partial_record_.size() + line.size() > limits::kJsonElementBytes)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("a record longer than {} MiB", limits::kJsonElementBytes >> 20));
      if (!end) {
        partial_record_ += line;
        partial_record_ += '\n';
        return {};
      }
      Result<void> done;
      if (partial_record_.empty()) {
        done = record(line.substr(0, *end));
      } else {
        partial_record_ += line.substr(0, *end);
        done = record(partial_record_);
        partial_record_.clear();
      }
      if (!done) return done;
      line.remove_prefix(*end);
    }
  }

  Result<void> record(string_view text) {
    bool repaired = false;
    const auto object = json_.parse(text, repaired);
    if (repaired && object) findings_.add(FindingCode::json_repaired, lines_.place());
    if (!object) {
      findings_.add(FindingCode::corrupt_record_dropped, lines_.place());
      return {};
    }
    if (const auto header = object_field(*object, "header")) take_header(*header);
    if (const auto about = object_field(*object, "metadata")) take_metadata(*about);
    const auto operation = object_field(*object, "coll_perf");
    const auto sent = object_field(*object, "p2p_perf");
    if ((operation || sent) && !has_header_) {
      findings_.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    if (operation) return collective(*operation);
    return sent ? transfer(*sent) : Result<void>();
  }

  void take_header(const JsonObject& header) {
    const auto small = [&](string_view key) {
      const std::int64_t number = integer_field(header, key).value_or(0);
      return number < static_cast<std::int64_t>(limits::kRanks) ? static_cast<std::int32_t>(number)
                                                                : 0;
    };
    InspectorLogs::Communicator group;
    group.id = name_text(text_field(header, "id"));
    group.ranks = small("n_ranks");
    group.nodes = small("nnodes");
    has_header_ = true;
    record_source_ = {logs_.index_of_communicator(group), small("rank"), group.ranks};
  }

  void take_metadata(const JsonObject& about) {
    const string_view version = text_field(about, "inspector_output_format_version");
    logs_.set_tool(name_text("NCCL Inspector " + std::string(version)),
                   date_of(integer_field(about, "dump_timestamp_us").value_or(0)));
  }

  /// Empty: `key` has no valid time.
  std::optional<double> time_of(const JsonObject& operation, string_view key) {
    const auto time = number_field(operation, key);
    if (time && *time > 0 && *time < kMaxTimeUs) return time;
    findings_.add(FindingCode::measurement_left_out, lines_.place());
    return std::nullopt;
  }

  void report_timing_source(string_view source) {
    if (source == "kernel_cpu" || source == "collective_cpu" || source == "unknown")
      findings_.add(FindingCode::time_of_host, lines_.place());
  }

  Result<void> collective(const JsonObject& operation) {
    const Collective* const kind = find_collective(text_field(operation, "coll"));
    const std::int64_t share = integer_field(operation, "coll_msg_size_bytes").value_or(0);
    const bool of_share = kind != nullptr && orrery::bus_factor(kind->type) == BusFactor::once;
    const std::int64_t times = of_share ? record_source_.ranks : 1;
    if (kind == nullptr || share <= 0 || times <= 0 ||
        share > std::numeric_limits<std::int64_t>::max() / times) {
      findings_.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    const auto time = time_of(operation, "coll_exec_time_us");
    if (!time) return {};
    InspectorLogs::RankRecord part;
    part.communicator = record_source_.communicator;
    part.collective = static_cast<std::uint32_t>(kind - collectives().data());
    part.bytes = share * times;
    part.number = integer_field(operation, "coll_sn").value_or(0);
    part.rank = record_source_.rank;
    part.time_us = *time;
    if (auto fits = check(operation, "coll_algobw_gbs", part.bytes, *time); !fits) return fits;
    report_timing_source(text_field(operation, "coll_timing_source"));
    return logs_.add(part) ? Result<void>() : too_many();
  }

  Result<void> transfer(const JsonObject& operation) {
    const string_view kind = text_field(operation, "p2p");
    const std::int64_t bytes = integer_field(operation, "p2p_msg_size_bytes").value_or(0);
    const std::int64_t peer = integer_field(operation, "p2p_peer").value_or(-1);
    if ((kind != "Send" && kind != "Recv") || bytes <= 0 || peer < 0 ||
        peer >= static_cast<std::int64_t>(limits::kRanks)) {
      findings_.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    const auto time = time_of(operation, "p2p_exec_time_us");
    if (!time) return {};
    InspectorLogs::Transfer one;
    one.communicator = record_source_.communicator;
    one.bytes = bytes;
    one.receive = kind == "Recv";
    one.from = one.receive ? static_cast<std::int32_t>(peer) : record_source_.rank;
    one.to = one.receive ? record_source_.rank : static_cast<std::int32_t>(peer);
    one.number = integer_field(operation, "p2p_sn").value_or(0);
    one.time_us = *time;
    if (auto fits = check(operation, "p2p_algobw_gbs", bytes, *time); !fits) return fits;
    report_timing_source(text_field(operation, "p2p_timing_source"));
    return logs_.add(one) ? Result<void>() : too_many();
  }

  Result<void> check(const JsonObject& operation, string_view key, std::int64_t bytes,
                     double time) const {
    const double bandwidth = number_field(operation, key).value_or(0);
    if (!(bandwidth > 0)) return {};
    return check_bandwidth(lines_.place(), bytes, {time, 0}, {bandwidth, 0.5e-6});
  }

  Result<void> too_many() const {
    return fail(Errc::limit_exceeded, lines_.place(),
                fmt::format("more than {} operations", limits::kInspectorOperations),
                "pass the logs of fewer steps");
  }

  TextLines lines_;
  InspectorLogs& logs_;
  Findings& findings_;
  JsonRecordParser json_;
  RecordSource record_source_;  // from the last header
  bool has_header_ = false;
  ValueScanner end_;
  std::string partial_record_;  // begin of a record that continues in later lines
};

}  // namespace

Result<void> InspectorLogs::read(trace::ByteSource& source, const std::string& where,
                                 Findings& findings) {
  return InspectorLogParser(source, where, *this, findings).read();
}

}  // namespace orrery::calibrate
