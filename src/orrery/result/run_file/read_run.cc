// SPDX-License-Identifier: Apache-2.0
//
// Reads a run file, table by table.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/result/run_file.h"
#include "orrery/result/run_file/run_database.h"
#include "orrery/result/run_file/table_reader.h"

namespace orrery::result {
namespace {

// A lower bound of a row's size: its offset in the page, its size, its id, and its list of columns.
constexpr std::uint64_t kRowBytes = 6;
constexpr std::uint64_t kAnyCount = std::uint64_t{1} << 62;
/// For indices without another bound: any below kNone.
constexpr std::uint64_t kAnyIndex = kNone;
/// More than any writer uses.
constexpr std::int64_t kMostPacketBins = 1 << 20;

/// Reads a complete run, table by table.
class RunReader {
 public:
  explicit RunReader(DatabaseReader& database) : database_(database) {}

  Run read() {
    read_run();
    read_names();
    read_groups();
    read_timelines();
    read_spans();
    read_memory();
    read_ranks();
    read_rank_groups();
    read_predicted_collectives();
    read_collectives();
    read_link_use();
    read_links();
    read_fabric();
    read_remote_memory();
    read_packets();
    read_path();
    read_error_classes();
    read_time_by_provenance();
    read_findings();
    read_repetitions();
    return std::move(run_);
  }

 private:
  void read_run() {
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
        read_memory_need(rows);
        read_work(rows);
        run_.links.bin = rows.time();
        run_.messages = rows.bits();
        run_.events = rows.bits();
        if (rows.next()) rows.refuse("must have exactly one row");
      } else {
        missing("run", "must have exactly one row");
      }
    }
    TableRows rows(database_, "manifest");
    while (rows.next()) {
      std::string key(rows.text());
      run_.manifest.emplace_back(std::move(key), rows.text());
    }
  }

  void read_memory_need(TableRows& rows) {
    const Bytes total = rows.bytes(), lower = rows.bytes(), upper = rows.bytes();
    const MemoryNeed need{total, lower, upper};
    if (total > Bytes{}) {
      run_.memory_need = need;
    } else if (!(need == MemoryNeed{})) {
      rows.refuse("has bounds of the needed memory, but no needed memory");
    }
  }

  void read_work(TableRows& rows) {
    StepWork work;
    work.samples = static_cast<std::uint64_t>(rows.integer(0, kAnyCount));
    work.tokens = static_cast<std::uint64_t>(rows.integer(0, kAnyCount));
    work.model_flops = rows.real();
    work.hardware_flops = rows.real();
    if (work.samples > 0) {
      run_.work = work;
    } else if (!(work == StepWork{})) {
      rows.refuse("has FLOPs but no samples");
    }
  }

