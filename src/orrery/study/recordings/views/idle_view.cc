// SPDX-License-Identifier: Apache-2.0
//
// Idle time of the device: by cause, by stream as HTA defines it, and what the host did meanwhile.
#include <algorithm>
#include <string>

#include "orrery/profile/inspection/idle_time.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

namespace {

using profile::IdleTime;

/// Rows of one rank about the work of its host.
constexpr std::size_t kMostHostRows = 100;

/// Unknown if the whole is 0.
report::Value share_of(Time part, Time whole) {
  if (whole <= Time{}) return {};
  return report::Share{seconds(part) / seconds(whole)};
}

class IdleView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    const profile::IdleReport report = profile::idle_times(p);
    if (!report.on_device) return;
    add_device(rank.files.rank, report);
    add_causes(rank.files.rank, report);
    for (const profile::StreamIdleTime& stream : report.streams)
      add_stream(rank.files.rank, p.lanes[stream.lane], stream);
    for (std::size_t h = 0; h < std::min(report.host.size(), kMostHostRows); ++h)
      host_.rows.push_back(
          {rank.files.rank,
           report.host[h].name.empty() ? "(between operators)" : report.host[h].name,
           report.host[h].count, report.host[h].total,
           share_of(report.host[h].total, report.whole.idle)});
  }

  View view(const intake::Job& /*job*/, Findings& /*findings*/) override {
    return {
        .kind = TraceView::idle,
        .facts = {},
        .tables = {std::move(causes_), std::move(host_), std::move(device_), std::move(streams_)}};
  }

 private:
  void add_device(std::uint32_t rank, const profile::IdleReport& report) {
    const profile::Breakdown& b = report.device;
    const Time compute = b.compute_only + b.overlapped;
    const Time communication = b.comm_only + b.overlapped;
    device_.rows.push_back({rank, b.length, compute, b.comm_only + b.copy_only, b.idle,
                            b.overlapped, communication, share_of(b.overlapped, communication)});
  }

  void add_causes(std::uint32_t rank, const profile::IdleReport& report) {
    for (const profile::IdleCauseEntry& entry : profile::kIdleCauses) {
      const IdleTime& idle = report.causes[static_cast<std::size_t>(entry.cause)];
      if (idle.spans == 0) continue;
      causes_.rows.push_back({rank, entry.name, idle.spans, idle.total, idle.longest,
                              share_of(idle.total, report.whole.idle),
                              entry.cause <= profile::IdleCause::no_launch});
    }
  }

  void add_stream(std::uint32_t rank, const profile::Lane& lane,
                  const profile::StreamIdleTime& stream) {
    const Time idle = stream.host_wait.total + stream.kernel_wait.total + stream.other.total;
    streams_.rows.push_back({rank, lane.process, lane.id, stream.works, stream.busy, idle,
                             stream.host_wait.total, stream.kernel_wait.total, stream.other.total,
                             stream.host_wait.spans, stream.kernel_wait.spans, stream.other.spans});
  }

  static constexpr std::string_view kNoDevice = "The recording has no work on a device.";
  ViewTable causes_{.key = "causes",
                    .title = "idle time by cause",
                    .columns = {rank_column(),
                                {"idle", "cause", "why no stream ran work"},
                                {"spans", "spans", "idle spans, or parts of them"},
                                {"time", "idle_ns", "their sum"},
                                {"longest", "max_ns", "the longest of them"},
                                {"share", "idle_share", "of the idle time of the rank"},
                                {"", "host_bound", "part of the host-bound time"}},
                    .rows = {},
                    .first = 40,
                    .if_empty = std::string(kNoDevice),
                    .by_rank = true};
  ViewTable host_{.key = "host",
                  .title = "work of the host while the device waited for a launch",
                  .columns = {rank_column(),
                              {"host meanwhile", "name", "the innermost event of the host"},
                              {"count", "count", "events"},
                              {"idle", "idle_ns", "idle time of the device during these events"},
                              {"share", "idle_share", "of the idle time of the rank"}},
                  .rows = {},
                  .first = 15,
                  .if_empty = {},
                  .by_rank = true};
  ViewTable device_{.key = "device",
                    .title = "time from the first to the last work of the device",
                    .columns = {rank_column(),
                                {"first to last work", "length_ns", "length of the time"},
                                {"compute", "compute_ns", "compute kernels run"},
                                {"other", "other_ns", "only communication or copies run"},
                                {"idle", "idle_ns", "no stream runs work"},
                                {"overlap", "overlap_ns", "compute and communication kernels run"},
                                {"communication", "comm_ns", "communication kernels run"},
                                {"overlapped", "overlap_share", "overlap / communication"}},
                    .rows = {},
                    .first = 16,
                    .if_empty = {},
                    .by_rank = true};
  ViewTable streams_{
      .key = "streams",
      .title = "gaps of each stream",
      .columns = {rank_column(),
                  {"", "device", "number of the device"},
                  {"stream", "stream", "number of the stream"},
                  {"works", "count", "kernels, copies and memsets"},
                  {"busy", "busy_ns", "at least one of them runs"},
                  {"gaps", "idle_ns", "sum of the gaps between successive works"},
                  {"host wait", "host_wait_ns", "launched after the previous work had ended"},
                  {"kernel wait", "kernel_wait_ns", "launched before, and shorter than 30 ns"},
                  {"other", "other_ns", "launched before, and longer"},
                  {"", "host_wait_count", "gaps"},
                  {"", "kernel_wait_count", "gaps"},
                  {"", "other_count", "gaps"}},
      .rows = {},
      .first = 20,
      .if_empty = {},
      .by_rank = true};
};

}  // namespace

std::unique_ptr<ViewBuilder> idle_view() { return std::make_unique<IdleView>(); }

}  // namespace orrery::study
