// SPDX-License-Identifier: Apache-2.0
//
// Chrome's trace-event JSON, for older viewers. One event per line.
//
// Source: "Trace Event Format", the Chromium project's document on the format.
#include <fmt/format.h>

#include <string>

#include "orrery/core/text/text.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/report/perfetto/cluster_tracks.h"
#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/perfetto/perfetto.h"
#include "orrery/report/perfetto/span_args.h"

namespace orrery::report {

using result::Run;
using result::Span;

namespace {

/// Nanoseconds as microseconds with three decimals: exact, unlike a double.
void append_us(std::string& out, std::uint64_t ns) {
  fmt::format_to(std::back_inserter(out), "{}.{:03}", ns / 1000, ns % 1000);
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_text(out, text);
  return out;
}

/// The members of "args", from visit_span_args().
class ArgText {
 public:
  ArgText(std::string& out, const Run& run) : out_(out), run_(run) { out_ += "\"args\":{"; }
  void close() { out_ += '}'; }

  void number(SpanArg arg, std::int64_t value) {
    key(arg);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void real(SpanArg arg, double value) {
    key(arg);
    JsonWriter(out_).value(value);
  }
  void truth(SpanArg arg) {
    key(arg);
    out_ += "true";
  }
  void model(TimeSource model) { word(SpanArg::model, name(model)); }
  void release(result::Release release) { word(SpanArg::release, name(release)); }
  void group(std::uint32_t group) { word(SpanArg::group, group_name(run_.groups[group])); }
  void word(SpanArg arg, std::string_view text) {
    key(arg);
    append_json_text(out_, text);
  }

 private:
  void key(SpanArg arg) {
    if (out_.back() != '{') out_ += ',';
    out_ += '"';
    out_ += kSpanArgNames[static_cast<std::size_t>(arg)];
    out_ += "\":";
  }

  std::string& out_;
  const Run& run_;
};

class ChromeWriter {
 public:
  ChromeWriter(const Run& run, const TimelineChoice& choice, const ByteSink& sink)
      : run_(run), choice_(choice), sink_(sink), flows_(run, choice) {}

  bool write() {
    out_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    write_cluster();
    for_each_rank(run_, choice_, [&](std::uint32_t rank) {
      write_rank(rank);
      return good_;
    });
    // Flows follow all slices: viewers look for the slice that is open at each end of a flow.
    for_each_rank(run_, choice_, [&](std::uint32_t rank) {
      write_messages(rank);
      return good_;
    });
    for (std::uint32_t hop = 0; hop + 1 < flows_.hops().size() && good_; ++hop) {
      if (flows_.is_linked(hop))
        flow("critical path", SpanFlows::path_id(hop), flows_.hops()[hop].place,
             flows_.hops()[hop + 1].place);
    }
    out_ += "\n]}\n";
    flush();
    return good_;
  }

 private:
  void event() {
    out_ += first_ ? "\n" : ",\n";
    first_ = false;
    if (out_.size() > kChunk) flush();
  }
  void flush() {
    good_ = good_ && sink_(out_);
    out_.clear();
  }

  void metadata(std::string_view what, std::uint32_t pid, std::uint32_t tid,
                std::string_view member, const std::string& value) {
    event();
    fmt::format_to(std::back_inserter(out_),
                   R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what, pid,
                   tid, member, value);
  }
  void name_process(std::uint32_t pid, const std::string& name, std::uint32_t position) {
    metadata("process_name", pid, 0, "name", quoted(name));
    metadata("process_sort_index", pid, 0, "sort_index", std::to_string(position));
  }
  void counter(std::uint32_t pid, const std::string& quoted_name, std::uint64_t ns,
               std::string_view member, std::int64_t value) {
    event();
    fmt::format_to(std::back_inserter(out_), R"({{"ph":"C","name":{},"pid":{},"tid":0,"ts":)",
                   quoted_name, pid);
    append_us(out_, ns);
    fmt::format_to(std::back_inserter(out_), R"(,"args":{{"{}":{}}}}})", member, value);
  }

  void write_cluster();
  void write_rank(std::uint32_t rank);
  void write_slice(std::uint32_t rank, std::uint32_t index, std::uint64_t ns, std::uint64_t end);
  void write_memory(std::uint32_t rank);
  void write_messages(std::uint32_t rank);
  void flow(std::string_view category, std::uint64_t id, const SpanPlace& from,
            const SpanPlace& to);
  void flow_end(std::string_view head, std::string_view category, std::uint64_t id,
                const SpanPlace& place, std::uint64_t ns);

  static constexpr std::size_t kChunk = 256 << 10;

