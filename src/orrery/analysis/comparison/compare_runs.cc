// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/comparison/compare_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/analysis/comparison/compare_nodes.h"
#include "orrery/analysis/critical_path/critical_path.h"
#include "orrery/analysis/metrics/metric_table.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using result::kNone;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

double change_of(double a, double b) {
  if (a == b) return 0;
  if (a == 0) return std::numeric_limits<double>::infinity();
  return b / a - 1;
}

void compare_metrics(const Run& a, const Run& b, Comparison& made) {
  const std::vector<Metric> of_a = metrics(a), of_b = metrics(b);
  const auto find = [](const std::vector<Metric>& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    return found == all.end() ? nullptr : &*found;
  };
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const MetricInfo& info : metric_table()) {
    const Metric *one = find(of_a, info.name), *other = find(of_b, info.name);
    if (one != nullptr && other != nullptr) {
      made.metrics.push_back({*one, *other, change_of(one->value, other->value)});
    } else if (one != nullptr) {
      made.metrics.push_back({*one, {}, -kInfinite});
    } else if (other != nullptr) {
      made.metrics.push_back({{}, *other, kInfinite});
    }
  }
}

void compare_facts(const Run& a, const Run& b, Comparison& made) {
  const auto note = [&](const std::string& key) {
    if (a.fact(key) == b.fact(key)) return;
    made.facts_a.emplace_back(key, a.fact(key));
    made.facts_b.emplace_back(key, b.fact(key));
  };
  for (const auto& [key, value] : a.manifest) note(key);
  for (const auto& [key, value] : b.manifest) {
    const bool in_a = std::any_of(a.manifest.begin(), a.manifest.end(),
                                  [&, k = key](const auto& entry) { return entry.first == k; });
    if (!in_a) note(key);
  }
}

// The largest changes in one direction, at most `limit`.
std::vector<NodeChange> largest(const std::vector<NodeChange>& all, bool slower,
                                std::size_t limit) {
  std::vector<const NodeChange*> chosen;
  for (const NodeChange& change : all) {
    if ((change.b > change.a) == slower) chosen.push_back(&change);
  }
  const auto key = [&](const NodeChange* change) {
    const double more = seconds(change->b - change->a) * std::max(1U, change->ranks);
    return std::tuple(slower ? -more : more, change->node, std::string_view(change->name),
                      change->kind);
  };
  const std::size_t retained = std::min(limit, chosen.size());
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(retained),
                    chosen.end(), [&](const auto* x, const auto* y) { return key(x) < key(y); });
  std::vector<NodeChange> made;
  for (std::size_t i = 0; i < retained; ++i) made.push_back(*chosen[i]);
  return made;
}

}  // namespace

Comparison compare(const Run& a, const Run& b, std::size_t limit) {
  Comparison made;
  compare_metrics(a, b, made);
  compare_facts(a, b, made);
  const NodeChanges nodes = compare_nodes(a, b);
  made.slower = largest(nodes.changes, true, limit);
  made.faster = largest(nodes.changes, false, limit);
  made.matched = nodes.matched;
  made.only_a = nodes.only_a;
  made.only_b = nodes.only_b;
  made.difference = step_difference(a, b);
  made.path_a = summarize_path(a, 0).by_cause;
  made.path_b = summarize_path(b, 0).by_cause;
  return made;
}

bool regressed(const Run& a, const Run& b, double threshold) {
  if (b.stalled != a.stalled) return b.stalled;
  return seconds(b.step) > seconds(a.step) * (1 + threshold);
}

namespace {

Time length(const Span& span) { return span.end - span.start; }
Time magnitude(Time time) { return std::max(time, Time{} - time); }

// Maps b's name numbers to a's; names that only b has get numbers after a's.
std::vector<std::uint32_t> translate(const Run& a, const Run& b) {
  std::unordered_map<std::string_view, std::uint32_t> known;
  for (std::uint32_t n = 0; n < a.names.size(); ++n) known.emplace(a.names[n], n);
  std::vector<std::uint32_t> made(b.names.size());
  for (std::uint32_t n = 0; n < b.names.size(); ++n) {
    const auto found = known.find(b.names[n]);
    made[n] = found == known.end() ? a.names.size() + n : found->second;
  }
  return made;
}

/// The change of one node, accumulated over ranks.
struct Gathered {
  NodeChange change;
  Time largest{};  // magnitude at change.rank
  const Span *at_a = nullptr, *at_b = nullptr;
};

struct Key {
  std::uint64_t node;
  std::uint32_t name;
  SpanKind kind;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = key.node * 0x9e3779b97f4a7c15ull;
    hash ^= (std::uint64_t{key.name} << 8 | static_cast<std::uint64_t>(key.kind)) +
            0x7f4a7c159e3779b9ull + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdull;
  }
};

