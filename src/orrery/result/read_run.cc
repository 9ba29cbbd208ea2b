// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/limits.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_reader.h"
#include "orrery/result/table_reader.h"

namespace orrery::result {

namespace {

constexpr std::uint64_t kAnyCount = std::uint64_t{1} << 62;
constexpr std::uint64_t kAnyIndex = kNone;  // indices below kNone

// A row takes at least this: its place in the page, its size, its id, and its list of columns.
constexpr std::uint64_t kRowBytes = 6;

/// All of a run, table by table.
class Reader {
 public:
  explicit Reader(DatabaseReader& database) : database_(database) {}

  Run read() {
    read_run();
    read_names();
    read_groups();
    read_timelines();
    read_spans();
    read_memory();
    read_ranks();
    read_rank_groups();
    read_collectives();
    read_link_use();
    read_links();
    read_path();
    read_findings();
    return std::move(run_);
  }

 private:
  void read_run();
  void read_names();
  void read_groups();
  void read_timelines();
  void read_spans();
  void read_span(TableRows& rows, Span& span, std::uint32_t timeline);
  void read_memory();
  void read_ranks();
  void read_rank_groups();
  void read_collectives();
  void read_link_use();
  void read_links();
  void read_path();
  void read_findings();
  void missing(const char* table, const char* what);
  std::uint32_t span_of(TableRows& rows, std::uint32_t rank);

  DatabaseReader& database_;
  Run run_;
  std::uint64_t ranks_ = 0;
  std::uint64_t spans_ = 0;                // as the timelines say
  std::vector<std::uint64_t> span_count_;  // by timeline
  std::vector<std::uint64_t> first_span_, first_lane_;
  std::vector<std::uint64_t> first_group_;  // by rank
};

// A table that ends too early.
void Reader::missing(const char* table, const char* what) {
  database_.refuse(Errc::input_corrupt, table, what);
}

void Reader::read_run() {
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
      run_.memory_capacity = rows.bytes();
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

void Reader::read_names() {
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

void Reader::read_groups() {
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

void Reader::read_timelines() {
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
    if (timeline < last) lanes.refuse("the rows are not in the order of their timelines");
    if (!database_.good()) return;
    if (run_.timelines[timeline].lanes.empty()) first_lane_[timeline] = lanes.row();
    run_.timelines[timeline].lanes.push_back(lane);
    last = timeline;
  }
}

void Reader::read_spans() {
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

void Reader::read_span(TableRows& rows, Span& span, std::uint32_t timeline) {
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
  span.model = static_cast<Model>(rows.index(kModels));
  span.release = static_cast<Release>(rows.index(kReleases));
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

void Reader::read_memory() {
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
    if (!database_.good()) return;
    auto& all = run_.timelines[timeline].memory.at_peak;
    if (timeline < last || all.size() == MemoryCurve::kHeldTensors)
      return tensors.refuse("out of order, or too many for one timeline");
    all.push_back({name, held});
    last = timeline;
  }
}

void Reader::read_ranks() {
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

void Reader::read_rank_groups() {
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
std::uint32_t Reader::span_of(TableRows& rows, std::uint32_t rank) {
  if (!database_.good()) return kNone;
  const std::uint32_t timeline = run_.ranks[rank].timeline;
  return rows.maybe_index(span_count_[timeline], first_span_[timeline]);
}

void Reader::read_collectives() {
  TableRows rows(database_, "collective");
  while (rows.next()) {
    Collective& each = run_.collectives.emplace_back();
    each.group = rows.index(run_.groups.size());
    each.type = rows.text();
    each.name = rows.index(run_.names.size());
    each.bytes = rows.bytes();
    each.joined = rows.flag();
    each.members = rows.index(ranks_ + 1);
    each.first_start = rows.time();
    each.last_start = rows.time();
    each.last_rank = rows.index(ranks_);
    each.last_span = span_of(rows, each.last_rank);
    each.end = rows.maybe_time();
    each.bound = rows.maybe_time();
    each.bound_by = rows.text();
    if (each.last_start < each.first_start || (each.end && *each.end < each.last_start))
      rows.refuse("it ends before it begins");
  }
}

void Reader::read_link_use() {
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

void Reader::read_links() {
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
  }
}

void Reader::read_path() {
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

void Reader::read_findings() {
  std::vector<FindingCode> codes;
  TableRows rows(database_, "finding");
  while (rows.next()) {
    const std::string_view code = rows.text();
    const std::optional<FindingCode> known = finding_named(code);
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

}  // namespace

Result<Run> read_database(sqlite3* database, std::uint64_t size, const std::string& file) {
  DatabaseReader reader(database, size, file);
  reader.check_schema();
  Run run = Reader(reader).read();
  if (!reader.good()) return tl::unexpected(reader.error());
  if (Result<void> fits = check_run(run); !fits) {
    Error error = fits.error();
    error.where = file + ":" + error.where;
    return tl::unexpected(std::move(error));
  }
  return run;
}

Result<Run> read_run(const std::string& path) {
  std::uint64_t size = 0;
  const Result<Database> database = open_database(path, size);
  if (!database) return tl::unexpected(database.error());
  return read_database(database->get(), size, path);
}

}  // namespace orrery::result