  const Run& run_;
  TimelineChoice choice_;
  const ByteSink& sink_;
  SpanFlows flows_;
  LaneOrder order_;
  std::string out_;
  bool first_ = true;
  bool good_ = true;
};

void ChromeWriter::write_cluster() {
  const std::uint32_t pid = cluster_pid(run_);
  name_process(pid, "Cluster", 0);
  for (const LinkCurve& curve : link_curves(run_, choice_)) {
    const std::string name = quoted(curve.name);
    for (const auto& [ns, value] : curve.points) counter(pid, name, ns, "bytes_per_s", value);
  }
}

void ChromeWriter::write_rank(std::uint32_t rank) {
  const result::Timeline& timeline = run_.timeline(rank);
  order_.arrange(run_, run_.ranks[rank].timeline, choice_);
  bool named = false;
  for (std::size_t lane = 0; lane < timeline.lanes.size() && good_; ++lane) {
    const auto order = order_.lane(lane);
    if (order.empty()) continue;
    if (!named) name_process(rank + 1, process_title(choice_, rank), rank + 1);
    named = true;
    const auto tid = static_cast<std::uint32_t>(lane + 1);
    metadata("thread_name", rank + 1, tid, "name",
             quoted(lane_name(run_, rank, timeline.lanes[lane])));
    metadata("thread_sort_index", rank + 1, tid, "sort_index",
             std::to_string(lane_position(timeline, static_cast<std::uint16_t>(lane))));
    draw_lane(
        timeline, order,
        [&](std::uint32_t span, std::uint64_t ns, std::uint64_t end) {
          write_slice(rank, span, ns, end);
        },
        [](std::uint32_t, std::uint64_t) {});
  }
  if (!named && !timeline.memory.points.empty())
    name_process(rank + 1, process_title(choice_, rank), rank + 1);
  write_memory(rank);
}

void ChromeWriter::write_slice(std::uint32_t rank, std::uint32_t index, std::uint64_t ns,
                               std::uint64_t end) {
  const result::Timeline& timeline = run_.timeline(rank);
  const Span& span = timeline.spans[index];
  event();
  out_ += "{\"ph\":\"X\",\"name\":";
  JsonWriter(out_).value(clean_text(run_.names[span.name], name(span.kind)));
  fmt::format_to(std::back_inserter(out_), R"(,"cat":"{}","pid":{},"tid":{},"ts":)",
                 name(span.kind), rank + 1, span.lane + 1);
  append_us(out_, ns);
  out_ += ",\"dur\":";
  append_us(out_, end - ns);
  out_ += ',';
  ArgText args(out_, run_);
  visit_span_args(run_, rank, timeline, span, span.critical && !flows_.visits(rank, index).empty(),
                  args);
  args.close();
  out_ += '}';
}

void ChromeWriter::write_memory(std::uint32_t rank) {
  const auto& points = run_.timeline(rank).memory.points;
  const std::string name = quoted("memory held");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Time until = i + 1 == points.size() ? kTimeMax : points[i + 1].first;
    if (!overlaps(choice_, points[i].first, until)) continue;
    counter(rank + 1, name, rounded_ns(std::max(points[i].first, choice_.from)), "bytes",
            points[i].second.count());
  }
}

void ChromeWriter::write_messages(std::uint32_t rank) {
  const auto& spans = run_.timeline(rank).spans;
  for (std::uint32_t i = 0; i < spans.size() && good_; ++i) {
    if (spans[i].kind != result::SpanKind::send || !overlaps(choice_, spans[i])) continue;
    if (const auto to = flows_.receiver(rank, i))
      flow("message", SpanFlows::message_id({rank, i}), {rank, i}, *to);
  }
}

// Both ends must be in their slices, the second not before the first. Slices of zero duration
// cannot contain an end.
void ChromeWriter::flow(std::string_view category, std::uint64_t id, const SpanPlace& from,
                        const SpanPlace& to) {
  const Span& out = run_.timeline(from.rank).spans[from.span];
  const Span& in = run_.timeline(to.rank).spans[to.span];
  const std::uint64_t start_ns = rounded_ns(out.start);
  const std::uint64_t arrival_ns = std::max(start_ns, rounded_ns(in.start));
  if (start_ns >= rounded_ns(out.end) || arrival_ns >= rounded_ns(in.end)) return;
  flow_end(R"({"ph":"s")", category, id, from, start_ns);
  flow_end(R"({"ph":"f","bp":"e")", category, id, to, arrival_ns);
}

void ChromeWriter::flow_end(std::string_view head, std::string_view category, std::uint64_t id,
                            const SpanPlace& place, std::uint64_t ns) {
  event();
  out_ += head;
  fmt::format_to(
      std::back_inserter(out_), R"(,"name":"{}","cat":"{}","id":"{:#x}","pid":{},"tid":{},"ts":)",
      category, category, id, place.rank + 1, run_.timeline(place.rank).spans[place.span].lane + 1);
  append_us(out_, ns);
  out_ += '}';
}

}  // namespace

bool write_chrome(const Run& run, const TimelineChoice& choice, const ByteSink& sink) {
  return ChromeWriter(run, choice, sink).write();
}

}  // namespace orrery::report
