// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::model {

using graph::CollectiveType;

namespace {

using Dims = std::span<const ChunkDim>;
using DimSet = std::uint32_t;

constexpr double kTight = 1e-9;   // relative tolerance of comparisons
constexpr double kSafety = 1e-9;  // upper limit of the relative rounding error of sums

bool in(DimSet set, std::size_t d) { return (set >> d & 1u) != 0; }

/// The minimum share of one scattered byte that the dimensions of a set move.
class LeastMoved {
 public:
  explicit LeastMoved(Dims dims) : of_(std::size_t{1} << dims.size()) {
    double all = 1;
    for (const ChunkDim& dim : dims) all *= dim.size;
    for (DimSet set = 0; set < of_.size(); ++set) {
      double ranks = 1;
      for (std::size_t d = 0; d < dims.size(); ++d)
        if (in(set, d)) ranks *= dims[d].size;
      of_[set] = (ranks - 1) / all;
    }
  }
  [[nodiscard]] double operator()(DimSet set) const { return of_[set]; }

 private:
  std::vector<double> of_;
};

/// The share of one byte, scattered in this order, that each dimension moves.
std::vector<double> moved_by(Dims dims, std::span<const std::uint8_t> order) {
  std::vector<double> moved(dims.size());
  double left = 1;
  for (const std::uint8_t d : order) {
    const double next = left / dims[d].size;
    moved[d] = left - next;
    left = next;
  }
  return moved;
}

/// The minimum cost of scattering a byte, given prices per byte by dimension: the order visits
/// cheap dimensions first.
double least_cost(Dims dims, std::span<const double> prices) {
  std::vector<std::uint8_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return prices[a] < prices[b]; });
  const std::vector<double> moved = moved_by(dims, order);
  double cost = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) cost += moved[d] * prices[d];
  return cost;
}

/// The passes of a collective through the dimensions.
std::vector<PhaseCost ChunkDim::*> passes_of(CollectiveType type) {
  if (type == CollectiveType::all_reduce) return {&ChunkDim::scatter, &ChunkDim::gather};
  if (type == CollectiveType::reduce_scatter) return {&ChunkDim::scatter};
  if (type == CollectiveType::all_gather) return {&ChunkDim::gather};
  return {};
}

/// The minimum time of one chunk through all dimensions.
double path_time(Dims dims, std::span<PhaseCost ChunkDim::*const> passes, double bytes) {
  double time = 0;
  for (const auto pass : passes) {
    std::vector<double> prices;
    for (const ChunkDim& dim : dims) {
      prices.push_back((dim.*pass).per_byte);
      time += (dim.*pass).fixed;
    }
    time += bytes * least_cost(dims, prices);
  }
  return time;
}

/// Lower bound by the dimensions of a set: their weighted work, spread over all their servers.
double work_of(Dims dims, std::span<PhaseCost ChunkDim::*const> passes, DimSet set, double bytes,
               double chunks) {
  std::vector<double> weights(dims.size());
  double servers = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (!in(set, d)) continue;
    double per_byte = 0;
    for (const auto pass : passes) per_byte += (dims[d].*pass).per_byte;
    if (!(per_byte > 0)) return 0;
    weights[d] = 1 / per_byte;
    servers += weights[d] * dims[d].servers;
  }
  double work = 0;
  std::vector<double> prices(dims.size());
  for (const auto pass : passes) {
    for (std::size_t d = 0; d < dims.size(); ++d) {
      prices[d] = weights[d] * (dims[d].*pass).per_byte;
      work += weights[d] * (dims[d].*pass).fixed * chunks;
    }
    work += bytes * least_cost(dims, prices);
  }
  return work / servers;
}

Time whole_picoseconds(double time) {
  const double safe = std::floor(time * (1 - kSafety));
  constexpr double kMost = 4e18;
  return Time(static_cast<std::int64_t>(std::clamp(safe, 0.0, kMost)));
}

}  // namespace

bool has_chunk_order(CollectiveType type) { return !passes_of(type).empty(); }

std::optional<ChunkBound> chunk_bound(CollectiveType type, std::int64_t whole, Dims dims,
                                      std::int64_t chunks) {
  const auto passes = passes_of(type);
  if (passes.empty() || dims.empty() || dims.size() > kMaxOrderedDims || whole <= 0)
    return std::nullopt;
  const auto bytes = static_cast<double>(whole);
  // The largest chunk has at least bytes / chunks; with any number of chunks it may be empty.
  double longest = path_time(dims, passes, chunks > 0 ? bytes / static_cast<double>(chunks) : 0.0);
  DimSet binds = 0;
  for (DimSet set = 1; set < DimSet{1} << dims.size(); ++set) {
    const double time =
        work_of(dims, passes, set, bytes, static_cast<double>(std::max<std::int64_t>(chunks, 1)));
    if (time > longest * (1 + kTight)) {
      longest = time;
      binds = set;
    }
  }
  ChunkBound bound{whole_picoseconds(longest), {}};
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (in(binds, d)) bound.dims.push_back(static_cast<std::uint8_t>(d));
  return bound;
}