  void read_names() {
    TableRows rows(database_, "name");
    std::string name;
    while (rows.next()) {
      if (rows.row() >= kAnyIndex) return rows.refuse("the table has too many names");
      name = rows.text();
      const auto number = rows.optional_integer(0, kAnyCount);
      if (number) name += std::to_string(*number);
      name += rows.text();
      if (run_.names.intern(name) != rows.row())
        return rows.refuse("name 0 is not empty, or a name appears twice");
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

  void read_groups() {
    TableRows rows(database_, "process_group");
    while (rows.next()) {
      Group& group = run_.groups.emplace_back();
      group.name = rows.text();
      group.size = rows.index(ranks_ + 1);
      group.first = rows.index(kAnyIndex);
      group.count = rows.index(kAnyIndex);
      group.stored = rows.index(kAnyIndex);
      first_members_.push_back(rows.bits());
    }
    TableRows members(database_, "group_member");
    std::uint32_t last = 0;
    while (members.next()) {
      const std::uint32_t group = members.index(run_.groups.size());
      const std::uint32_t rank = members.index(ranks_);
      if (group < last) members.refuse("the rows are not sorted by group");
      if (!database_.good()) return;
      run_.groups[group].ranks.push_back(rank);
      last = group;
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < run_.groups.size(); ++i) {
      if (first_members_[i] != sum) return missing("process_group", "has a wrong first_member");
      sum += run_.groups[i].ranks.size();
    }
  }

  void read_timelines() {
    TableRows rows(database_, "timeline");
    while (rows.next()) {
      MemoryCurve& memory = run_.timelines.emplace_back().memory;
      if (rows.bits() != spans_)
        rows.refuse("first_span does not follow the spans of the previous timeline");
      first_span_.push_back(spans_);
      span_count_.push_back(static_cast<std::uint64_t>(rows.integer(0, limits::kNodesPerRank)));
      spans_ += span_count_.back();
      if (spans_ > database_.size() / kRowBytes + limits::kRunFileRepeatedRows)
        rows.refuse("has more spans than the file size allows");
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
      lane.group = lanes.optional_index(kAnyIndex);
      lane.distance = lanes.optional_index(ranks_);
      lane.layer = lanes.index(kAnyIndex);
      lane.number = lanes.integer(std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max());
      lane.device = static_cast<std::int32_t>(lanes.integer(
          std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
      if (timeline < last) lanes.refuse("the rows are not sorted by timeline");
      if (!database_.good()) return;
      if (run_.timelines[timeline].lanes.empty()) first_lane_[timeline] = lanes.row();
      run_.timelines[timeline].lanes.push_back(lane);
      last = timeline;
    }
  }

  void read_spans() {
    TableRows rows(database_, "span");
    for (std::uint32_t i = 0; i < run_.timelines.size(); ++i) {
      std::vector<Span>& spans = run_.timelines[i].spans;
      if (!database_.good()) return;
      spans.reserve(std::min(span_count_[i], database_.size() / kRowBytes));
      while (spans.size() < span_count_[i]) {
        if (!rows.next()) return missing("span", "has too few rows for the timelines");
        if (rows.index(run_.timelines.size()) != i)
          return rows.refuse("belongs to another timeline");
        read_span(rows, spans.emplace_back(), i);
      }
    }
    if (rows.next()) rows.refuse("belongs to no timeline");
  }

  void read_span(TableRows& rows, Span& span, std::uint32_t timeline) {
    const std::uint64_t lanes = run_.timelines[timeline].lanes.size();
    span.node = rows.bits();
    span.name = rows.index(run_.names.size());
    span.kind = static_cast<SpanKind>(rows.index(kSpanKinds));
    const std::uint32_t lane =
        rows.optional_index(std::min<std::uint64_t>(lanes, 1u << 16), first_lane_[timeline]);
    if (lane == kNone) rows.refuse("lane is missing");
    span.lane = static_cast<std::uint16_t>(lane);
    span.start = rows.time();
    const Time length = rows.time();
    span.end = span.start + length;
    span.model = static_cast<TimeSource>(rows.index(kTimeSources));
    span.release = static_cast<Release>(rows.index(kReleases));
    span.reason = static_cast<DependencyKind>(rows.index(kDependencyKinds));
    span.released_by = rows.optional_index(span_count_[timeline], first_span_[timeline]);
    span.critical = rows.flag();
    span.slack = rows.optional_time();
    span.bytes = rows.bytes();
    span.flops = rows.integer(0, kAnyCount);
    span.wait = rows.time();
    span.queue = rows.time();
    span.latency = rows.time();
    if (span.wait > length || span.queue > length - span.wait ||
        span.latency > length - span.wait - span.queue)
      rows.refuse("waits longer than it lasts");
    span.group = rows.optional_index(kAnyIndex);
    const std::uint32_t sequence = rows.optional_index(kAnyIndex);
    span.sequence = sequence == kNone ? 0 : sequence;
    span.distance = rows.optional_index(ranks_);
    span.peer_span = rows.optional_index(kAnyIndex);
    const bool collective = span.kind == SpanKind::collective;
    const bool message = span.kind == SpanKind::send || span.kind == SpanKind::receive;
    if (collective != (span.group != kNone) || collective != (sequence != kNone))
      rows.refuse("a collective must have a group and a sequence, and other spans must not");
    if (message != (span.distance != kNone) || (!message && span.peer_span != kNone))
      rows.refuse("a message must have a peer, and other spans must not");
  }

  void read_memory() {
    TableRows rows(database_, "memory");
    std::uint32_t last = 0;
    while (rows.next()) {
      const std::uint32_t timeline = rows.index(run_.timelines.size());
      const Time at = rows.time();
      const Bytes held = rows.bytes();
      if (!database_.good()) return;
      auto& points = run_.timelines[timeline].memory.points;
      if (timeline < last || (!points.empty() && at <= points.back().first))
        return rows.refuse("the rows are not sorted by timeline and time");
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
        return tensors.refuse("the rows are not sorted, or a timeline has too many");
      all.push_back({name, held, kind});
      last = timeline;
    }
  }

  void read_ranks() {
    TableRows rows(database_, "rank");
    while (rows.next()) {
      if (rows.row() >= ranks_) return rows.refuse("the table has more ranks than the run");
      Rank& rank = run_.ranks.emplace_back();
      rank.timeline = rows.index(run_.timelines.size());
      first_group_.push_back(rows.bits());
      rank.finish = rows.optional_time();
      rank.exposed_comm = Time(rows.integer(-static_cast<std::int64_t>(kAnyCount), kAnyCount));
      for (Time* part : {&rank.compute_only, &rank.overlapped, &rank.comm, &rank.comm_only,
                         &rank.memory, &rank.memory_only, &rank.idle})
        *part = rows.time();
      rank.sent_bytes = rows.bits();
      if (!rank.finish) continue;
      Time left = *rank.finish;
      for (const Time part : {rank.compute_only, rank.overlapped, rank.comm_only, rank.memory_only})
        left -= std::min(part, left + Time(1));  // negative if the parts exceed the total
      if (left != rank.idle || *rank.finish > run_.step)
        rows.refuse("its times do not sum to its finish time, or it finishes after the step");
    }
    if (database_.good() && run_.ranks.size() != ranks_)
      missing("rank", "has fewer rows than the run has ranks");
  }

  void read_rank_groups() {
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
        if (!begins_here(rank + 1)) return rows.refuse("does not match first_group of its rank");
      }
      if (of != rank || number != run_.ranks[rank].groups.size())
        return rows.refuse("the rows are not sorted by rank and number");
      run_.ranks[rank].groups.push_back(group);
      ++count;
    }
    for (; database_.good() && rank + 1 < ranks_; ++rank) {
      if (!begins_here(rank + 1)) missing("rank_group", "has too few rows for the ranks");
    }
  }

  [[nodiscard]] static std::optional<ErrorInterval> read_error_interval(TableRows& rows) {
    constexpr auto kFar = static_cast<std::int64_t>(kAnyCount);
    const auto lower = rows.optional_integer(-kFar, kFar);
    const auto upper = rows.optional_integer(-kFar, kFar);
    if (lower.has_value() != upper.has_value() || (lower && *lower > *upper))
      rows.refuse("low_error_ps and high_error_ps are not an interval");
    return lower && upper ? std::optional(ErrorInterval{Time(*lower), Time(*upper)}) : std::nullopt;
  }

  void read_predicted_collectives() {
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
      each.off = read_error_interval(rows);
    }
  }

  void read_collectives() {
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
      each.end = rows.optional_time();
      each.bound = rows.optional_time();
      each.bound_by = rows.text();
      each.predicted = rows.optional_index(run_.predicted.size());
      if (each.last_start < each.first_start || (each.end && *each.end < each.last_start))
        rows.refuse("it ends before it begins");
    }
  }

