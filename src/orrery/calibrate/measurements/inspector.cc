// SPDX-License-Identifier: Apache-2.0
#include "orrery/calibrate/measurements/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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

constexpr double kCold = 2;  // times the median

/// What rows are made of.
struct Shape {
  std::uint32_t collective = 0;
  std::int32_t ranks = 0, nodes = 0;
  std::int64_t bytes = 0;
  bool operator<(const Shape& other) const {
    return std::tie(collective, ranks, nodes, bytes) <
           std::tie(other.collective, other.ranks, other.nodes, other.bytes);
  }
};

/// Calls `each` with every stretch of neighbours that `same` says belong together.
template <class Items, class Same, class Each>
void for_stretches(const Items& items, Same same, Each each) {
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

class Joining {
 public:
  Joining(std::vector<const Communicator*> communicators, MeasurementSink& into)
      : communicators_(std::move(communicators)), into_(into) {}

  /// All collectives of one kind and size in one communicator, by number and rank.
  void collectives_of(std::span<const RankRecord> parts) {
    const Communicator& group = *communicators_[parts.front().communicator];
    std::vector<double> times;
    std::uint64_t lacking = 0;
    for_stretches(
        parts, [](const RankRecord& a, const RankRecord& b) { return a.number == b.number; },
        [&](std::span<const RankRecord> ranks) {
          double shortest = ranks.front().time_us;
          std::int32_t predicted = 1;
          for (std::size_t i = 1; i < ranks.size(); ++i) {
            shortest = std::min(shortest, ranks[i].time_us);
            predicted += ranks[i].rank != ranks[i - 1].rank ? 1 : 0;
          }
          if (predicted < group.ranks) ++lacking;
          times.push_back(shortest);
        });
    const std::string_view name = collectives()[parts.front().collective].name;
    series({parts.front().collective, group.ranks, group.nodes, parts.front().bytes},
           std::move(times), lacking,
           fmt::format("communicator {}: {} of {} bytes", in_quotes(group.id), name,
                       parts.front().bytes));
  }

  /// All transfers of one size from one rank to another, sends first.
  void transfers_of(std::span<const Transfer> both) {
    const Communicator& group = *communicators_[both.front().communicator];
    const auto receives =
        std::find_if(both.begin(), both.end(), [](const Transfer& one) { return one.receive; });
    const auto sends = static_cast<std::size_t>(receives - both.begin());
    const bool joined = sends * 2 == both.size();
    std::vector<double> times;
    for (std::size_t i = 0; i < (joined ? sends : both.size()); ++i)
      times.push_back(joined ? std::min(both[i].time_us, both[i + sends].time_us)
                             : both[i].time_us);
    // Which nodes the two are on is known where there is one node, or one for each rank.
    std::int32_t nodes = 0;
    if (group.nodes == 1) nodes = 1;
    if (group.nodes > 1 && group.nodes == group.ranks) nodes = 2;
    const std::uint64_t lacking = joined ? 0 : times.size();
    series({index_of("send_recv"), 2, nodes, both.front().bytes}, std::move(times), lacking,
           fmt::format("communicator {}: {} to {}, {} bytes", in_quotes(group.id),
                       both.front().from, both.front().to, both.front().bytes));
  }

  Result<void> rows(const std::string& tool, const std::string& date) {
    for (auto& [shape, times] : shapes_) {
      MeasuredCollective row;
      row.collective = collectives()[shape.collective].name;
      row.bytes = shape.bytes;
      row.time_us = median(std::move(times));
      row.ranks = shape.ranks;
      row.nodes = shape.nodes;
      row.library = "nccl";
      row.tool = tool;
      row.date = date;
      if (auto added = add_row(std::move(row), "NCCL Inspector", into_); !added) return added;
    }
    return {};
  }

 private:
  void series(const Shape& shape, std::vector<double> times, std::uint64_t lacking,
              const std::string& place) {
    if (lacking > 0) into_.findings.add(FindingCode::waiting_included, place, lacking);
    if (times.front() > kCold * median(times)) {
      into_.findings.add(FindingCode::cold_measurement_dropped, place);
      times.erase(times.begin());
    }
    std::vector<double>& all = shapes_[shape];
    all.insert(all.end(), times.begin(), times.end());
  }

  std::vector<const Communicator*> communicators_;
  MeasurementSink& into_;
  std::map<Shape, std::vector<double>> shapes_;
};

auto part_order(const RankRecord& part) {
  return std::tie(part.communicator, part.collective, part.bytes, part.number, part.rank,
                  part.time_us);
}
auto transfer_order(const Transfer& one) {
  return std::tie(one.communicator, one.from, one.to, one.bytes, one.receive, one.number,
                  one.time_us);
}

}  // namespace

