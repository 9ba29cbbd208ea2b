// SPDX-License-Identifier: Apache-2.0
//
// What was run and what the ranks did: the first half of a run file.
#include <algorithm>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/result/run_tables.h"

namespace orrery::result {

namespace {

// A row takes at least this: its place in the page, its size, its id, and its list of columns.
constexpr std::uint64_t kRowBytes = 6;

}  // namespace

// A table that ends too early.
void RunReader::missing(const char* table, const char* what) {
  database_.refuse(Errc::input_corrupt, table, what);
}

void RunReader::read_work(TableRows& rows) {
  StepWork work;
  work.samples = static_cast<std::uint64_t>(rows.integer(0, kAnyCount));
  work.tokens = static_cast<std::uint64_t>(rows.integer(0, kAnyCount));
  work.model_flops = rows.real();
  work.hardware_flops = rows.real();
  if (work.samples > 0) {
    run_.work = work;
  } else if (!(work == StepWork{})) {
    rows.refuse("work without samples makes no sense");
  }
}

void RunReader::read_run() {
  {
    TableRows rows(database_, "run");
    if (rows.next()) {
      run_.spans = rows.word<SpanChoice>(kSpanChoices);
      run_.step = rows.time();
      run_.stalled = rows.flag();
      ranks_ = static_cast<std::uint64_t>(rows.integer(0, kAnyCount));
      if (ranks_ > limits::kRanks)
        rows.refuse(Errc::limit_exceeded, "has " + std::to_string(ranks_) + " ranks", {});
      run_.device = rows.text();
      run_.peak_flops = rows.real();
      run_.peak_precision = rows.text();
      run_.memory_capacity = rows.bytes();
      read_work(rows);
      run_.links.bin = rows.time();
      run_.messages = rows.bits();
      run_.events = rows.bits();
      if (rows.next()) rows.refuse("only one row makes sense");
    } else {
      missing("run", "has no row");
    }
  }
  TableRows rows(database_, "manifest");
  while (rows.next()) {
    std::string key(rows.text());
    run_.manifest.emplace_back(std::move(key), rows.text());
  }
}

void RunReader::read_names() {
  TableRows rows(database_, "name");
  while (rows.next()) {
    if (rows.row() >= kAnyIndex) return rows.refuse("there are too many names");
    if (run_.names.intern(rows.text()) != rows.row())
      return rows.refuse("name 0 is not empty, or a name comes twice");
  }
  TableRows dims(database_, "dimension");
  while (dims.next()) {
    Dimension& dim = run_.dims.emplace_back();
    dim.block = dims.text();
    dim.size = dims.integer(1, kAnyCount);
    dim.bandwidth = Bandwidth(dims.real());
    dim.latency_ns = dims.real();
  }
}

void RunReader::read_groups() {
  TableRows rows(database_, "process_group");
  while (rows.next()) {
    Group& group = run_.groups.emplace_back();
    group.name = rows.text();
    group.size = rows.index(ranks_ + 1);
    group.first = rows.index(kAnyIndex);
    group.count = rows.index(kAnyIndex);
  }
  TableRows members(database_, "group_member");
  std::uint32_t last = 0;
  while (members.next()) {
    const std::uint32_t group = members.index(run_.groups.size());
    const std::uint32_t rank = members.index(ranks_);
    if (group < last) members.refuse("the rows are not in the order of their groups");
    if (!database_.good()) return;
    run_.groups[group].ranks.push_back(rank);
    last = group;
  }
}

void RunReader::read_timelines() {
  TableRows rows(database_, "timeline");
  while (rows.next()) {
    MemoryCurve& memory = run_.timelines.emplace_back().memory;
    if (rows.bits() != spans_) rows.refuse("first_span is not behind the spans of the one before");
    first_span_.push_back(spans_);
    span_count_.push_back(static_cast<std::uint64_t>(rows.integer(0, limits::kNodesPerRank)));
    spans_ += span_count_.back();
    if (spans_ > database_.size() / kRowBytes)
      rows.refuse("has more spans than the file has room for");
    memory.peak = rows.bytes();
    memory.peak_at = rows.time();
    memory.role = rows.index(run_.names.size());
  }
  TableRows lanes(database_, "lane");
  std::uint32_t last = 0;
  first_lane_.assign(run_.timelines.size(), 0);
  while (lanes.next()) {
    const std::uint32_t timeline = lanes.index(run_.timelines.size());
    Lane lane;
    lane.kind = lanes.word<LaneKind>(kLaneKinds);
    lane.group = lanes.maybe_index(kAnyIndex);
    lane.distance = lanes.maybe_index(ranks_);
    lane.layer = lanes.index(kAnyIndex);
    lane.number = lanes.integer(std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max());
    lane.device = static_cast<std::int32_t>(lanes.integer(
        std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
    if (timeline < last) lanes.refuse("the rows are not in the order of their timelines");
    if (!database_.good()) return;
    if (run_.timelines[timeline].lanes.empty()) first_lane_[timeline] = lanes.row();
    run_.timelines[timeline].lanes.push_back(lane);
    last = timeline;
  }
}

void RunReader::read_spans() {
  TableRows rows(database_, "span");
  for (std::uint32_t i = 0; i < run_.timelines.size(); ++i) {
    std::vector<Span>& spans = run_.timelines[i].spans;
    if (!database_.good()) return;
    spans.reserve(span_count_[i]);
    while (spans.size() < span_count_[i]) {
      if (!rows.next()) return missing("span", "ends before the timelines do");
      if (rows.index(run_.timelines.size()) != i) return rows.refuse("is of another timeline");
      read_span(rows, spans.emplace_back(), i);
    }
  }
  if (rows.next()) rows.refuse("is of no timeline");
}

void RunReader::read_span(TableRows& rows, Span& span, std::uint32_t timeline) {
  const std::uint64_t lanes = run_.timelines[timeline].lanes.size();
  span.node = rows.bits();
  span.name = rows.index(run_.names.size());
  span.kind = static_cast<SpanKind>(rows.index(kSpanKinds));
  const std::uint32_t lane =
      rows.maybe_index(std::min<std::uint64_t>(lanes, 1u << 16), first_lane_[timeline]);
  if (lane == kNone) rows.refuse("lane is missing");
  span.lane = static_cast<std::uint16_t>(lane);
  span.start = rows.time();
  const Time length = rows.time();
  span.end = span.start + length;
  span.model = static_cast<TimeSource>(rows.index(kTimeSources));
  span.release = static_cast<Release>(rows.index(kReleases));
  span.reason = static_cast<DependencyKind>(rows.index(kDependencyKinds));
  span.released_by = rows.maybe_index(span_count_[timeline], first_span_[timeline]);
  span.critical = rows.flag();
  span.slack = rows.maybe_time();
  span.bytes = rows.bytes();
  span.flops = rows.integer(0, kAnyCount);
  span.wait = rows.time();
  span.queue = rows.time();
  span.latency = rows.time();
  if (span.wait > length || span.queue > length - span.wait ||
      span.latency > length - span.wait - span.queue)
    rows.refuse("waits longer than it lasts");
  span.group = rows.maybe_index(kAnyIndex);
  const std::uint32_t sequence = rows.maybe_index(kAnyIndex);
  span.sequence = sequence == kNone ? 0 : sequence;
  span.distance = rows.maybe_index(ranks_);
  span.peer_span = rows.maybe_index(kAnyIndex);
  const bool collective = span.kind == SpanKind::collective;
  const bool message = span.kind == SpanKind::send || span.kind == SpanKind::receive;
  if (collective != (span.group != kNone) || collective != (sequence != kNone))
    rows.refuse("a collective has a group and a sequence, anything else has none");
  if (message != (span.distance != kNone) || (!message && span.peer_span != kNone))
    rows.refuse("a message has a peer, anything else has none");
}

void RunReader::read_memory() {
  TableRows rows(database_, "memory");
  std::uint32_t last = 0;
  while (rows.next()) {
    const std::uint32_t timeline = rows.index(run_.timelines.size());
    const Time at = rows.time();
    const Bytes held = rows.bytes();
    if (!database_.good()) return;
    auto& points = run_.timelines[timeline].memory.points;
    if (timeline < last || (!points.empty() && at <= points.back().first))
      return rows.refuse("the rows are not in the order of their timelines and times");
    points.emplace_back(at, held);
    last = timeline;
  }
  TableRows tensors(database_, "held_tensor");
  last = 0;
  while (tensors.next()) {
    const std::uint32_t timeline = tensors.index(run_.timelines.size());
    const std::uint32_t name = tensors.index(run_.names.size());
    const Bytes held = tensors.bytes();
    const std::uint32_t kind = tensors.index(run_.names.size());
    if (!database_.good()) return;
    auto& all = run_.timelines[timeline].memory.at_peak;
    if (timeline < last || all.size() == MemoryCurve::kHeldTensors)
      return tensors.refuse("out of order, or too many for one timeline");
    all.push_back({name, held, kind});
    last = timeline;
  }
}

}  // namespace orrery::result
