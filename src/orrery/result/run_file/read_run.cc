// SPDX-License-Identifier: Apache-2.0
//
// What it amounts to: the second half of a run file, and both together.

#include <algorithm>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_database.h"
#include "orrery/result/run_file/run_reader.h"

namespace orrery::result {

void RunReader::read_ranks() {
  TableRows rows(database_, "rank");
  while (rows.next()) {
    if (rows.row() >= ranks_) return rows.refuse("there are more ranks than the run has");
    Rank& rank = run_.ranks.emplace_back();
    rank.timeline = rows.index(run_.timelines.size());
    first_group_.push_back(rows.bits());
    rank.finish = rows.maybe_time();
    rank.exposed_comm = Time(rows.integer(-static_cast<std::int64_t>(kAnyCount), kAnyCount));
    for (Time* part : {&rank.compute_only, &rank.overlapped, &rank.comm, &rank.comm_only,
                       &rank.memory, &rank.memory_only, &rank.idle})
      *part = rows.time();
    rank.sent_bytes = rows.bits();
    if (!rank.finish) continue;
    Time left = *rank.finish;
    for (const Time part : {rank.compute_only, rank.overlapped, rank.comm_only, rank.memory_only})
      left -= std::min(part, left + Time(1));  // below zero once they are more
    if (left != rank.idle || *rank.finish > run_.step)
      rows.refuse("its times do not add up to its finish, or it finished after the step");
  }
  if (database_.good() && run_.ranks.size() != ranks_)
    missing("rank", "has fewer rows than the run has ranks");
}

void RunReader::read_rank_groups() {
  TableRows rows(database_, "rank_group");
  std::uint64_t count = 0;
  std::uint32_t rank = 0;
  const auto begins_here = [&](std::uint32_t which) { return first_group_[which] == count; };
  if (database_.good() && !first_group_.empty() && !begins_here(0))
    return missing("rank row 0", "first_group is not 0");
  while (rows.next()) {
    const std::uint32_t of = rows.index(ranks_);
    const std::uint32_t number = rows.index(kAnyIndex);
    const std::uint32_t group = rows.index(run_.groups.size());
    if (!database_.good()) return;
    for (; rank < of; ++rank) {
      if (!begins_here(rank + 1)) return rows.refuse("first_group of its rank is another");
    }
    if (of != rank || number != run_.ranks[rank].groups.size())
      return rows.refuse("the rows are not in the order of ranks and numbers");
    run_.ranks[rank].groups.push_back(group);
    ++count;
  }
  for (; database_.good() && rank + 1 < ranks_; ++rank) {
    if (!begins_here(rank + 1)) missing("rank_group", "ends before the ranks do");
  }
}

// A span of a rank, counted over the whole file.
std::uint32_t RunReader::span_of(TableRows& rows, std::uint32_t rank) {
  if (!database_.good()) return kNone;
  const std::uint32_t timeline = run_.ranks[rank].timeline;
  return rows.maybe_index(span_count_[timeline], first_span_[timeline]);
}

std::optional<ErrorInterval> RunReader::off_of(TableRows& rows) {
  constexpr auto kFar = static_cast<std::int64_t>(kAnyCount);
  const auto lower = rows.maybe_integer(-kFar, kFar);
  const auto upper = rows.maybe_integer(-kFar, kFar);
  if (lower.has_value() != upper.has_value() || (lower && *lower > *upper))
    rows.refuse("least_ps and most_ps are no band");
  return lower && upper ? std::optional(ErrorInterval{Time(*lower), Time(*upper)}) : std::nullopt;
}

void RunReader::read_predicted_collectives() {
  TableRows rows(database_, "library_collective");
  while (rows.next()) {
    PredictedCollective& each = run_.predicted.emplace_back();
    each.type = rows.text();
    each.bytes = rows.bytes();
    each.ranks = rows.index(kAnyIndex);
    each.nodes = rows.index(kAnyIndex);
    each.time = rows.time();
    each.source = rows.text();
    each.algorithm = rows.text();
    each.off = off_of(rows);
  }
}

void RunReader::read_error_classes() {
  TableRows rows(database_, "error_class");
  while (rows.next()) {
    ErrorClass& each = run_.error_classes.emplace_back();
    each.name = rows.text();
    each.time = rows.time();
    each.off = off_of(rows);
  }
}

void RunReader::read_time_by_provenance() {
  TableRows rows(database_, "path_basis");
  while (rows.next()) {
    const auto provenance = time_provenance_named(rows.text());
    const Time time = rows.time();
    if (!provenance) {
      rows.refuse("name is nothing that times stand on");
      return;
    }
    run_.time_by_provenance[static_cast<std::size_t>(*provenance)] = time;
  }
}

void RunReader::read_collectives() {
  TableRows rows(database_, "collective");
  while (rows.next()) {
    Collective& each = run_.collectives.emplace_back();
    each.group = rows.index(run_.groups.size());
    each.type = rows.text();
    each.name = rows.index(run_.names.size());
    each.bytes = rows.bytes();
    each.sent = rows.bits();
    each.joined = rows.flag();
    each.members = rows.index(ranks_ + 1);
    each.first_start = rows.time();
    each.last_start = rows.time();
    each.last_rank = rows.index(ranks_);
    each.last_span = span_of(rows, each.last_rank);
    each.end = rows.maybe_time();
    each.bound = rows.maybe_time();
    each.bound_by = rows.text();
    each.predicted = rows.maybe_index(run_.predicted.size());
    if (each.last_start < each.first_start || (each.end && *each.end < each.last_start))
      rows.refuse("it ends before it begins");
  }
}

void RunReader::read_link_use() {
  TableRows curves(database_, "link_curve");
  std::vector<std::uint64_t> bins;
  std::uint64_t first = 0;
  while (curves.next()) {
    if (curves.bits() != first) curves.refuse("first_use is not behind the bins of the one before");
    bins.push_back(static_cast<std::uint64_t>(curves.integer(0, kAnyIndex)));
    first += bins.back();
  }
  run_.links.curves.resize(bins.size());
  TableRows rows(database_, "link_use");
  for (std::size_t i = 0; i < bins.size(); ++i) {
    std::vector<std::uint64_t>& curve = run_.links.curves[i];
    while (curve.size() < bins[i]) {
      if (!rows.next()) return missing("link_use", "ends before the curves do");
      if (rows.bits() != i || rows.bits() != curve.size())
        return rows.refuse("the rows are not in the order of curves and bins");
      curve.push_back(rows.bits());
    }
  }
  if (rows.next()) rows.refuse("is of no curve");
}

void RunReader::read_fabric() {
  TableRows rows(database_, "fabric_node");
  while (rows.next()) {
    FabricNode& node = run_.fabric.emplace_back();
    node.name = rows.text();
    node.kind = rows.text();
    node.host = rows.maybe_index(kNone);
    node.rank = rows.maybe_index(ranks_);
  }
  TableRows faults(database_, "fabric_fault");
  while (faults.next()) {
    FabricFault& fault = run_.faults.emplace_back();
    fault.from = faults.index(run_.fabric.size());
    fault.to = faults.index(run_.fabric.size());
    fault.links = faults.index(kNone);
    fault.bandwidth = faults.real();
    fault.start = faults.time();
    fault.end = faults.maybe_time();
    fault.every = faults.time();
    fault.lasts = faults.time();
  }
}

void RunReader::read_links() {
  TableRows rows(database_, "link");
  const std::uint64_t curves = run_.links.curves.size();
  while (rows.next()) {
    Link& link = run_.links.links.emplace_back();
    link.dim = rows.index(run_.dims.size());
    link.from = rows.maybe_index(ranks_);
    link.to = rows.maybe_index(ranks_);
    link.down = rows.flag();
    link.capacity = Bandwidth(rows.real());
    link.bytes = rows.bits();
    const std::uint32_t use = rows.maybe_index(curves);
    if ((use == kNone) != (curves == 0)) rows.refuse("its curve is missing");
    link.use = use == kNone ? 0 : use;
    link.name = rows.text();
    link.kind = rows.text();
  }
}

void RunReader::read_remote_memory() {
  RemoteMemory& memory = run_.remote_memory;
  TableRows rows(database_, "memory_level");
  std::vector<std::uint64_t> bins;
  while (rows.next()) {
    MemoryLevel& level = memory.levels.emplace_back();
    level.name = rows.text();
    level.capacity = Bandwidth(rows.real());
    level.half_duplex = rows.flag();
    level.loaded = rows.bits();
    level.stored = rows.bits();
    const Time bin = rows.time();
    if (bin <= Time{} || (!bins.empty() && bin != memory.bin))
      rows.refuse("its bins are not as long as those of others, or not long at all");
    memory.bin = bin;
    bins.push_back(static_cast<std::uint64_t>(rows.integer(0, kAnyIndex)));
  }
  TableRows use(database_, "memory_level_use");
  for (std::size_t i = 0; i < bins.size() && i < memory.levels.size(); ++i) {
    MemoryLevel& level = memory.levels[i];
    while (level.loads.size() < bins[i]) {
      if (!use.next()) return missing("memory_level_use", "ends before the levels do");
      if (use.bits() != i || use.bits() != level.loads.size())
        return use.refuse("the rows are not in the order of levels and bins");
      level.loads.push_back(use.bits());
      level.stores.push_back(use.bits());
    }
  }
  if (use.next()) use.refuse("is of no level");
}

void RunReader::read_path() {
  TableRows rows(database_, "path");
  Time until{};
  while (rows.next()) {
    PathSegment& segment = run_.path.emplace_back();
    segment.rank = rows.index(ranks_);
    segment.span = span_of(rows, segment.rank);
    segment.cause = rows.word<PathCause>(kPathCauses);
    segment.release = rows.word<Release>(kReleases);
    segment.start = rows.time();
    segment.end = rows.time();
    if (segment.start != until || segment.end < until)
      rows.refuse("does not begin where the one before ended");
    until = segment.end;
  }
  if (!database_.good() || run_.path.empty() || run_.stalled || until == run_.step) return;
  missing("path", "does not end with the step");
}

void RunReader::read_findings() {
  std::vector<FindingCode> codes;
  TableRows rows(database_, "finding");
  while (rows.next()) {
    const std::string_view code = rows.text();
    const std::optional<FindingCode> known = find_finding_code(code);
    if (!known) {
      // What it would mean for the result cannot be told, so it is not left out either.
      return rows.refuse(Errc::input_unsupported, "a finding that this program does not know",
                         "a newer Orrery wrote it");
    }
    if (run_.findings.count(*known) > 0) return rows.refuse("comes twice");
    codes.push_back(*known);
    (void)rows.text();
    run_.findings.add(*known, {}, static_cast<std::uint64_t>(rows.integer(1, kAnyCount)));
  }
  TableRows places(database_, "finding_place");
  while (places.next()) {
    const std::uint32_t finding = places.index(codes.size());
    const std::string_view place = places.text();
    if (database_.good()) run_.findings.add(codes[finding], place, 0);
  }
}

Result<Run> read_database(sqlite::Database& database) {
  DatabaseReader reader(database);
  reader.check_schema();
  Run run = RunReader(reader).read();
  if (!reader.good()) return tl::unexpected(reader.error());
  if (Result<void> fits = check_run(run); !fits) {
    Error error = fits.error();
    error.where = database.where() + ":" + error.where;
    return tl::unexpected(std::move(error));
  }
  return run;
}

Result<Run> read_run(const std::string& path) {
  Result<sqlite::Database> database = open_run_file(path);
  if (!database) return tl::unexpected(database.error());
  return read_database(*database);
}

// What was run and what the ranks did: the first half of a run file.

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