/// Two runs with the same number of ranks: matches node by node.
class ByIdentity {
 public:
  ByIdentity(const Run& a, const Run& b) : a_(a), b_(b), names_(translate(a, b)) {}

  NodeChanges compare() {
    // Ranks that share their timelines in both runs form one pair.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::int64_t>> pairs;
    for (std::uint32_t r = 0; r < a_.ranks.size(); ++r) {
      const auto [found, added] =
          pairs.try_emplace({a_.ranks[r].timeline, b_.ranks[r].timeline}, r, 0);
      ++found->second.second;
    }
    for (const auto& [timelines, ranks] : pairs) {
      match(a_.timelines[timelines.first].spans, b_.timelines[timelines.second].spans, ranks.first,
            ranks.second);
    }
    for (auto& [key, gathered] : gathered_) {
      NodeChange& change = gathered.change;
      for (Time* sum :
           {&change.a, &change.b, &change.wait, &change.queue, &change.latency, &change.rest})
        *sum = Time(sum->count() / static_cast<std::int64_t>(change.ranks));
      if (change.a == change.b) continue;
      change.why = why(change, a_, b_, gathered.at_a, gathered.at_b);
      made_.changes.push_back(std::move(change));
    }
    return std::move(made_);
  }

 private:
  // Spans are sorted by id.
  void match(const std::vector<Span>& a, const std::vector<Span>& b, std::uint32_t rank,
             std::int64_t ranks) {
    const auto count = static_cast<std::uint64_t>(ranks);
    std::size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
      if (j == b.size() || (i < a.size() && a[i].node < b[j].node)) {
        made_.only_a += count;
        ++i;
      } else if (i == a.size() || b[j].node < a[i].node) {
        made_.only_b += count;
        ++j;
      } else if (a[i].kind != b[j].kind || a[i].name != names_[b[j].name]) {
        made_.only_a += count;
        made_.only_b += count;
        ++i, ++j;
      } else {
        made_.matched += count;
        gather(a[i++], b[j++], rank, ranks);
      }
    }
  }

  void gather(const Span& a, const Span& b, std::uint32_t rank, std::int64_t ranks) {
    if (length(a) == length(b)) return;
    const Time by = magnitude(length(b) - length(a));
    Gathered& one = gathered_[{a.node, a.name, a.kind}];
    NodeChange& change = one.change;
    if (one.at_a == nullptr || by > one.largest || (by == one.largest && rank < change.rank)) {
      one.largest = by;
      one.at_a = &a;
      one.at_b = &b;
      change.rank = rank;
    }
    change.node = a.node;
    change.name = a_.names[a.name];
    change.kind = a.kind;
    change.a = saturating_sum(change.a, length(a), ranks);
    change.b = saturating_sum(change.b, length(b), ranks);
    change.wait = saturating_sum(change.wait, b.wait - a.wait, ranks);
    change.queue = saturating_sum(change.queue, b.queue - a.queue, ranks);
    change.latency = saturating_sum(change.latency, b.latency - a.latency, ranks);
    change.rest = saturating_sum(change.rest, b.rest() - a.rest(), ranks);
    change.ranks += static_cast<std::uint32_t>(ranks);
    change.critical = change.critical || b.critical;
  }

  const Run& a_;
  const Run& b_;
  std::vector<std::uint32_t> names_;
  std::unordered_map<Key, Gathered, KeyHash> gathered_;
  NodeChanges made_;
};

/// Two runs with different numbers of ranks: matches by kind and name, mean over ranks.
class ByName {
 public:
  ByName(const Run& a, const Run& b) : a_(a), b_(b), names_(translate(a, b)) {}

  NodeChanges compare() {
    add(a_, nullptr, &Sums::a);
    add(b_, &names_, &Sums::b);
    NodeChanges made;
    for (const auto& [key, sums] : sums_) {
      made.matched += std::min(sums.a.count, sums.b.count);
      made.only_a += sums.a.count - std::min(sums.a.count, sums.b.count);
      made.only_b += sums.b.count - std::min(sums.a.count, sums.b.count);
      if (sums.a.count == 0 || sums.b.count == 0) continue;
      NodeChange change;
      change.name = a_.names[key.second];
      change.kind = key.first;
      change.a = mean(sums.a.length, a_);
      change.b = mean(sums.b.length, b_);
      change.wait = mean(sums.b.wait, b_) - mean(sums.a.wait, a_);
      change.queue = mean(sums.b.queue, b_) - mean(sums.a.queue, a_);
      change.latency = mean(sums.b.latency, b_) - mean(sums.a.latency, a_);
      change.rest = change.b - change.a - change.wait - change.queue - change.latency;
      change.critical = sums.b.critical;
      if (change.a == change.b) continue;
      change.why = why(change, a_, b_, nullptr, nullptr);
      made.changes.push_back(std::move(change));
    }
    return made;
  }

