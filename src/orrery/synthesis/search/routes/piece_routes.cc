// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/piece_routes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace orrery::synthesis {

namespace {

constexpr int kRounds = 5;
constexpr std::size_t kMaxEvaluations =
    80'000'000;  // approximate limit of evaluated routes: about a second
constexpr std::uint32_t kNone = ~0U;

class Router {
 public:
  Router(const RouteGraph& route_graph, std::span<const Piece> pieces,
         std::span<const std::vector<bool>> members)
      : route_graph_(route_graph),
        pieces_(pieces),
        members_(members),
        load_(route_graph.capacity.size()),
        cost_(route_graph.capacity.size()),
        paths_(pieces.size()),
        cost_of_(route_graph.store_count()),
        last_route_(route_graph.store_count()) {
    double total = 0, capacity = 0;
    for (const Piece& piece : pieces) total += static_cast<double>(piece.bytes);
    std::vector<bool> used(route_graph.capacity.size());
    for (const LinkUse& use : route_graph.link_uses) used[use.wire] = true;
    for (std::size_t wire = 0; wire < used.size(); ++wire)
      capacity += used[wire] ? static_cast<double>(route_graph.capacity[wire]) : 0;
    mean_load_ = total / std::max(capacity, 1.0);
  }

  bool run() {
    const std::size_t each = kRounds * route_graph_.stores.size() * route_graph_.routes.size();
    const std::size_t batches = std::clamp<std::size_t>(
        kMaxEvaluations / std::max<std::size_t>(1, each), 1, route_graph_.stores.size());
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      // Link loads are only known after a first round; later rounds avoid busy links more strongly.
      squarings_ = batches > 1 ? 1 + round : 2;
      reference_seconds_ = std::max(mean_load_, bottleneck_seconds());
      for (std::size_t wire = 0; wire < load_.size(); ++wire) price(wire);
      for (std::size_t first = 0; first < pieces_.size();) {
        std::size_t end = first;
        while (end < pieces_.size() && is_routed_alike(first, end)) ++end;
        for (std::size_t batch = 0; batch < batches; ++batch) {
          if (!reroute(first + batch, end, batches)) return false;
        }
        first = end;
      }
      if (bottleneck_seconds() >= least) continue;
      least = bottleneck_seconds();
      best_ = paths_;
    }
    return true;
  }

  PieceRoutes piece_routes() {
    PieceRoutes piece_routes;
    piece_routes.first.push_back(0);
    for (const auto& path : best_) {
      piece_routes.routes.insert(piece_routes.routes.end(), path.begin(), path.end());
      piece_routes.first.push_back(static_cast<std::uint32_t>(piece_routes.routes.size()));
    }
    return piece_routes;
  }

 private:
  /// The cost of a link grows with the time for which it is busy.
  void price(std::size_t wire) {
    const double room = static_cast<double>(route_graph_.capacity[wire]);
    double power = load_[wire] / room / reference_seconds_;
    for (int i = 0; i < squarings_; ++i) power *= power;
    cost_[wire] = (0.02 + power) / room;
  }
  [[nodiscard]] double bottleneck_seconds() const {
    double most = 0;
    for (std::size_t wire = 0; wire < load_.size(); ++wire)
      most = std::max(most, load_[wire] / static_cast<double>(route_graph_.capacity[wire]));
    return most;
  }
  void add_load(const std::vector<std::uint32_t>& path, double bytes) {
    for (const std::uint32_t route : path) {
      for (const LinkUse& use : route_graph_.uses_of(route)) {
        load_[use.wire] += bytes;
        price(use.wire);
      }
    }
  }

  /// Whether the cheapest route of one piece is also that of the other.
  [[nodiscard]] bool is_routed_alike(std::size_t one, std::size_t other) const {
    return pieces_[one].from == pieces_[other].from &&
           (members_.empty() || pieces_[one].group == pieces_[other].group);
  }

  /// Reroutes every `every`-th piece from `first` on; all start at the same store.
  bool reroute(std::size_t first, std::size_t end, std::size_t every) {
    if (first >= end) return true;
    for (std::size_t i = first; i < end; i += every)
      add_load(paths_[i], -static_cast<double>(pieces_[i].bytes));
    const std::uint32_t source = route_graph_.store_of[pieces_[first].from];
    cheapest_from(source, members_.empty() ? nullptr : &members_[pieces_[first].group]);
    for (std::size_t i = first; i < end; i += every) {
      auto& path = paths_[i];
      path.clear();
      for (std::uint32_t at = route_graph_.store_of[pieces_[i].to]; at != source;
           at = route_graph_.from[last_route_[at]]) {
        if (last_route_[at] == kNone) return false;
        path.push_back(last_route_[at]);
      }
      std::reverse(path.begin(), path.end());
      add_load(path, static_cast<double>(pieces_[i].bytes));
    }
    return true;
  }

  /// `may_forward`: by store, whether it forwards; null: all do.
  void cheapest_from(std::uint32_t source, const std::vector<bool>* may_forward) {
    using Entry = std::pair<double, std::uint32_t>;
    std::fill(cost_of_.begin(), cost_of_.end(), std::numeric_limits<double>::infinity());
    std::fill(last_route_.begin(), last_route_.end(), kNone);
    cost_of_[source] = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [distance, at] = queue.top();
      queue.pop();
      if (distance > cost_of_[at]) continue;
      for (std::uint32_t route = route_graph_.out_offsets[at];
           route < route_graph_.out_offsets[at + 1]; ++route) {
        double there = distance;
        for (const LinkUse& use : route_graph_.uses_of(route)) there += cost_[use.wire];
        const std::uint32_t to = route_graph_.to[route];
        if (there >= cost_of_[to] || (may_forward != nullptr && !(*may_forward)[to])) continue;
        cost_of_[to] = there;
        last_route_[to] = route;
        queue.emplace(there, to);
      }
    }
  }

  const RouteGraph& route_graph_;
  std::span<const Piece> pieces_;
  std::span<const std::vector<bool>> members_;
  std::vector<double> load_, cost_;  // by wire
  std::vector<std::vector<std::uint32_t>> paths_, best_;
  std::vector<double> cost_of_;
  std::vector<std::uint32_t> last_route_;
  double mean_load_ = 0, reference_seconds_ = 0;
  int squarings_ = 1;
};

}  // namespace

PieceRoutes find_piece_routes(const RouteGraph& route_graph, std::span<const Piece> pieces,
                              std::span<const std::vector<bool>> members) {
  Router router(route_graph, pieces, members);
  if (!router.run()) return {};
  return router.piece_routes();
}

}  // namespace orrery::synthesis
