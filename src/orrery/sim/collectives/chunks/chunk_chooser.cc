// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/collectives/chunks/chunk_chooser.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "orrery/graph/workload.h"
#include "orrery/model/collective/chunk_bound.h"
#include "orrery/sim/collectives/chunks/phase_probe.h"

namespace orrery::sim {

using graph::CollectiveType;
using model::DimOrder;
using model::LogicalTopology;
using platform::InterDimension;
using platform::is_themis;

namespace {

// Maximum number of chunks that `chunks: auto` tries, in powers of two; fewer if each phase is
// simulated link by link.
constexpr std::int64_t kMaxChunks = 512;
constexpr std::int64_t kMaxChunksOnLinks = 64;
// Selects the fewest chunks that are slower than the fastest by at most 1 / this.
constexpr std::int64_t kInverseTolerance = 1000;
constexpr std::uint64_t kSearchPhases = 1 << 19;  // phases per search: about 0.1 s
constexpr std::uint64_t kSeed = 0x5eed;

platform::Platform without_deviations(platform::Platform platform) {
  platform.deviations.clear();
  return platform;
}

/// Equivalent dimensions get equal speeds, although times are rounded.
double rounded_rate(double of_link) { return std::round(of_link * 1e4) / 1e4; }

/// Cost of one pass of this type in a dimension; for all-reduces, the mean of scatter and gather.
model::PhaseCost pass_of(const model::ChunkDim& costs, CollectiveType type) {
  if (type == CollectiveType::all_gather) return costs.gather;
  if (type != CollectiveType::all_reduce) return costs.scatter;
  return {(costs.scatter.fixed + costs.gather.fixed) / 2,
          (costs.scatter.per_byte + costs.gather.per_byte) / 2};
}

/// Speeds of the phases; without bandwidths if some are unknown.
PhaseSpeeds speeds_of(const ChunkCosts& chunk_costs, CollectiveType type,
                      const LogicalTopology& topology, bool published) {
  PhaseSpeeds speeds;
  if (published) speeds.latencies.assign(topology.dims.size(), 0);
  const std::vector<model::ChunkDim> costs = chunk_costs.probed_costs();
  if (costs.empty()) return speeds;
  for (std::size_t d = 0; d < topology.dims.size(); ++d) speeds.bandwidths.push_back(1);
  for (std::size_t d = 0; d < costs.size(); ++d) {
    const std::uint8_t logical = chunk_costs.in_topology({static_cast<std::uint8_t>(d)}).front();
    const model::PhaseCost pass = pass_of(costs[d], type);
    if (published) speeds.latencies[logical] = pass.fixed;
    const double link = chunk_costs.link(d).count();
    const double rate = rounded_rate(1e12 / (pass.per_byte * link)) * link;
    if (!(rate > 0) || !std::isfinite(rate)) return {{}, speeds.latencies};
    speeds.bandwidths[logical] = rate;
  }
  return speeds;
}

}  // namespace

/// One kind of collective, and the schedules tried for it.
struct ChunkChooser::Case {
  CollectiveType type;
  std::int64_t size = 0;
  const LogicalTopology& topology;
  ChunkCosts chunk_costs;
  std::vector<DimOrder> orders{};
  std::vector<model::ChunkDim> costs{};  // empty: unknown
  std::int64_t full_bytes = 0;

  // For the current number of chunks:
  model::Chunking cutting{};
  std::vector<model::OrderPaths> by_order{};
  std::optional<model::ChunkSearch> search{};