namespace {

/// The share of one byte that each dimension moves in the most balanced mixture. The function finds
/// the set that determines the bound, then the same for the remaining dimensions.
std::vector<double> most_level(Dims dims, const LeastMoved& least, double fixed_chunks) {
  std::vector<double> per_byte, fixed, moved(dims.size());
  for (const ChunkDim& dim : dims) {
    per_byte.push_back(std::max(dim.scatter.per_byte + dim.gather.per_byte, 1e-30));
    fixed.push_back((dim.scatter.fixed + dim.gather.fixed) * fixed_chunks);
  }
  const DimSet all = (DimSet{1} << dims.size()) - 1;
  for (DimSet done = 0; done != all;) {
    double longest = -1;
    DimSet binds = 0;
    for (DimSet set = 1; set <= all; ++set) {
      if ((set & done) != 0) continue;
      double work = least(done | set) - least(done), rates = 0;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!in(set, d)) continue;
        work += fixed[d] / per_byte[d];
        rates += dims[d].servers / per_byte[d];
      }
      // Of sets with equal bounds it uses the largest, which contains the others.
      const double time = work / rates;
      const bool wider = std::popcount(set) > std::popcount(binds);
      if (time > longest * (1 + (wider ? -kTight : kTight))) {
        longest = time;
        binds = set;
      }
    }
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (in(binds, d)) moved[d] = (longest * dims[d].servers - fixed[d]) / per_byte[d];
    done |= binds;
  }
  return moved;
}

double sum_over(DimSet set, std::span<const double> values) {
  double sum = 0;
  for (std::size_t d = 0; d < values.size(); ++d)
    if (in(set, d)) sum += values[d];
  return sum;
}

/// An order on the same face of the polytope: sets that move their minimum come last, the smallest
/// at the very end.
std::vector<std::uint8_t> order_on_face(std::span<const double> moved, const LeastMoved& least) {
  const DimSet all = (DimSet{1} << moved.size()) - 1;
  std::vector<std::uint8_t> order;
  for (DimSet done = 0; done != all;) {
    DimSet next = all;
    for (DimSet set = 1; set <= all; ++set) {
      const bool wider = (set & done) == done && set != done;
      if (wider && std::popcount(set) < std::popcount(next) &&
          sum_over(set, moved) <= least(set) + kTight)
        next = set;
    }
    for (std::size_t d = moved.size(); d-- > 0;)
      if (in(next & ~done, d)) order.push_back(static_cast<std::uint8_t>(d));
    done = next;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

// Writes a point of the polytope as a mixture of a vertex of its face and a point of a smaller
// face: after each turn, one more set moves its minimum.
std::vector<OrderShare> best_order_mixture(std::int64_t whole, Dims dims, std::int64_t chunks) {
  ORRERY_CHECK(dims.size() > 1 && dims.size() <= kMaxOrderedDims);
  const LeastMoved least(dims);
  std::vector<double> moved = most_level(
      dims, least,
      static_cast<double>(chunks) / static_cast<double>(std::max<std::int64_t>(whole, 1)));
  const DimSet all = (DimSet{1} << dims.size()) - 1;
  std::vector<OrderShare> mixture;
  double rest = 1;
  for (std::size_t turn = 0; turn < dims.size() && rest > kTight; ++turn) {
    OrderShare one{order_on_face(moved, least), 0};
    const std::vector<double> vertex = moved_by(dims, one.order);
    double share = 1;
    for (DimSet set = 1; set < all; ++set) {
      const double above = sum_over(set, vertex) - least(set);
      if (above > kTight) share = std::min(share, (sum_over(set, moved) - least(set)) / above);
    }
    share = turn + 1 == dims.size() ? 1 : std::clamp(share, 0.0, 1.0);
    one.share = rest * share;
    if (one.share > kTight) mixture.push_back(std::move(one));
    rest *= 1 - share;
    if (share >= 1 - kTight) break;
    for (std::size_t d = 0; d < dims.size(); ++d)
      moved[d] = (moved[d] - share * vertex[d]) / (1 - share);
  }
  std::stable_sort(mixture.begin(), mixture.end(),
                   [](const OrderShare& a, const OrderShare& b) { return a.share > b.share; });
  return mixture;
}

}  // namespace orrery::model
