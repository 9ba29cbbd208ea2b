// SPDX-License-Identifier: Apache-2.0
#include "hta_trace.h"

#include <zlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace orrery::hta {

using result::kNone;
using result::Release;
using result::Span;
using result::SpanKind;

namespace {

std::string unpacked(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char block[1 << 16];
  for (int got; (got = gzread(file, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  gzclose(file);
  return text;
}

bool synchronizes(const Event& event) {
  return event.category == "cuda_runtime" && event.name.find("Synchronize") != std::string::npos;
}

class Maker {
 public:
  explicit Maker(const Trace& trace) : trace_(trace) {
    made_.spans_of.resize(trace.events.size());
    made_.run.ranks.resize(1);
    made_.run.timelines.resize(1);
    made_.run.timelines[0].lanes.resize(1);
  }

  RecordedRun make() {
    find_kernels();
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      const Event& event = trace_.events[e];
      if (event.on_device()) continue;
      close_before(event.thread, event.start);
      piece(e, event.start);  // ends what was open until now, and opens this
      open_[event.thread].push_back(e);
    }
    for (auto& [thread, stack] : open_) close_before(thread, INT64_MAX);
    for (const auto& [kernel, launch] : launches_) start_kernel(kernel, launch);
    link_syncs();
    auto& run = made_.run;
    for (const Span& span : run.timelines[0].spans) run.step = std::max(run.step, span.end);
    run.ranks[0].finish = run.step;
    return std::move(made_);
  }

 private:
  [[nodiscard]] Time time(std::int64_t microseconds) const {
    return us(microseconds - trace_.events.front().start);
  }

  void find_kernels() {
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      if (trace_.events[e].on_device()) kernel_of_[trace_.events[e].correlation] = e;
    }
  }

  std::uint32_t add(std::size_t event, std::int64_t start, std::int64_t end, std::uint32_t by) {
    auto& spans = made_.run.timelines[0].spans;
    Span span;
    span.node = spans.size();
    span.kind = trace_.events[event].on_device() ? SpanKind::compute : SpanKind::cpu;
    span.model = TimeSource::recorded;
    span.name = made_.run.names.intern(trace_.events[event].name);
    span.start = time(start);
    span.end = time(end);
    span.released_by = by;
    span.release = by == kNone ? Release::beginning : Release::dependency;
    spans.push_back(span);
    const auto number = static_cast<std::uint32_t>(spans.size() - 1);
    made_.spans_of[event].push_back(number);
    return number;
  }

  // The piece of the innermost open event from where the thread was until `now`.
  void flush(std::int64_t thread, std::int64_t now) {
    const auto& stack = open_[thread];
    if (stack.empty()) return;
    chain(thread, stack.back(), std::exchange(since_[thread], now), now);
  }
  std::uint32_t chain(std::int64_t thread, std::size_t event, std::int64_t start,
                      std::int64_t end) {
    const auto before = last_.try_emplace(thread, kNone).first;
    return before->second = add(event, start, end, before->second);
  }

  // A new event begins at `start`.
  void piece(std::size_t event, std::int64_t start) {
    const std::int64_t thread = trace_.events[event].thread;
    flush(thread, start);
    since_[thread] = start;
    const std::uint32_t begin = chain(thread, event, start, start);
    const auto kernel = kernel_of_.find(trace_.events[event].correlation);
    if (trace_.events[event].category == "cuda_runtime" && kernel != kernel_of_.end())
      launches_[kernel->second] = {event, begin};
  }

  void close_before(std::int64_t thread, std::int64_t now) {
    auto& stack = open_[thread];
    while (!stack.empty() && trace_.events[stack.back()].end <= now) {
      const std::size_t event = stack.back();
      const std::int64_t end = trace_.events[event].end;
      const std::int64_t device = synchronizes(trace_.events[event]) ? device_done(event) : 0;
      if (device > since_[thread]) {
        flush(thread, device);
        syncs_.push_back({event, static_cast<std::uint32_t>(made_.run.timelines[0].spans.size())});
      }
      flush(thread, end);
      stack.pop_back();
    }
  }

  // The last kernel a synchronizing call waits for: launched before it, done before it ends.
  [[nodiscard]] std::size_t awaited(std::size_t sync) const {
    const Event& call = trace_.events[sync];
    const auto stream = trace_.sync_stream.find(call.correlation);
    std::size_t last = trace_.events.size();
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      const Event& kernel = trace_.events[e];
      if (!kernel.on_device() || kernel.correlation >= call.correlation || kernel.end > call.end)
        continue;
      const bool all = stream == trace_.sync_stream.end() || stream->second < 0;
      if (!all && kernel.thread != stream->second) continue;
      if (last == trace_.events.size() || kernel.end >= trace_.events[last].end) last = e;
    }
    return last;
  }
  [[nodiscard]] std::int64_t device_done(std::size_t sync) const {
    const std::size_t kernel = awaited(sync);
    return kernel == trace_.events.size() ? 0 : trace_.events[kernel].end;
  }

  struct Launch {
    std::size_t call;
    std::uint32_t begin;  // the span in which the call begins
  };
  // Kernels come by start, so the one before is there already.
  void start_kernel(std::size_t kernel, const Launch& launch) {
    const Event& event = trace_.events[kernel];
    const auto before = in_stream_.find(event.thread);
    std::uint32_t by = kNone;
    if (before != in_stream_.end() &&
        trace_.events[before->second].end > trace_.events[launch.call].start) {
      by = made_.spans_of[before->second].front();
    } else {
      by = add(launch.call, trace_.events[launch.call].start, event.start, launch.begin);
    }
    add(kernel, event.start, event.end, by);
    in_stream_[event.thread] = kernel;
  }

  void link_syncs() {
    for (const auto& [event, span] : syncs_) {
      const auto& kernel = made_.spans_of[awaited(event)];
      if (!kernel.empty()) made_.run.timelines[0].spans[span].released_by = kernel.front();
    }
  }

  const Trace& trace_;
  RecordedRun made_;
  std::map<std::int64_t, std::size_t> kernel_of_;          // by correlation
  std::map<std::int64_t, std::vector<std::size_t>> open_;  // by thread, the innermost last
  std::map<std::int64_t, std::int64_t> since_;             // by thread: where the next piece begins
  std::map<std::int64_t, std::uint32_t> last_;             // by thread: the latest piece
  std::map<std::size_t, Launch> launches_;                 // by kernel
  std::vector<std::pair<std::size_t, std::uint32_t>> syncs_;  // (call, its piece after the wait)
  std::map<std::int64_t, std::size_t> in_stream_;             // the latest kernel
};

}  // namespace