  void read_error_classes() {
    TableRows rows(database_, "error_class");
    while (rows.next()) {
      ErrorClass& each = run_.error_classes.emplace_back();
      each.name = rows.text();
      each.time = rows.time();
      each.off = read_error_interval(rows);
    }
  }

  void read_time_by_provenance() {
    TableRows rows(database_, "path_basis");
    while (rows.next()) {
      const auto provenance = time_provenance_named(rows.text());
      const Time time = rows.time();
      if (!provenance) {
        rows.refuse("name is not a provenance");
        return;
      }
      run_.time_by_provenance[static_cast<std::size_t>(*provenance)] = time;
    }
  }

  void read_link_use() {
    TableRows curves(database_, "link_curve");
    std::vector<std::uint64_t> bins;
    std::uint64_t first = 0;
    while (curves.next()) {
      if (curves.bits() != first)
        curves.refuse("first_use does not follow the bins of the previous curve");
      bins.push_back(static_cast<std::uint64_t>(curves.integer(0, kAnyIndex)));
      first += bins.back();
    }
    run_.links.curves.resize(bins.size());
    TableRows rows(database_, "link_use");
    for (std::size_t i = 0; i < bins.size(); ++i) {
      std::vector<std::uint64_t>& curve = run_.links.curves[i];
      while (curve.size() < bins[i]) {
        if (!rows.next()) return missing("link_use", "has too few rows for the curves");
        if (rows.bits() != i || rows.bits() != curve.size())
          return rows.refuse("the rows are not sorted by curve and bin");
        curve.push_back(rows.bits());
      }
    }
    if (rows.next()) rows.refuse("belongs to no curve");
  }

