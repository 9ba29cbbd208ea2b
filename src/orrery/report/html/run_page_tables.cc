// SPDX-License-Identifier: Apache-2.0
//
// Writes the page's data: collectives, links, the critical path, and differences between two runs.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "orrery/analysis/comparison/compare_runs.h"
#include "orrery/analysis/metrics/memory_level_use.h"
#include "orrery/analysis/metrics/widest_term.h"
#include "orrery/report/html/run_page_internal.h"

namespace orrery::report::html {

namespace {

using result::Collective;
using result::PathSegment;
using result::Run;

constexpr std::size_t kCollectives = 4'000;
constexpr std::size_t kLinks = 20'000;
constexpr std::size_t kPathSegments = 4'000;
constexpr std::size_t kCurveValues = 60'000;  // bins × curves
constexpr std::size_t kFewestBins = 8;
constexpr std::size_t kChanges = 50;

/// Bytes per second as an integer: more digits only make the page larger.
void rate(JsonWriter& json, double value) {
  json.value(std::isfinite(value) ? std::nearbyint(value) : 0.0);
}

void share(JsonWriter& json, const std::optional<double>& value) {
  value ? json.value(std::nearbyint(*value * 1e4) / 1e4) : json.null();
}

void number_or_null(JsonWriter& json, std::uint32_t number) {
  number == result::kNone ? json.null() : json.value(number);
}

void time_or_null(JsonWriter& json, const std::optional<Time>& time) {
  time ? json.value(time->count()) : json.null();
}

/// The first `limit` of 0 … count according to `before`, then in ascending order.
template <class Before>
std::vector<std::uint32_t> select(std::size_t count, std::size_t limit, const Before& before) {
  std::vector<std::uint32_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), 0u);
  if (count > limit) {
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(limit),
                     chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
                       if (before(a, b) != before(b, a)) return before(a, b);
                       return a < b;
                     });
    chosen.resize(limit);
    std::sort(chosen.begin(), chosen.end());
  }
  return chosen;
}

/// A collective of a group that the page shows.
struct ShownCollective {
  const Collective* one = nullptr;
  std::uint32_t group = 0;
};