  [[nodiscard]] std::optional<std::uint16_t> number_of(const DimOrder& order) const {
    const auto found = std::find(orders.begin(), orders.end(), order);
    if (found == orders.end()) return std::nullopt;
    return static_cast<std::uint16_t>(found - orders.begin());
  }
  /// Ignores schedules with orders that are not among `orders`.
  void consider(std::string_view method, const std::vector<DimOrder>& by_chunk) {
    std::vector<std::uint16_t> numbers;
    for (const DimOrder& order : by_chunk) {
      const auto number = number_of(order);
      if (!number) return;
      numbers.push_back(*number);
    }
    search->consider(method, std::move(numbers));
  }
};

ChunkChooser::ChunkChooser(const platform::Platform& platform)
    : healthy_(without_deviations(platform)), fabric_(healthy_) {
  const auto& config = healthy_.collectives;
  const bool is_orrery = platform.rules == platform::Rules::orrery;
  by_orders_ = is_orrery && config.inter_dimension == InterDimension::best;
  by_count_ = is_orrery && config.splits_by_model;
}

bool ChunkChooser::is_two_phase(CollectiveType type) const {
  const InterDimension order = healthy_.collectives.inter_dimension;
  return type == CollectiveType::all_reduce && (by_orders_ || is_themis(order));
}

const ChunkChooser::Selection* ChunkChooser::choose(CollectiveType type, std::int64_t size,
                                                    std::uint32_t number,
                                                    const LogicalTopology& topology) {
  const auto [found, is_new] = chosen_.try_emplace({type, size, number});
  if (!is_new || size <= 0) return found->second.get();
  Case what{type, size, topology, {healthy_, fabric_, topology, type}};
  if (!what.chunk_costs.known()) return nullptr;
  probe(what.chunk_costs);
  found->second = find(what);
  return found->second.get();
}

// Without contention, closed forms provide the costs, so that nothing is probed.
void ChunkChooser::probe(ChunkCosts& chunk_costs) {
  const bool alone = healthy_.network == platform::NetworkModelKind::analytical;
  if (alone && healthy_.fabric == nullptr) return;
  for (std::size_t d = 0; d < chunk_costs.dims(); ++d) {
    const model::LogicalDim& dim = chunk_costs.logical(d);
    if (dim.ring.size != static_cast<std::uint32_t>(fabric_.dim(dim.dim).size)) continue;
    const auto [found, is_new] =
        probed_.try_emplace({dim.dim, dim.algorithm.algorithm, dim.algorithm.window});
    if (is_new) {
      const auto scatter =
          probe_phase(healthy_, CollectiveType::reduce_scatter, dim.dim, dim.algorithm);
      const auto gather = probe_phase(healthy_, CollectiveType::all_gather, dim.dim, dim.algorithm);
      if (scatter && gather) found->second = ChunkCosts::Probed{*scatter, *gather};
    }
    if (found->second) chunk_costs.set_probed(d, *found->second);
  }
}

std::unique_ptr<ChunkChooser::Selection> ChunkChooser::find(Case& what) const {
  std::uint32_t members = 1;
  for (const model::LogicalDim& dim : what.topology.dims)
    if (dim.involved) members *= dim.ring.size;
  what.full_bytes = graph::full_buffer(what.type, Bytes(what.size), members).count();
  what.costs = what.chunk_costs.probed_costs();
  what.orders = model::orders_of(what.chunk_costs.dims());
  const bool gather = what.type == CollectiveType::all_gather;
  if (gather)
    for (DimOrder& order : what.orders) std::reverse(order.begin(), order.end());
  if (!by_orders_ && !is_themis(healthy_.collectives.inter_dimension) &&
      healthy_.collectives.inter_dimension != InterDimension::round_robin)
    what.orders.resize(1);
  std::vector<std::pair<std::int64_t, std::int64_t>> tried;  // chunks, time
  const std::int64_t first = by_count_ ? 1 : healthy_.collectives.splits;
  const bool alone = healthy_.network == platform::NetworkModelKind::analytical;
  const std::int64_t last = !by_count_ ? first : alone ? kMaxChunks : kMaxChunksOnLinks;
  for (std::int64_t chunks = first; chunks <= last && chunks <= std::max(first, what.size);
       chunks *= 2) {
    if (!consider_orders(what, chunks)) return nullptr;
    tried.emplace_back(chunks, what.search->best().time);
  }
  const auto least = std::min_element(tried.begin(), tried.end(),
                                      [](auto& a, auto& b) { return a.second < b.second; });
  const auto enough = std::find_if(tried.begin(), tried.end(), [&](const auto& one) {
    return one.second <= least->second + least->second / kInverseTolerance;
  });
  if (enough->first != tried.back().first && !consider_orders(what, enough->first)) return nullptr;
  auto chosen = std::make_unique<Selection>();
  if (by_orders_) {
    const auto bound =
        model::chunk_bound(what.type, what.full_bytes, what.costs, what.cutting.count);
    const std::int64_t lower_bound = bound ? bound->time.count() : 0;
    what.search->improve(kSeed, kSearchPhases, lower_bound + lower_bound / kInverseTolerance);
    for (const std::uint16_t order : what.search->best().orders)
      chosen->orders.push_back(what.chunk_costs.in_topology(what.orders[order]));
  }
  chosen->chunks = enough->first;
  chosen->summary = summary_of(what);
  const auto plain = by_orders_ ? natural_time(what) : std::nullopt;
  if (plain && *plain <= what.search->best().time + what.search->best().time / kInverseTolerance) {
    chosen->orders.clear();
    ChunkChoice& summary = chosen->summary;
    summary.method = "natural";
    summary.time = Time(*plain);
    summary.shares = {{summary.dims, summary.chunks}};
  }
  return chosen;
}

// Time of all chunks in the natural order, with one phase for the complete reduction in the last
// dimension. Then scatters and gathers do not meet in that dimension, so that ranks that are ahead
// disagree less about the order of chunks.
std::optional<std::int64_t> ChunkChooser::natural_time(Case& what) const {
  if (what.type != CollectiveType::all_reduce || what.chunk_costs.dims() < 2) return std::nullopt;
  auto full = what.chunk_costs.path(what.orders.front(), what.cutting.chunk, false);
  auto rest = what.chunk_costs.path(what.orders.front(), what.cutting.last, false);
  if (!full || !rest) return std::nullopt;
  const std::vector<model::OrderPaths> only{
      {what.orders.front(), *std::move(full), *std::move(rest)}};
  const auto count = static_cast<std::size_t>(what.cutting.count);
  model::ChunkSearch search(rules(), only, count);
  search.consider("natural", std::vector<std::uint16_t>(count));
  return search.best().time;
}

model::ChunkRules ChunkChooser::rules() const {
  const auto& config = healthy_.collectives;
  const std::int64_t q = config.queues_per_dim;
  return {static_cast<std::uint32_t>(fabric_.dim_count()), static_cast<std::uint32_t>(q),
          static_cast<std::uint32_t>((config.active_chunks + q - 1) / q), config.intra_dimension};
}

// Returns false if the time of some phase is unknown.
bool ChunkChooser::consider_orders(Case& what, std::int64_t chunks) const {
  const auto& config = healthy_.collectives;
  const auto cutting =
      model::cut(what.type, what.size, chunks, fabric_.rank_count(), healthy_.rules);
  if (!cutting) return false;
  what.cutting = *cutting;
  what.by_order.clear();
  for (const DimOrder& order : what.orders) {
    auto full = what.chunk_costs.path(order, cutting->chunk, is_two_phase(what.type));
    auto rest = what.chunk_costs.path(order, cutting->last, is_two_phase(what.type));
    if (!full || !rest) return false;
    what.by_order.push_back({order, *std::move(full), *std::move(rest)});
  }
  const auto count = static_cast<std::size_t>(cutting->count);
  what.search.emplace(rules(), what.by_order, count);
  const std::size_t dims = what.chunk_costs.dims();
  const InterDimension order = config.inter_dimension;
  const bool natural =
      dims == 1 || what.type == CollectiveType::all_to_all || order == InterDimension::ascending;
  if (by_orders_ || natural) what.search->consider("natural", std::vector<std::uint16_t>(count));
  if (natural) return true;
  if (by_orders_) {
    for (std::uint16_t o = 1; o < what.orders.size(); ++o)
      what.search->consider("one order", std::vector<std::uint16_t>(count, o));
  }
  if (by_orders_ || order == InterDimension::round_robin) {
    std::vector<std::uint16_t> rotation;
    for (std::size_t i = 0; i < count; ++i)
      rotation.push_back(static_cast<std::uint16_t>(i % dims));
    what.search->consider("rotation", std::move(rotation));
  }
  if (by_orders_ || (is_themis(order) && order != InterDimension::themis_published))
    consider_themis(what, false);
  if (by_orders_ || order == InterDimension::themis_published) consider_themis(what, true);
  if (!by_orders_ || what.costs.empty()) return true;
  std::vector<model::OrderShare> mixture =
      model::best_order_mixture(what.full_bytes, what.costs, cutting->count);
  if (what.type == CollectiveType::all_gather)
    for (model::OrderShare& one : mixture) std::reverse(one.order.begin(), one.order.end());
  std::vector<DimOrder> by_chunk;
  for (const std::size_t one : model::round_mixture(mixture, count))
    by_chunk.push_back(mixture[one].order);
  what.consider("mixture", by_chunk);
  return true;
}

// Themis returns logical dimensions; this class numbers dimensions differently.
void ChunkChooser::consider_themis(Case& what, bool published) const {
  LogicalTopology topology = what.topology;
  Themis themis(healthy_);
  const PhaseSpeeds speeds = speeds_of(what.chunk_costs, what.type, what.topology, published);
  std::vector<DimOrder> by_chunk;
  for (std::int64_t left = what.cutting.bytes; left > 0;) {
    const std::int64_t bytes = std::min(left, what.cutting.chunk);
    const Themis::Decision decision =
        themis.next(what.type, what.cutting.chunk, left, topology, false, speeds);
    DimOrder& order = by_chunk.emplace_back();
    for (const std::uint8_t logical : decision.order) {
      for (std::size_t d = 0; d < what.chunk_costs.dims(); ++d)
        if (what.chunk_costs.in_topology({static_cast<std::uint8_t>(d)}).front() == logical)
          order.push_back(static_cast<std::uint8_t>(d));
    }
    left -= bytes;
  }
  what.consider(published ? "themis_published" : "themis", by_chunk);
}

const PhaseSpeeds& ChunkChooser::speeds(CollectiveType type, std::uint32_t number,
                                        const LogicalTopology& topology, bool published) {
  const auto [found, is_new] = speeds_.try_emplace({type, number, published});
  if (is_new) {
    ChunkCosts chunk_costs(healthy_, fabric_, topology, type);
    if (chunk_costs.known()) probe(chunk_costs);
    found->second = speeds_of(chunk_costs, type, topology, published);
  }
  return found->second;
}

ChunkChoice ChunkChooser::summary_of(Case& what) const {
  ChunkChoice summary;
  summary.type = std::string(graph::name(what.type));
  summary.bytes = Bytes(what.full_bytes);
  summary.members = 1;
  for (std::size_t d = 0; d < what.chunk_costs.dims(); ++d) {
    summary.dims.push_back(what.chunk_costs.dim(d));
    summary.members *= what.chunk_costs.logical(d).ring.size;
  }
  const model::ChunkSchedule& best = what.search->best();
  summary.chunks = static_cast<std::uint32_t>(what.cutting.count);
  summary.method = std::string(best.method);
  summary.time = Time(best.time);
  std::vector<std::uint32_t> counts(what.orders.size());
  for (const std::uint16_t order : best.orders) ++counts[order];
  for (std::size_t o = 0; o < counts.size(); ++o) {
    if (counts[o] == 0) continue;
    ChunkChoice::Share& share = summary.shares.emplace_back();
    for (const std::uint8_t d : what.orders[o]) share.order.push_back(what.chunk_costs.dim(d));
    share.chunks = counts[o];
  }
  std::stable_sort(summary.shares.begin(), summary.shares.end(),
                   [](const auto& a, const auto& b) { return a.chunks > b.chunks; });
  if (healthy_.fabric != nullptr) return summary;
  if (const auto bound = model::chunk_bound(what.type, what.full_bytes, what.chunk_costs.costs())) {
    summary.bound = bound->time;
    for (const std::uint8_t d : bound->dims)
      summary.limiting_dims.push_back(what.chunk_costs.dim(d));
  }
  return summary;
}

std::vector<ChunkChoice> ChunkChooser::summary() const {
  std::vector<ChunkChoice> all;
  for (const auto& [key, chosen] : chosen_)
    if (chosen != nullptr) all.push_back(chosen->summary);
  sort_choices(all);
  return all;
}

void sort_choices(std::vector<ChunkChoice>& all) {
  std::sort(all.begin(), all.end(),
            [](const ChunkChoice& a, const ChunkChoice& b) { return a.key() < b.key(); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace orrery::sim