  void read_links() {
    TableRows rows(database_, "link");
    const std::uint64_t curves = run_.links.curves.size();
    while (rows.next()) {
      Link& link = run_.links.links.emplace_back();
      link.dim = rows.index(run_.dims.size());
      link.from = rows.optional_index(ranks_);
      link.to = rows.optional_index(ranks_);
      link.down = rows.flag();
      link.capacity = Bandwidth(rows.real());
      link.bytes = rows.bits();
      const std::uint32_t use = rows.optional_index(curves);
      if ((use == kNone) != (curves == 0)) rows.refuse("its curve is missing");
      link.use = use == kNone ? 0 : use;
      link.name = rows.text();
      link.kind = rows.text();
    }
  }

  void read_fabric() {
    TableRows rows(database_, "fabric_node");
    while (rows.next()) {
      FabricNode& node = run_.fabric.emplace_back();
      node.name = rows.text();
      node.kind = rows.text();
      node.host = rows.optional_index(kNone);
      node.rank = rows.optional_index(ranks_);
    }
    TableRows faults(database_, "fabric_fault");
    while (faults.next()) {
      FabricFault& fault = run_.faults.emplace_back();
      fault.from = faults.index(run_.fabric.size());
      fault.to = faults.index(run_.fabric.size());
      fault.links = faults.index(kNone);
      fault.bandwidth = faults.real();
      fault.start = faults.time();
      fault.end = faults.optional_time();
      fault.every = faults.time();
      fault.lasts = faults.time();
    }
  }

