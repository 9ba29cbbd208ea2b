// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/search/routes/piece_routes.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace orrery::synthesis {

namespace {

constexpr int kRounds = 5;
constexpr std::size_t kSteps = 80'000'000;  // ways that are looked at, about: a second
constexpr std::uint32_t kNone = ~0U;

class Router {
 public:
  Router(const RouteGraph& route_graph, std::span<const Piece> pieces,
         std::span<const std::vector<bool>> members)
      : route_graph_(route_graph),
        pieces_(pieces),
        members_(members),
        load_(route_graph.room.size()),
        cost_(route_graph.room.size()),
        paths_(pieces.size()),
        far_(route_graph.store_count()),
        by_(route_graph.store_count()) {
    double total = 0, capacity = 0;
    for (const Piece& piece : pieces) total += static_cast<double>(piece.bytes);
    std::vector<bool> used(route_graph.room.size());
    for (const LinkUse& held : route_graph.held) used[held.wire] = true;
    for (std::size_t wire = 0; wire < used.size(); ++wire)
      capacity += used[wire] ? static_cast<double>(route_graph.room[wire]) : 0;
    usual_ = total / std::max(capacity, 1.0);
  }

  bool run() {
    const std::size_t each = kRounds * route_graph_.stores.size() * route_graph_.routes.size();
    const std::size_t batches = std::clamp<std::size_t>(kSteps / std::max<std::size_t>(1, each), 1,
                                                        route_graph_.stores.size());
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      // How busy links are for how far pieces go is only known after a first round; later ones
      // avoid the busiest the more.
      squarings_ = batches > 1 ? 1 + round : 2;
      busiest_ = std::max(usual_, busiest());
      for (std::size_t wire = 0; wire < load_.size(); ++wire) price(wire);
      for (std::size_t first = 0; first < pieces_.size();) {
        std::size_t end = first;
        while (end < pieces_.size() && equivalent(first, end)) ++end;
        for (std::size_t batch = 0; batch < batches; ++batch) {
          if (!reroute(first + batch, end, batches)) return false;
        }
        first = end;
      }
      if (busiest() >= least) continue;
      least = busiest();
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
  /// A second that a link is busy costs the more, the busier it is already.
  void price(std::size_t wire) {
    const double room = static_cast<double>(route_graph_.room[wire]);
    double power = load_[wire] / room / busiest_;
    for (int i = 0; i < squarings_; ++i) power *= power;
    cost_[wire] = (0.02 + power) / room;
  }
  [[nodiscard]] double busiest() const {
    double most = 0;
    for (std::size_t wire = 0; wire < load_.size(); ++wire)
      most = std::max(most, load_[wire] / static_cast<double>(route_graph_.room[wire]));
    return most;
  }
  void carry(const std::vector<std::uint32_t>& path, double bytes) {
    for (const std::uint32_t route : path) {
      for (const LinkUse& held : route_graph_.uses_of(route)) {
        load_[held.wire] += bytes;
        price(held.wire);
      }
    }
  }

  /// What is the cheapest for one is so for the other.
  [[nodiscard]] bool equivalent(std::size_t one, std::size_t other) const {
    return pieces_[one].from == pieces_[other].from &&
           (members_.empty() || pieces_[one].group == pieces_[other].group);
  }

  /// Every so many pieces from `first` on, which start at the same store.
  bool reroute(std::size_t first, std::size_t end, std::size_t every) {
    if (first >= end) return true;
    for (std::size_t i = first; i < end; i += every)
      carry(paths_[i], -static_cast<double>(pieces_[i].bytes));
    const std::uint32_t source = route_graph_.store_of[pieces_[first].from];
    cheapest_from(source, members_.empty() ? nullptr : &members_[pieces_[first].group]);
    for (std::size_t i = first; i < end; i += every) {
      auto& path = paths_[i];
      path.clear();
      for (std::uint32_t at = route_graph_.store_of[pieces_[i].to]; at != source;
           at = route_graph_.from[by_[at]]) {
        if (by_[at] == kNone) return false;
        path.push_back(by_[at]);
      }
      std::reverse(path.begin(), path.end());
      carry(path, static_cast<double>(pieces_[i].bytes));
    }
    return true;
  }

  /// `may`: who hands on, by store; nothing: everyone.
  void cheapest_from(std::uint32_t source, const std::vector<bool>* may) {
    using Entry = std::pair<double, std::uint32_t>;
    std::fill(far_.begin(), far_.end(), std::numeric_limits<double>::infinity());
    std::fill(by_.begin(), by_.end(), kNone);
    far_[source] = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.emplace(0, source);
    while (!queue.empty()) {
      const auto [distance, at] = queue.top();
      queue.pop();
      if (distance > far_[at]) continue;
      for (std::uint32_t route = route_graph_.out_offsets[at];
           route < route_graph_.out_offsets[at + 1]; ++route) {
        double there = distance;
        for (const LinkUse& held : route_graph_.uses_of(route)) there += cost_[held.wire];
        const std::uint32_t to = route_graph_.to[route];
        if (there >= far_[to] || (may != nullptr && !(*may)[to])) continue;
        far_[to] = there;
        by_[to] = route;
        queue.emplace(there, to);
      }
    }
  }

  const RouteGraph& route_graph_;
  std::span<const Piece> pieces_;
  std::span<const std::vector<bool>> members_;
  std::vector<double> load_, cost_;  // by wire
  std::vector<std::vector<std::uint32_t>> paths_, best_;
  std::vector<double> far_;
  std::vector<std::uint32_t> by_;
  double usual_ = 0, busiest_ = 0;
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
