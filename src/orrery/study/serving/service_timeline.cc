// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/serving/service_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/perfetto/trace_packets.h"

namespace orrery::study {
namespace {

using report::SlicePacket;
using report::Track;
using report::TrackKey;

/// Names of slices; the value is the number in Run::names.
enum class Title : std::uint32_t { none, decode, prompt, waiting, first_token, other_tokens };

result::Run titles() {
  result::Run run;
  for (const char* const name : {"decode", "prompt", "waiting", "first token", "other tokens"})
    (void)run.names.intern(name);  // "" is interned
  return run;
}

class ServiceTimeline {
 public:
  ServiceTimeline(const Inference& made, const report::ByteSink& sink)
      : made_(made), names_(titles()), packets_(names_, sink) {}

  bool write() {
    packets_.begin();
    for (std::uint32_t name = 1; name < names_.names.size(); ++name) packets_.intern_name(name);
    std::vector<std::vector<std::size_t>> requests(made_.run.steps.size());
    for (std::size_t i = 0; i < made_.run.times.size(); ++i)
      requests[made_.run.times[i].instance].push_back(i);
    for (std::size_t instance = 0; instance < requests.size(); ++instance) {
      describe_instance(instance);
      write_steps(made_.run.steps[instance]);
      write_requests(std::move(requests[instance]));
    }
    packets_.out().flush();
    return packets_.out().good();
  }

 private:
  using Texts = std::vector<std::pair<std::string_view, std::string>>;

  /// Describes a track of the instance; `parent` 0: it is the instance itself.
  TrackKey describe(const std::string& path, std::string name, std::uint64_t parent,
                    std::uint32_t position, std::string_view unit = {}) {
    Track track;
    track.uuid = report::track_uuid(path);
    track.parent = parent;
    track.name = std::move(name);
    track.position = position;
    track.counter = !unit.empty();
    track.unit = unit;
    packets_.describe(track);
    return TrackKey(track.uuid);
  }

  void describe_instance(std::size_t instance) {
    path_ = fmt::format("instance {}", instance);
    Track process;
    process.uuid = process_ = report::track_uuid(path_);
    process.name = path_;
    process.pid = static_cast<std::uint32_t>(instance) + 1;
    process.position = static_cast<std::uint32_t>(instance);
    packets_.describe(process);
    steps_ = describe(path_ + "/steps", "steps", process_, 0);
    running_ = describe(path_ + "/running", "running", process_, 1, "requests");
    waiting_ = describe(path_ + "/waiting", "waiting", process_, 2, "requests");
    blocks_ = describe(path_ + "/cache", "cache", process_, 3, "blocks");
  }

  void slice(const TrackKey& track, Title title, Time from, Time until, const Texts& texts) {
    if (until <= from) return;
    SlicePacket begin(packets_, track, report::rounded_ns(from),
                      report::wire::track_event::slice_begin);
    begin.title(static_cast<std::size_t>(report::Category::step),
                static_cast<std::uint64_t>(title));
    for (const auto& [name, value] : texts) begin.text(name, value);
    begin.finish();
    SlicePacket(packets_, track, report::rounded_ns(until), report::wire::track_event::slice_end)
        .finish();
  }

  void write_steps(const std::vector<serving::StepRecord>& steps) {
    for (const serving::StepRecord& step : steps) {
      const std::uint64_t at = report::rounded_ns(step.start);
      packets_.count(running_, at, step.running);
      packets_.count(waiting_, at, step.waiting);
      packets_.count(blocks_, at, step.held_blocks);
      slice(steps_, step.tokens > step.decodes ? Title::prompt : Title::decode, step.start,
            step.end,
            {{"tokens", std::to_string(step.tokens)},
             {"sequences", std::to_string(step.sequences)},
             {"decodes", std::to_string(step.decodes)}});
    }
    if (steps.empty()) return;
    const std::uint64_t end = report::rounded_ns(steps.back().end);
    for (const TrackKey* const counter : {&running_, &waiting_, &blocks_})
      packets_.count(*counter, end, 0);
  }

  void write_requests(std::vector<std::size_t> requests) {
    const auto& times = made_.run.times;
    std::ranges::stable_sort(requests, {}, [&](std::size_t i) { return times[i].arrival; });
    const std::uint64_t parent = report::track_uuid(path_ + "/requests");
    describe(path_ + "/requests", "requests", process_, 4);
    std::vector<std::pair<TrackKey, Time>> rows;  // each with the end of its last request
    for (const std::size_t i : requests) {
      const serving::RequestTimes& one = times[i];
      auto row = std::ranges::find_if(rows, [&](const auto& r) { return r.second <= one.arrival; });
      if (row == rows.end()) {
        const std::string number = std::to_string(rows.size());
        rows.emplace_back(describe(path_ + "/requests/" + number, "row " + number, parent,
                                   static_cast<std::uint32_t>(rows.size())),
                          Time{});
        row = rows.end() - 1;
      }
      const Texts texts{{"request", std::to_string(i)},
                        {"input tokens", std::to_string(made_.stream.requests[i].input)},
                        {"output tokens", std::to_string(made_.stream.requests[i].output)}};
      slice(row->first, Title::waiting, one.arrival, one.started, texts);
      slice(row->first, Title::first_token, one.started, one.first_token, texts);
      slice(row->first, Title::other_tokens, one.first_token, one.last_token, texts);
      row->second = one.last_token;
    }
  }

  const Inference& made_;
  result::Run names_;
  report::TracePackets packets_;
  std::string path_;
  std::uint64_t process_ = 0;
  TrackKey steps_, running_, waiting_, blocks_;
};

}  // namespace

bool write_service_timeline(const Inference& made, const report::ByteSink& sink) {
  return ServiceTimeline(made, sink).write();
}

}  // namespace orrery::study