 private:
  struct Sum {
    std::uint64_t count = 0;
    Time length{}, wait{}, queue{}, latency{};
    bool critical = false;
  };
  struct Sums {
    Sum a, b;
  };

  static Time mean(Time sum, const Run& run) {
    return Time(sum.count() /
                static_cast<std::int64_t>(std::max<std::size_t>(1, run.ranks.size())));
  }

  void add(const Run& run, const std::vector<std::uint32_t>* names, Sum Sums::*side) {
    std::vector<std::int64_t> ranks(run.timelines.size());
    for (const result::Rank& rank : run.ranks) ++ranks[rank.timeline];
    for (std::size_t t = 0; t < run.timelines.size(); ++t) {
      for (const Span& span : run.timelines[t].spans) {
        const std::uint32_t name = names == nullptr ? span.name : (*names)[span.name];
        Sum& sum = sums_[{span.kind, name}].*side;
        sum.count += static_cast<std::uint64_t>(ranks[t]);
        sum.length = saturating_sum(sum.length, length(span), ranks[t]);
        sum.wait = saturating_sum(sum.wait, span.wait, ranks[t]);
        sum.queue = saturating_sum(sum.queue, span.queue, ranks[t]);
        sum.latency = saturating_sum(sum.latency, span.latency, ranks[t]);
        sum.critical = sum.critical || span.critical;
      }
    }
  }

  const Run& a_;
  const Run& b_;
  std::vector<std::uint32_t> names_;
  std::map<std::pair<SpanKind, std::uint32_t>, Sums> sums_;
};

// The reason if neither waiting, nor queues, nor latency changed most: bytes, operations or models.
std::string rest_words(const NodeChange& change, const std::string& by, const Span* a,
                       const Span* b) {
  const bool moves = communicates(change.kind);
  if (a != nullptr && b != nullptr && a->model != b->model) {
    return fmt::format("its {} takes {}: {} model instead of {}", moves ? "transfer" : "work", by,
                       name(b->model), name(a->model));
  }
  if (moves) {
    if (a != nullptr && b != nullptr && a->bytes != b->bytes) {
      return fmt::format("its transfer takes {}: {} instead of {}", by, format_bytes(b->bytes),
                         format_bytes(a->bytes));
    }
    return fmt::format("its transfer takes {}: bandwidth", by);
  }
  if (change.kind == SpanKind::load || change.kind == SpanKind::store)
    return fmt::format("its access takes {}", by);
  if (a != nullptr && b != nullptr && a->flops != b->flops) {
    return fmt::format("its work takes {}: {} operations instead of {}", by, format_count(b->flops),
                       format_count(a->flops));
  }
  return fmt::format("its work takes {}", by);
}

// The rank that the span waits for at `rank`, or "peers" if unknown.
std::string delaying_rank(const NodeChange& change, const Run& run, const Span* span) {
  if (span == nullptr || change.rank >= run.ranks.size()) return "peers";
  if (span->kind == SpanKind::collective) {
    const result::Collective* one = run.stored_collective_of(change.rank, *span);
    if (one == nullptr) return "peers";
    const std::uint32_t last = run.last_rank(*one, run.ranks[change.rank].groups[span->group]);
    return last == change.rank ? "peers" : fmt::format("rank {}, which arrives last", last);
  }
  if (span->distance == kNone) return "peers";
  return fmt::format("rank {}", run.peer(change.rank, span->distance));
}

}  // namespace

std::string why(const NodeChange& change, const Run& a, const Run& b, const Span* at_a,
                const Span* at_b) {
  const Time total = change.b - change.a;
  const bool longer = total > Time{};
  const auto towards = [&](Time part) { return longer ? part : Time{} - part; };
  // The part that changed most in the direction of the total; ties: the first.
  const std::array parts = {change.rest, change.latency, change.queue, change.wait};
  const auto* most = std::max_element(parts.begin(), parts.end(),
                                      [&](Time x, Time y) { return towards(x) < towards(y); });
  const std::string by =
      fmt::format("{} {}", format_time(magnitude(*most)), longer ? "longer" : "less");
  switch (most - parts.begin()) {
    case 0:
      return rest_words(change, by, at_a, at_b);
    case 1:
      return fmt::format("its hops and end points take {}", by);
    case 2:
      return fmt::format("it queues {} for busy {}", by,
                         communicates(change.kind) ? "links" : "memory");
    default:
      // Names the delaying rank in the run with the longer wait: the other run may have none.
      return fmt::format("it waits {} for {}", by,
                         longer ? delaying_rank(change, b, at_b) : delaying_rank(change, a, at_a));
  }
}

NodeChanges compare_nodes(const Run& a, const Run& b) {
  if (a.ranks.size() == b.ranks.size()) return ByIdentity(a, b).compare();
  return ByName(a, b).compare();
}

}  // namespace orrery::analysis