std::uint32_t InspectorLogs::number_of(const Communicator& communicator) {
  const auto next = static_cast<std::uint32_t>(communicators_.size());
  return communicators_.try_emplace(communicator, next).first->second;
}

void InspectorLogs::set_tool(std::string tool, std::string date) {
  tool_ = std::max(tool_, std::move(tool));
  date_ = std::max(date_, std::move(date));
}

bool InspectorLogs::add(const RankRecord& part) {
  if (parts_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  parts_.push_back(part);
  return true;
}

bool InspectorLogs::add(const Transfer& transfer) {
  if (parts_.size() + transfers_.size() >= limits::kInspectorOperations) return false;
  transfers_.push_back(transfer);
  return true;
}

Result<void> InspectorLogs::finish(MeasurementSink& into) {
  std::vector<const Communicator*> communicators(communicators_.size());
  for (const auto& [communicator, number] : communicators_) communicators[number] = &communicator;
  Joining joining(std::move(communicators), into);
  const auto by = [](auto order) {
    return [order](const auto& a, const auto& b) { return order(a) < order(b); };
  };
  std::sort(parts_.begin(), parts_.end(), by(part_order));
  for_stretches(
      parts_,
      [](const RankRecord& a, const RankRecord& b) {
        return std::tie(a.communicator, a.collective, a.bytes) ==
               std::tie(b.communicator, b.collective, b.bytes);
      },
      [&](std::span<const RankRecord> parts) { joining.collectives_of(parts); });
  std::sort(transfers_.begin(), transfers_.end(), by(transfer_order));
  for_stretches(
      transfers_,
      [](const Transfer& a, const Transfer& b) {
        return std::tie(a.communicator, a.from, a.to, a.bytes) ==
               std::tie(b.communicator, b.from, b.to, b.bytes);
      },
      [&](std::span<const Transfer> both) { joining.transfers_of(both); });
  Result<void> done = joining.rows(tool_, date_);
  *this = {};
  return done;
}

namespace {

using std::string_view;
using trace::json::ValueEnd;

/// Whose record it is.
struct Writer {
  std::uint32_t communicator = 0;
  std::int32_t rank = 0, ranks = 0;
};

class InspectorLog {
 public:
  InspectorLog(trace::ByteSource& source, const std::string& where, InspectorLogs& logs,
               Findings& findings)
      : lines_(source, where), logs_(logs), findings_(findings) {}

  Result<void> read() {
    string_view line;
    while (true) {
      const Result<bool> more = lines_.next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (line.starts_with('{') && !open_.empty()) {
        findings_.add(FindingCode::corrupt_record_dropped, lines_.place());
        open_.clear();
      }
      if (auto taken = take(line); !taken) return taken;
    }
    if (!open_.empty()) findings_.add(FindingCode::truncated_tail_dropped, lines_.place());
    return {};
  }

 private:
  /// A line may hold a record, a part of one, or several.
  Result<void> take(string_view line) {
    while (true) {
      if (open_.empty()) {
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
        end_ = ValueEnd();
      }
      const auto end = end_.feed(line);
      if (open_.size() + line.size() > limits::kJsonElementBytes)
        return fail(Errc::limit_exceeded, lines_.place(),
                    fmt::format("a record longer than {} MiB", limits::kJsonElementBytes >> 20));
      if (!end) {
        open_ += line;
        open_ += '\n';
        return {};
      }
      Result<void> done;
      if (open_.empty()) {
        done = record(line.substr(0, *end));
      } else {
        open_ += line.substr(0, *end);
        done = record(open_);
        open_.clear();
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
      const std::int64_t number = whole_field(header, key).value_or(0);
      return number < static_cast<std::int64_t>(limits::kRanks) ? static_cast<std::int32_t>(number)
                                                                : 0;
    };
    InspectorLogs::Communicator group;
    group.id = name_text(text_field(header, "id"));
    group.ranks = small("n_ranks");
    group.nodes = small("nnodes");
    has_header_ = true;
    writer_ = {logs_.number_of(group), small("rank"), group.ranks};
  }

  void take_metadata(const JsonObject& about) {
    const string_view version = text_field(about, "inspector_output_format_version");
    logs_.set_tool(name_text("NCCL Inspector " + std::string(version)),
                   date_of(whole_field(about, "dump_timestamp_us").value_or(0)));
  }

  /// Nothing: `key` holds no time that can be.
  std::optional<double> time_of(const JsonObject& operation, string_view key) {
    const auto time = number_field(operation, key);
    if (time && *time > 0 && *time < kLongestCollective) return time;
    findings_.add(FindingCode::measurement_left_out, lines_.place());
    return std::nullopt;
  }

  void tell_source(string_view source) {
    if (source == "kernel_cpu" || source == "collective_cpu" || source == "unknown")
      findings_.add(FindingCode::time_of_host, lines_.place());
  }

  Result<void> collective(const JsonObject& operation) {
    const Collective* const kind = find_collective(text_field(operation, "coll"));
    const std::int64_t share = whole_field(operation, "coll_msg_size_bytes").value_or(0);
    const bool of_share = kind != nullptr && orrery::bus_factor(kind->type) == BusFactor::once;
    const std::int64_t times = of_share ? writer_.ranks : 1;
    if (kind == nullptr || share <= 0 || times <= 0 ||
        share > std::numeric_limits<std::int64_t>::max() / times) {
      findings_.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    const auto time = time_of(operation, "coll_exec_time_us");
    if (!time) return {};
    InspectorLogs::RankRecord part;
    part.communicator = writer_.communicator;
    part.collective = static_cast<std::uint32_t>(kind - collectives().data());
    part.bytes = share * times;
    part.number = whole_field(operation, "coll_sn").value_or(0);
    part.rank = writer_.rank;
    part.time_us = *time;
    if (auto fits = check(operation, "coll_algobw_gbs", part.bytes, *time); !fits) return fits;
    tell_source(text_field(operation, "coll_timing_source"));
    return logs_.add(part) ? Result<void>() : too_many();
  }

  Result<void> transfer(const JsonObject& operation) {
    const string_view kind = text_field(operation, "p2p");
    const std::int64_t bytes = whole_field(operation, "p2p_msg_size_bytes").value_or(0);
    const std::int64_t peer = whole_field(operation, "p2p_peer").value_or(-1);
    if ((kind != "Send" && kind != "Recv") || bytes <= 0 || peer < 0 ||
        peer >= static_cast<std::int64_t>(limits::kRanks)) {
      findings_.add(FindingCode::measurement_left_out, lines_.place());
      return {};
    }
    const auto time = time_of(operation, "p2p_exec_time_us");
    if (!time) return {};
    InspectorLogs::Transfer one;
    one.communicator = writer_.communicator;
    one.bytes = bytes;
    one.receive = kind == "Recv";
    one.from = one.receive ? static_cast<std::int32_t>(peer) : writer_.rank;
    one.to = one.receive ? writer_.rank : static_cast<std::int32_t>(peer);
    one.number = whole_field(operation, "p2p_sn").value_or(0);
    one.time_us = *time;
    if (auto fits = check(operation, "p2p_algobw_gbs", bytes, *time); !fits) return fits;
    tell_source(text_field(operation, "p2p_timing_source"));
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
                "give the logs of fewer steps");
  }

  TextLines lines_;
  InspectorLogs& logs_;
  Findings& findings_;
  JsonRecord json_;
  Writer writer_;  // of the last header
  bool has_header_ = false;
  ValueEnd end_;
  std::string open_;  // a record that has begun in an earlier line
};

}  // namespace

Result<void> InspectorLogs::read(trace::ByteSource& source, const std::string& where,
                                 Findings& findings) {
  return InspectorLog(source, where, *this, findings).read();
}

}  // namespace orrery::calibrate