/// The longest collectives (without an end: longer than all others), by start.
std::vector<ShownCollective> longest_collectives(const Run& run) {
  const auto length = [&](std::uint32_t i) {
    const Collective& one = run.collectives[i];
    return one.end ? *one.end - one.first_start : kTimeMax;
  };
  std::vector<std::uint32_t> stored =
      select(run.collectives.size(), kCollectives,
             [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
  std::stable_sort(stored.begin(), stored.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
  std::vector<std::uint32_t> chosen;
  for (auto first = stored.begin(); first != stored.end() && chosen.size() < kCollectives;) {
    // All groups have the collectives that they share, equally long. Numbers ascend by group.
    const auto end = std::find_if(first, stored.end(),
                                  [&](std::uint32_t one) { return length(one) != length(*first); });
    const auto beyond = [&](const result::Group& group) {
      return group.stored > *(end - 1) || group.stored + group.count <= *first;
    };
    for (const result::Group& group : run.groups) {
      if (beyond(group)) continue;
      auto at = std::lower_bound(first, end, group.stored);
      for (; at != end && *at < group.stored + group.count && chosen.size() < kCollectives; ++at)
        chosen.push_back(group.first + (*at - group.stored));
      if (chosen.size() == kCollectives) break;
    }
    first = end;
  }
  std::sort(chosen.begin(), chosen.end());
  const auto of = [&](std::uint32_t number) -> const Collective& { return run.collective(number); };
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::uint32_t a, std::uint32_t b) {
    return of(a).first_start < of(b).first_start;
  });
  std::vector<ShownCollective> shown;
  for (const std::uint32_t number : chosen) {
    const std::uint32_t group = run.group_of_collective(number);
    shown.push_back({&run.collective(number, group), group});
  }
  return shown;
}

/// Writes the lower and upper error, or null for both.
void write_error_interval(JsonWriter& json, const std::optional<result::ErrorInterval>& off) {
  time_or_null(json.key("least"), off ? std::optional(off->lower) : std::nullopt);
  time_or_null(json.key("most"), off ? std::optional(off->upper) : std::nullopt);
}

void write_classes(JsonWriter& json, const std::vector<analysis::CollectiveClass>& classes) {
  column(json, "collectiveClasses", classes.size(), [&](std::size_t i) {
    const analysis::CollectiveClass& one = classes[i];
    json.begin_object().field("type", one.type).field("members", one.members);
    json.field("bytes", one.bytes.count()).field("count", one.count).field("sent", one.sent);
    json.field("time", one.time.count()).field("waited", one.waited.count());
    rate(json.key("algbw"), one.algbw);
    rate(json.key("busbw"), one.busbw);
    share(json.key("ofBound"), one.of_bound);
    json.end_object();
  });
}

/// The curves of the shown links, renumbered; adjacent bins are merged until the data fits.
struct ShownCurves {
  Time bin{};
  std::vector<std::vector<std::uint64_t>> curves;
  std::vector<std::uint32_t> use;  // by shown link
};

std::vector<std::uint64_t> merge_bins(const std::vector<std::uint64_t>& bins, std::size_t by) {
  std::vector<std::uint64_t> out((bins.size() + by - 1) / by);
  for (std::size_t i = 0; i < bins.size(); ++i) out[i / by] += bins[i];
  return out;
}

ShownCurves curves_of(const result::LinkUse& use, const std::vector<std::uint32_t>& shown) {
  constexpr std::uint32_t kUnused = ~0u;
  ShownCurves out;
  std::vector<std::uint32_t> number(use.curves.size(), kUnused);
  std::vector<std::uint32_t> used;
  for (const std::uint32_t link : shown) {
    const std::uint32_t curve = use.links[link].use;
    if (curve >= number.size()) {
      out.use.push_back(0);
      continue;
    }
    if (number[curve] == kUnused) {
      number[curve] = static_cast<std::uint32_t>(used.size());
      used.push_back(curve);
    }
    out.use.push_back(number[curve]);
  }
  std::size_t bins = 0;
  for (const std::uint32_t curve : used) bins = std::max(bins, use.curves[curve].size());
  std::size_t by = 1;
  while (bins / by * used.size() > kCurveValues && bins / by > kFewestBins) by *= 2;
  out.bin = use.bin * static_cast<std::int64_t>(by);
  for (const std::uint32_t curve : used) out.curves.push_back(merge_bins(use.curves[curve], by));
  return out;
}

/// At most kPathSegments segments: the longest are retained, consecutive others are merged.
std::vector<PathSegment> merge_segments(const std::vector<PathSegment>& path) {
  if (path.size() <= kPathSegments) return path;
  const auto length = [&](std::uint32_t i) { return path[i].end - path[i].start; };
  const std::vector<std::uint32_t> retained =
      select(path.size(), kPathSegments / 2 - 1,
             [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
  std::vector<PathSegment> out;
  std::uint32_t next = 0;
  const auto join = [&](std::uint32_t end) {
    if (next == end) return;
    std::uint32_t longest = next;
    std::array<Time, result::kPathCauses> by_cause{};
    for (std::uint32_t i = next; i < end; ++i) {
      if (length(i) > length(longest)) longest = i;
      by_cause[static_cast<std::size_t>(path[i].cause)] += length(i);
    }
    PathSegment one = path[longest];
    one.start = path[next].start;
    one.end = path[end - 1].end;
    one.cause = static_cast<result::PathCause>(std::max_element(by_cause.begin(), by_cause.end()) -
                                               by_cause.begin());
    out.push_back(one);
  };
  for (const std::uint32_t i : retained) {
    join(i);
    out.push_back(path[i]);
    next = i + 1;
  }
  join(static_cast<std::uint32_t>(path.size()));
  return out;
}

const result::Span* span_of(const Run& run, const PathSegment& segment) {
  const std::vector<result::Span>& spans = run.timeline(segment.rank).spans;
  return segment.span < spans.size() ? &spans[segment.span] : nullptr;
}

void write_changes(JsonWriter& json, std::string_view key,
                   const std::vector<analysis::NodeChange>& changes) {
  column(json, key, changes.size(), [&](std::size_t i) {
    const analysis::NodeChange& one = changes[i];
    json.begin_object().field("name", one.name).field("kind", result::name(one.kind));
    number_or_null(json.key("rank"), one.rank);
    json.field("ranks", one.ranks);
    json.field("node", std::to_string(one.node)).field("a", one.a.count());
    json.field("b", one.b.count()).field("why", one.why).end_object();
  });
}

/// Manifest entries that differ, by key: first a's, then those that only b has.
void write_facts(JsonWriter& json, const analysis::Comparison& found) {
  using Facts = std::vector<std::pair<std::string, std::string>>;
  const auto value = [](const Facts& facts, const std::string& key) {
    for (const auto& [name, text] : facts) {
      if (name == key) return text;
    }
    return std::string();
  };
  std::vector<std::string> keys;
  for (const Facts* facts : {&found.facts_a, &found.facts_b}) {
    for (const auto& [key, text] : *facts) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  column(json, "facts", keys.size(), [&](std::size_t i) {
    json.begin_array().value(keys[i]).value(value(found.facts_a, keys[i]));
    json.value(value(found.facts_b, keys[i])).end_array();
  });
}

}  // namespace

void write_direction(JsonWriter& json, const analysis::Metric& metric) {
  json.key("moreIsBetter");
  if (metric.more_is_better) {
    json.value(*metric.more_is_better);
  } else {
    json.null();
  }
}

void write_collectives(JsonWriter& json, const RunPageData& facts, UsedNames& names) {
  const Run& run = facts.run;
  const std::vector<ShownCollective> shown = longest_collectives(run);
  std::vector<analysis::CollectiveSpeed> speeds;
  for (const ShownCollective& each : shown)
    speeds.push_back(analysis::speed_of(run, *each.one).value_or(analysis::CollectiveSpeed{}));
  const auto all = [&](std::string_view key, auto&& write) {
    column(json, key, shown.size(), [&](std::size_t i) { write(*shown[i].one); });
  };
  json.key("collectives").begin_object();
  all("type", [&](const Collective& one) { json.value(one.type); });
  column(json, "group", shown.size(), [&](std::size_t i) { json.value(shown[i].group); });
  all("name", [&](const Collective& one) { json.value(names.number(one.name)); });
  all("bytes", [&](const Collective& one) { json.value(one.bytes.count()); });
  all("sent", [&](const Collective& one) { json.value(one.sent); });
  all("firstStart", [&](const Collective& one) { json.value(one.first_start.count()); });
  all("lastStart", [&](const Collective& one) { json.value(one.last_start.count()); });
  column(json, "lastRank", shown.size(),
         [&](std::size_t i) { json.value(run.last_rank(*shown[i].one, shown[i].group)); });
  all("end", [&](const Collective& one) { time_or_null(json, one.end); });
  column(json, "algbw", speeds.size(), [&](std::size_t i) { rate(json, speeds[i].algbw); });
  column(json, "busbw", speeds.size(), [&](std::size_t i) { rate(json, speeds[i].busbw); });
  column(json, "ofBound", speeds.size(), [&](std::size_t i) { share(json, speeds[i].of_bound); });
  all("predicted", [&](const Collective& one) { number_or_null(json, one.predicted); });
  json.end_object();
  column(json, "predicted", run.predicted.size(), [&](std::size_t i) {
    const result::PredictedCollective& one = run.predicted[i];
    json.begin_object().field("source", one.source).field("algorithm", one.algorithm);
    json.field("time", one.time.count());
    write_error_interval(json, one.off);
    json.end_object();
  });
  write_classes(json, facts.classes);
  json.field("collectivesLeftOut", run.collective_count() - shown.size());
}

std::vector<std::uint32_t> shown_links(const result::LinkUse& use) {
  const auto more = [&](std::uint32_t a, std::uint32_t b) {
    return use.links[a].bytes > use.links[b].bytes;
  };
  std::vector<std::uint32_t> shown = select(use.links.size(), kLinks, more);
  std::stable_sort(shown.begin(), shown.end(), more);
  return shown;
}

void write_links(JsonWriter& json, const result::LinkUse& use) {
  const std::vector<std::uint32_t> shown = shown_links(use);
  const ShownCurves curves = curves_of(use, shown);
  const auto all = [&](std::string_view key, auto&& write) {
    column(json, key, shown.size(), [&](std::size_t i) { write(use.links[shown[i]]); });
  };
  json.key("links").begin_object().field("bin", curves.bin.count());
  column(json, "curves", curves.curves.size(),
         [&](std::size_t i) { write_values(json, curves.curves[i]); });
  all("dim", [&](const result::Link& link) { json.value(link.dim); });
  all("from", [&](const result::Link& link) { number_or_null(json, link.from); });
  all("to", [&](const result::Link& link) { number_or_null(json, link.to); });
  all("down", [&](const result::Link& link) { json.value(link.down); });
  all("capacity", [&](const result::Link& link) { rate(json, link.capacity.count()); });
  all("bytes", [&](const result::Link& link) { json.value(link.bytes); });
  all("name", [&](const result::Link& link) { json.value(link.name); });
  all("kind", [&](const result::Link& link) { json.value(link.kind); });
  write_list(json, "use", curves.use);
  json.field("leftOut", use.links.size() - shown.size()).end_object();
}

void write_fabric(JsonWriter& json, const Run& run) {
  if (run.fabric.size() > kLinks) {  // too many to show
    json.key("fabric").begin_object().field("leftOut", run.fabric.size()).end_object();
    return;
  }
  json.key("fabric").begin_object().field("leftOut", std::uint64_t{0});
  const auto all = [&](std::string_view key, auto&& write) {
    column(json, key, run.fabric.size(), [&](std::size_t i) { write(run.fabric[i]); });
  };
  all("name", [&](const result::FabricNode& node) { json.value(node.name); });
  all("kind", [&](const result::FabricNode& node) { json.value(node.kind); });
  all("host", [&](const result::FabricNode& node) { number_or_null(json, node.host); });
  all("rank", [&](const result::FabricNode& node) { number_or_null(json, node.rank); });
  column(json, "faults", std::min(run.faults.size(), kLinks), [&](std::size_t i) {
    const result::FabricFault& fault = run.faults[i];
    json.begin_object().field("from", fault.from).field("to", fault.to);
    json.field("links", fault.links).field("bandwidth", fault.bandwidth);
    json.field("start", fault.start.count());
    time_or_null(json.key("end"), fault.end);
    json.field("every", fault.every.count()).field("lasts", fault.lasts.count()).end_object();
  });
  json.end_object();
}

void write_path(JsonWriter& json, const Run& run, UsedNames& names) {
  const std::vector<PathSegment> path = merge_segments(run.path);
  std::array<Time, result::kPathCauses> by_cause{};
  for (const PathSegment& segment : run.path)
    by_cause[static_cast<std::size_t>(segment.cause)] += segment.end - segment.start;
  const auto all = [&](std::string_view key, auto&& write) {
    column(json, key, path.size(), [&](std::size_t i) { write(path[i], span_of(run, path[i])); });
  };
  json.key("path").begin_object();
  all("start", [&](const PathSegment& one, auto) { json.value(one.start.count()); });
  all("end", [&](const PathSegment& one, auto) { json.value(one.end.count()); });
  all("rank", [&](const PathSegment& one, auto) { json.value(one.rank); });
  all("name", [&](const PathSegment&, const result::Span* span) {
    json.value(span ? names.number(span->name) : 0u);
  });
  all("kind", [&](const PathSegment&, const result::Span* span) {
    json.value(span ? static_cast<std::uint32_t>(span->kind) : 0u);
  });
  all("cause",
      [&](const PathSegment& one, auto) { json.value(static_cast<std::uint32_t>(one.cause)); });
  json.end_object().field("pathSegments", run.path.size());
  column(json, "pathByCause", by_cause.size(),
         [&](std::size_t i) { json.value(by_cause[i].count()); });
  column(json, "errorClasses", run.error_classes.size(), [&](std::size_t i) {
    const result::ErrorClass& one = run.error_classes[i];
    json.begin_object().field("name", one.name).field("time", one.time.count());
    write_error_interval(json, one.off);
    json.end_object();
  });
  json.key("provenance").begin_array();
  for (std::size_t i = 0; i < kTimeProvenances; ++i)
    if (run.time_by_provenance[i] > Time{})
      json.begin_object()
          .field("name", orrery::name(static_cast<TimeProvenance>(i)))
          .field("time", run.time_by_provenance[i].count())
          .end_object();
  json.end_array();
  json.field("noInterval",
             run.stalled ? "" : analysis::no_interval_reason(run.error_classes, run.step));
  json.key("band");
  const auto band =
      run.stalled ? std::nullopt : analysis::step_interval(run.error_classes, run.step);
  if (!band) {
    json.null();
    return;
  }
  json.begin_object().field("least", band->lower.count()).field("most", band->upper.count());
  json.field("unknown", analysis::unknown_part_text(run.error_classes, run.step));
  json.field("widest", analysis::widest_term_text(run.error_classes, run.step)).end_object();
}

void write_comparison(JsonWriter& json, const Run& a, const Run& b) {
  const analysis::Comparison found = analysis::compare(a, b, kChanges);
  json.begin_object();
  column(json, "metrics", found.metrics.size(), [&](std::size_t i) {
    const analysis::MetricChange& one = found.metrics[i];
    const analysis::Metric& any = one.any();
    const auto text = [](const analysis::Metric& of) {
      return of.name.empty() ? std::string("–") : of.text;
    };
    json.begin_object().field("name", any.name).field("title", any.title);
    json.field("a", text(one.a)).field("b", text(one.b)).field("change", one.change);
    write_direction(json, any);
    json.end_object();
  });
  write_changes(json, "slower", found.slower);
  write_changes(json, "faster", found.faster);
  write_facts(json, found);
  const auto& [interval, reason] = found.difference;
  json.field("noInterval", reason);
  json.key("band");
  if (interval) {
    json.begin_object().field("least", interval->lower.count());
    json.field("most", interval->upper.count()).field("unknown", interval->unknown.count());
    json.field("within", interval->contains_zero()).end_object();
  } else {
    json.null();
  }
  json.field("matched", found.matched).field("onlyA", found.only_a).field("onlyB", found.only_b);
  json.end_object();
}

// Writes the page's data: the traffic of remote memories.

void write_memory_levels(JsonWriter& json, const result::Run& run) {
  const std::vector<analysis::MemoryLevelUse> uses = analysis::memory_level_use(run);
  json.key("remoteMemory").begin_object().field("bin", run.remote_memory.bin.count());
  column(json, "levels", uses.size(), [&](std::size_t i) {
    const result::MemoryLevel& level = run.remote_memory.levels[i];
    const analysis::MemoryLevelUse& use = uses[i];
    json.begin_object().field("name", level.name).field("capacity", level.capacity.count());
    json.field("bothWays", level.half_duplex).field("loaded", level.loaded);
    json.field("stored", level.stored).field("inUse", use.in_use).field("busiest", use.busiest);
    write_list(json, "loads", level.loads);
    write_list(json, "stores", level.stores);
    json.end_object();
  });
  json.end_object();
}

}  // namespace orrery::report::html