  void read_remote_memory() {
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
        rows.refuse("its bins differ in length from the others, or have length 0");
      memory.bin = bin;
      bins.push_back(static_cast<std::uint64_t>(rows.integer(0, kAnyIndex)));
    }
    TableRows use(database_, "memory_level_use");
    for (std::size_t i = 0; i < bins.size() && i < memory.levels.size(); ++i) {
      MemoryLevel& level = memory.levels[i];
      while (level.loads.size() < bins[i]) {
        if (!use.next()) return missing("memory_level_use", "has too few rows for the levels");
        if (use.bits() != i || use.bits() != level.loads.size())
          return use.refuse("the rows are not sorted by level and bin");
        level.loads.push_back(use.bits());
        level.stores.push_back(use.bits());
      }
    }
    if (use.next()) use.refuse("belongs to no level");
  }

  void read_packets() {
    {
      TableRows rows(database_, "packet_total");
      if (rows.next()) {
        PacketRecord& packets = run_.packets.emplace();
        for (const PacketTotal& one : kPacketTotals) packets.totals.*one.value = rows.bits();
        packets.bin = rows.time();
        packets.messages = rows.bits();
        packets.message_step = static_cast<std::uint64_t>(rows.integer(1, kAnyCount));
        if (rows.next()) rows.refuse("must have at most one row");
      }
    }
    PacketRecord none;
    PacketRecord& packets = run_.packets ? *run_.packets : none;
    read_packet_ports(packets);
    TableRows rows(database_, "packet_message");
    while (rows.next()) {
      PacketMessageTime& message = packets.message_times.emplace_back();
      message.from = rows.optional_index(ranks_);
      message.to = rows.optional_index(ranks_);
      message.bytes = rows.bytes().count();
      message.start = rows.time().count();
      message.end = rows.optional_time().value_or(Time(PacketMessageTime::kUnfinished)).count();
      message.ideal = rows.time().count();
      message.retransmitted = rows.bits();
      if (message.end != PacketMessageTime::kUnfinished && message.end < message.start)
        rows.refuse("ends before it begins");
    }
    if (database_.good() && !run_.packets && none != PacketRecord{})
      missing("packet_total", "has no row, but ports or messages have");
  }

  void read_packet_ports(PacketRecord& packets) {
    const auto read = [](TableRows& rows, PortPackets& port) {
      for (const PortPacketColumn& one : kPortPacketColumns) port.*one.value = rows.bits();
    };
    TableRows rows(database_, "packet_port");
    std::vector<std::uint64_t> bins;
    while (rows.next()) {
      PortPacketSeries& port = packets.ports.emplace_back();
      port.link = rows.index(run_.links.links.size());
      read(rows, port.total);
      bins.push_back(static_cast<std::uint64_t>(rows.integer(0, kAnyIndex)));
      if (packets.ports.size() > 1 && packets.ports[packets.ports.size() - 2].link >= port.link)
        rows.refuse("the rows are not sorted by link");
    }
    if (database_.good() && !bins.empty() && packets.bin <= Time{})
      return missing("packet_total", "has no length of bins, but packet_port has rows");
    TableRows use(database_, "packet_port_use");
    for (std::size_t i = 0; i < bins.size() && i < packets.ports.size(); ++i) {
      std::vector<PortPacketBin>& of_port = packets.ports[i].bins;
      while (of_port.size() < bins[i]) {
        if (!use.next()) return missing("packet_port_use", "has too few rows for the ports");
        if (use.bits() != i) return use.refuse("the rows are not sorted by port");
        PortPacketBin bin{static_cast<std::uint32_t>(use.integer(0, kMostPacketBins)), {}};
        read(use, bin.packets);
        if (!of_port.empty() && of_port.back().bin >= bin.bin)
          return use.refuse("the rows are not sorted by bin");
        of_port.push_back(bin);
      }
    }
    if (use.next()) use.refuse("belongs to no port");
  }

  void read_path() {
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
        rows.refuse("does not begin where the previous segment ends");
      until = segment.end;
    }
    if (!database_.good() || run_.path.empty() || run_.stalled || until == run_.step) return;
    missing("path", "does not end at the end of the step");
  }

  void read_findings() {
    std::vector<FindingCode> codes;
    TableRows rows(database_, "finding");
    while (rows.next()) {
      const std::string_view code = rows.text();
      const std::optional<FindingCode> known = find_finding_code(code);
      if (!known) {
        // Its effect on the result is unknown, so the reader must not drop it.
        return rows.refuse(Errc::input_unsupported, "has an unknown finding code",
                           "use the newer version of Orrery that wrote the file");
      }
      if (run_.findings.count(*known) > 0) return rows.refuse("appears twice");
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

  // The reader does not need it, but the views do.
  void read_repetitions() {
    TableRows rows(database_, "repetition");
    std::uint64_t count = 0;
    while (rows.next()) ++count;
    if (database_.good() && count != database_.repetitions())
      missing("repetition", "has not as many rows as the longest part has periods");
  }

  // Reports a table with too few rows.
  void missing(const char* table, const char* what) {
    database_.refuse(Errc::input_corrupt, table, what);
  }

  // Reads a row number of a span as a span of the rank.
  std::uint32_t span_of(TableRows& rows, std::uint32_t rank) {
    if (!database_.good()) return kNone;
    const std::uint32_t timeline = run_.ranks[rank].timeline;
    return rows.optional_index(span_count_[timeline], first_span_[timeline]);
  }

  DatabaseReader& database_;
  Run run_;
  std::vector<std::uint64_t> first_members_;  // as process_group states them
  std::uint64_t ranks_ = 0;
  std::uint64_t spans_ = 0;                // according to the timelines
  std::vector<std::uint64_t> span_count_;  // by timeline
  std::vector<std::uint64_t> first_span_, first_lane_;
  std::vector<std::uint64_t> first_group_;  // by rank
};

}  // namespace

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

}  // namespace orrery::result