Trace read_trace(const std::string& path) {
  Trace trace;
  const auto json = nlohmann::json::parse(unpacked(path), nullptr, false);
  if (json.is_discarded()) return trace;
  for (const auto& one : json["traceEvents"]) {
    if (one.value("ph", "") != "X") continue;
    const std::string category = one.value("cat", "");
    const auto args = one.value("args", nlohmann::json::object());
    if (category == "cuda_sync") {
      const auto stream = args.value("stream", std::int64_t{-1});
      const bool all = one.value("name", "") == "Context Sync";
      trace.sync_stream[args.value("correlation", std::int64_t{-1})] = all ? -1 : stream;
      continue;
    }
    Event event;
    event.category = category;
    event.name = one.value("name", "");
    if (category != "cpu_op" && category != "cuda_runtime" && !event.on_device()) continue;
    event.thread = one.value("tid", std::int64_t{0});
    event.start = one.value("ts", std::int64_t{0});
    event.end = event.start + one.value("dur", std::int64_t{0});
    event.correlation = args.value("correlation", std::int64_t{-1});
    event.marked = args.value("critical", 0) == 1;
    trace.events.push_back(std::move(event));
  }
  std::stable_sort(trace.events.begin(), trace.events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.start, b.end) < std::pair(b.start, a.end);
  });
  return trace;
}

RecordedRun make_run(const Trace& trace) { return Maker(trace).make(); }

}  // namespace orrery::hta
