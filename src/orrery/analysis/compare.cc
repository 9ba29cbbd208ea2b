// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/compare.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "orrery/analysis/compare_nodes.h"
#include "orrery/analysis/critical_path.h"
#include "orrery/analysis/metric_table.h"

namespace orrery::analysis {

using result::Run;

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

// The largest changes one way, at most `most`.
std::vector<NodeChange> largest(const std::vector<NodeChange>& all, bool slower, std::size_t most) {
  std::vector<const NodeChange*> chosen;
  for (const NodeChange& change : all) {
    if ((change.b > change.a) == slower) chosen.push_back(&change);
  }
  const auto key = [&](const NodeChange* change) {
    return std::tuple(slower ? change->a - change->b : change->b - change->a, change->node,
                      std::string_view(change->name), change->kind);
  };
  const std::size_t kept = std::min(most, chosen.size());
  std::partial_sort(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(kept),
                    chosen.end(), [&](const auto* x, const auto* y) { return key(x) < key(y); });
  std::vector<NodeChange> made;
  for (std::size_t i = 0; i < kept; ++i) made.push_back(*chosen[i]);
  return made;
}

}  // namespace

Comparison compare(const Run& a, const Run& b, std::size_t most) {
  Comparison made;
  compare_metrics(a, b, made);
  compare_facts(a, b, made);
  const NodeComparison nodes = compare_nodes(a, b);
  made.slower = largest(nodes.changes, true, most);
  made.faster = largest(nodes.changes, false, most);
  made.matched = nodes.matched;
  made.only_a = nodes.only_a;
  made.only_b = nodes.only_b;
  made.band = difference_band(a, b);
  made.path_a = summarize_path(a, 0).by_cause;
  made.path_b = summarize_path(b, 0).by_cause;
  return made;
}

bool regressed(const Run& a, const Run& b, double threshold) {
  if (b.stalled != a.stalled) return b.stalled;
  return seconds(b.step) > seconds(a.step) * (1 + threshold);
}

}  // namespace orrery::analysis
