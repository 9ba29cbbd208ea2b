// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/stragglers/straggler_evidence.h"

#include <algorithm>
#include <string_view>

#include "orrery/core/statistics/distributions.h"
#include "orrery/graph/structure/node_selection.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::WorkKind;

constexpr std::uint32_t kNoClass = ~0u;

std::string_view class_name(const Graph& graph, NodeId n) {
  const auto of = graph::work_kind(graph, n);
  if (of == WorkKind::host) return "host work";
  if (of == WorkKind::copies) return "copies";
  if (const graph::KernelId kernel = graph.kernel(n); kernel != graph::kNoKernel) {
    const graph::Operation operation = (*graph.kernels())[kernel].operation;
    if (operation != graph::Operation::unsaid) return graph::name(operation);
  }
  return graph.name(n);
}

/// Excess relative to the level.
double relative(Time excess, Time level) {
  return level > Time{} ? static_cast<double>(excess.count()) / static_cast<double>(level.count())
                        : 0;
}

SlowestTest tested(std::uint64_t slowest, std::uint64_t of, std::uint32_t among, double each) {
  const double p = binomial_upper_tail(slowest, of, each) * among;
  return {slowest, of, among, among > 1 ? std::min(1.0, p) : 1.0};
}

}  // namespace

StragglerEvidence::StragglerEvidence(const graph::Workload& workload, std::int64_t steps)
    : steps_(static_cast<std::size_t>(steps)),
      levels_(workload),
      lines_(graph::comm_groups(workload)) {
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) add_rank(workload, rank);
}

void StragglerEvidence::add_rank(const graph::Workload& workload, std::uint32_t rank) {
  const Graph& graph = workload.graph(rank);
  const auto level = levels_.of(rank);
  const std::vector<std::uint32_t> steps = graph::steps_of_works(graph, steps_);
  class_of_.emplace_back(graph.size(), kNoClass);
  by_step_.emplace_back(steps_);
  auto& cells = cells_.emplace_back();
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!graph::is_own_work(graph, n)) continue;
    const std::uint32_t step = steps[n];
    const std::string_view name = class_name(graph, n);
    auto known = numbers_.find(name);
    if (known == numbers_.end()) {
      known = numbers_.emplace(name, static_cast<std::uint32_t>(classes_.size())).first;
      classes_.emplace_back(name);
    }
    class_of_.back()[n] = known->second;
    Cell& cell = cells[known->second];
    if (cell.excess.empty()) cell.excess.resize(steps_);
    cell.level += level[n];
    cell.excess[step] += graph.duration(n) - level[n];
    by_step_.back()[step] += graph.duration(n) - level[n];
  }
}

Time StragglerEvidence::rank_excess(std::uint32_t rank) const {
  Time sum{};
  for (const Time excess : by_step_[rank]) sum += excess;
  return sum;
}

Time StragglerEvidence::class_excess(std::uint32_t number) const {
  Time sum{};
  for (const auto& cells : cells_) {
    const auto found = cells.find(number);
    if (found == cells.end()) continue;
    for (const Time excess : found->second.excess) sum += std::max(Time{}, excess);
  }
  return sum;
}

Time StragglerEvidence::line_excess(const graph::CommGroup& line) {
  Time sum{};
  for (const graph::CommInstance& met : line.communications)
    sum += std::max(Time{}, met.transfer - met.level);
  return sum;
}

SlowestTest StragglerEvidence::rank_test(std::uint32_t rank) const {
  std::uint64_t slowest = 0;
  for (std::size_t step = 0; step < steps_; ++step) {
    bool is = excess_in(rank, step) > Time{};
    for (std::uint32_t other = 0; is && other < by_step_.size(); ++other)
      is = other == rank || levels_.peer_class(other) != levels_.peer_class(rank) ||
           excess_in(other, step) < excess_in(rank, step);
    slowest += is ? 1 : 0;
  }
  const std::uint32_t among = levels_.peer_count(rank);
  return tested(slowest, steps_, among, 1.0 / among);
}

SlowestTest StragglerEvidence::among_worst_test(const std::vector<std::uint32_t>& ranks) const {
  std::uint64_t slowest = 0;
  for (std::size_t step = 0; step < steps_; ++step) {
    Time least = kTimeMax;
    for (const std::uint32_t rank : ranks) least = std::min(least, excess_in(rank, step));
    bool all = least > Time{};
    for (std::uint32_t other = 0; all && other < by_step_.size(); ++other)
      all = excess_in(other, step) < least ||
            std::find(ranks.begin(), ranks.end(), other) != ranks.end() ||
            levels_.peer_class(other) != levels_.peer_class(ranks.front());
    slowest += all ? 1 : 0;
  }
  // Number of sets with equally many ranks.
  const std::uint32_t among = levels_.peer_count(ranks.front());
  double sets = 1;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    sets *= (among - static_cast<double>(i)) / static_cast<double>(i + 1);
  SlowestTest made = tested(slowest, steps_, among, 1 / sets);
  made.p = std::min(1.0, binomial_upper_tail(slowest, steps_, 1 / sets) * sets);
  return made;
}

SlowestTest StragglerEvidence::line_test(std::size_t number) const {
  const graph::CommGroup& line = lines_[number];
  std::uint64_t slowest = 0;
  for (const graph::CommInstance& met : line.communications)
    slowest += met.transfer > met.level ? 1 : 0;
  // By chance, a line exceeds the lower median of its equivalents at most half of the time.
  const double each = line.equivalents > 1 ? 0.5 : 1;
  return tested(slowest, line.communications.size(), line.equivalents, each);
}

std::optional<std::uint32_t> StragglerEvidence::only_class_of(std::uint32_t rank,
                                                              double else_) const {
  const auto& cells = cells_[rank];
  std::optional<std::uint32_t> worst;
  Time most{}, excess{}, level{};
  for (const auto& [number, cell] : cells) {
    Time own{};
    for (const Time each : cell.excess) own += each;
    excess += own;
    level += cell.level;
    if (own <= most) continue;
    most = own;
    worst = number;
  }
  if (!worst) return worst;
  const Time there = cells.at(*worst).level;
  if (level <= there) return std::nullopt;  // no other class to compare with
  const bool only = relative(excess - most, level - there) < else_ * relative(most, there);
  return only ? worst : std::nullopt;
}

bool StragglerEvidence::is_only_class(std::uint32_t number, double else_) const {
  Time excess{}, level{}, there{};
  for (const auto& cells : cells_)
    for (const auto& [other, cell] : cells) {
      (other == number ? there : level) += cell.level;
      if (other == number) continue;
      for (const Time each : cell.excess) excess += std::max(Time{}, each);
    }
  return level > Time{} && relative(excess, level) < else_ * relative(class_excess(number), there);
}

}  // namespace orrery::study
