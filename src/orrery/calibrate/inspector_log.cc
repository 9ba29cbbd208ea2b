// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "orrery/calibrate/inspector.h"
#include "orrery/calibrate/json_fields.h"
#include "orrery/calibrate/text_lines.h"
#include "orrery/core/limits.h"
#include "orrery/trace/json/scan.h"

namespace orrery::calibrate {
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
    logs_.note(name_text("NCCL Inspector " + std::string(version)),
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
    const Collective* const kind = collective_named(text_field(operation, "coll"));
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
    InspectorLogs::Part part;
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
