// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedules/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/core/check.h"
#include "orrery/core/text/units.h"

namespace orrery::synthesis {

Time Schedule::duration(const Send& send) const {
  return transfer_duration(pieces[send.piece].bytes, routes[send.route].rate);
}

Time Schedule::end() const {
  Time last{}, duration{};
  std::int64_t bytes = 0, rate = 0;  // that take `duration`: most are alike
  for (const Send& send : sends) {
    const Route& route = routes[send.route];
    if (pieces[send.piece].bytes != bytes || route.rate != rate) {
      bytes = pieces[send.piece].bytes;
      rate = route.rate;
      duration = transfer_duration(bytes, rate);
    }
    last = std::max(last, send.start + duration + route.latency);
  }
  return last;
}

void sort_sends(std::vector<Send>& sends) {
  std::sort(sends.begin(), sends.end(), [](const Send& a, const Send& b) {
    const std::uint32_t way_a = a.route, way_b = b.route;
    return std::tie(a.start, a.piece, way_a) < std::tie(b.start, b.piece, way_b);
  });
}

std::vector<std::int64_t> link_loads(const FabricState& fabric, const Schedule& schedule) {
  std::vector<std::int64_t> loads(fabric.wires.size());
  for (const Send& send : schedule.sends) {
    for (const std::uint32_t wire : schedule.wires_of(schedule.routes[send.route]))
      loads[wire] += schedule.pieces[send.piece].bytes;
  }
  return loads;
}

std::uint32_t dependency_depth(const Schedule& schedule) {
  // By piece: sends are in the order of their starts, so who sends on comes after what it got.
  std::vector<std::vector<std::uint32_t>> by_piece(schedule.pieces.size());
  for (std::uint32_t i = 0; i < schedule.sends.size(); ++i)
    by_piece[schedule.sends[i].piece].push_back(i);
  std::uint32_t most = 0;
  struct Got {
    Time at;
    std::uint32_t depth;
  };
  std::unordered_map<NodeIndex, std::vector<Got>> got;
  for (const auto& sends : by_piece) {
    got.clear();
    for (const std::uint32_t i : sends) {
      const Send& send = schedule.sends[i];
      const Route& route = schedule.routes[send.route];
      std::uint32_t depth = 1;
      for (const Got& one : got[route.from]) {
        if (one.at <= send.start) depth = std::max(depth, one.depth + 1);
      }
      got[route.to].push_back({schedule.arrival(send), depth});
      most = std::max(most, depth);
    }
  }
  return most;
}

// Plays a schedule back and says what is wrong with it.

namespace {

/// What has come together at each device, of one piece: a bit for each contribution.
class Holdings {
 public:
  Holdings(const Group& group, NodeIndex nodes) : group_(group), place_(nodes, kNone) {
    words_ = (group.members.size() + 63) / 64;
  }

  void begin(const Piece& piece) {
    for (const NodeIndex node : touched_) place_[node] = kNone;
    touched_.clear();
    bits_.clear();
    all_ = 0;
    if (piece.from == kAllMembers) {
      for (std::size_t i = 0; i < group_.members.size(); ++i)
        of(group_.members[i])[i / 64] |= std::uint64_t{1} << (i % 64);
      all_ = group_.members.size();
    } else {
      of(piece.from)[0] = 1;
      all_ = 1;
    }
  }
  [[nodiscard]] std::vector<std::uint64_t> copy(NodeIndex node) {
    const std::uint64_t* first = of(node);
    return {first, first + words_};
  }
  [[nodiscard]] static std::size_t count(std::span<const std::uint64_t> bits) {
    std::size_t sum = 0;
    for (const std::uint64_t word : bits) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] bool complete(NodeIndex node) { return count(copy(node)) == all_; }
  /// False: something would be counted twice, or what comes is there already.
  bool take(NodeIndex node, std::span<const std::uint64_t> what, bool reduces) {
    std::uint64_t* own = of(node);
    bool fine = reduces;
    for (std::size_t w = 0; w < words_; ++w) {
      if (reduces) {
        if ((own[w] & what[w]) != 0) return false;
        own[w] |= what[w];
      } else {
        fine |= (what[w] & ~own[w]) != 0;
        own[w] = what[w];
      }
    }
    return fine;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::uint64_t* of(NodeIndex node) {
    if (place_[node] == kNone) {
      place_[node] = bits_.size();
      touched_.push_back(node);
      bits_.resize(bits_.size() + words_);
    }
    return &bits_[place_[node]];
  }

  const Group& group_;
  std::vector<std::size_t> place_;  // by node: in bits_
  std::vector<NodeIndex> touched_;
  std::vector<std::uint64_t> bits_;
  std::size_t words_ = 0, all_ = 0;
};

class Check {
 public:
  Check(const FabricState& fabric, const Schedule& schedule)
      : fabric_(fabric), schedule_(schedule) {}

  std::string run() {
    for (const Route& route : schedule_.routes) {
      if (std::string wrong = of_way(route); !wrong.empty()) return wrong;
    }
    by_piece_.resize(schedule_.pieces.size());
    for (std::uint32_t i = 0; i < schedule_.sends.size(); ++i) {
      if (schedule_.sends[i].start < Time{}) return "something is sent before the beginning";
      by_piece_[schedule_.sends[i].piece].push_back(i);
    }
    for (std::uint32_t group = 0; group < schedule_.groups.size(); ++group) {
      Holdings holdings(schedule_.groups[group], fabric_.node_count());
      for (std::uint32_t piece = 0; piece < schedule_.pieces.size(); ++piece) {
        if (schedule_.pieces[piece].group != group) continue;
        if (std::string wrong = of_piece(piece, holdings); !wrong.empty()) return wrong;
      }
    }
    return of_wires();
  }

 private:
  [[nodiscard]] std::string name(NodeIndex node) const { return fabric_.topology->name(node); }

  [[nodiscard]] std::string of_way(const Route& route) const {
    NodeIndex at = route.from;
    Time latency{};
    for (const std::uint32_t wire : schedule_.wires_of(route)) {
      if (fabric_.wires[wire].from != at) return "a way is no way: it breaks at " + name(at);
      at = fabric_.wires[wire].to;
      latency += fabric_.wires[wire].latency;
    }
    if (at != route.to || route.count == 0 || route.rate < 1 || latency != route.latency)
      return fmt::format("the way from {} to {} is not what it says", name(route.from),
                         name(route.to));
    return {};
  }

  std::string of_piece(std::uint32_t piece, Holdings& holdings) {
    const Piece& one = schedule_.pieces[piece];
    holdings.begin(one);
    struct Event {
      Time at;
      bool starts;
      std::uint32_t send;
      auto operator<=>(const Event&) const = default;
    };
    std::vector<Event> events;
    for (const std::uint32_t i : by_piece_[piece]) {
      events.push_back({schedule_.sends[i].start, true, i});
      events.push_back({schedule_.arrival(schedule_.sends[i]), false, i});
    }
    std::sort(events.begin(), events.end());
    std::map<std::uint32_t, std::vector<std::uint64_t>> flying;
    for (const Event& event : events) {
      const Send& send = schedule_.sends[event.send];
      const Route& route = schedule_.routes[send.route];
      if (event.starts) {
        flying[event.send] = holdings.copy(route.from);
        if (Holdings::count(flying[event.send]) == 0)
          return fmt::format("{} sends piece {} at {} without having it", name(route.from), piece,
                             format_time(event.at));
      } else {
        if (!holdings.take(route.to, flying[event.send], send.reduces != 0))
          return fmt::format("{} gets piece {} twice, the second time from {} at {}",
                             name(route.to), piece, name(route.from), format_time(event.at));
        flying.erase(event.send);
      }
    }
    const Group& group = schedule_.groups[one.group];
    const std::span<const NodeIndex> wanted =
        one.to == kAllMembers ? std::span(group.members) : std::span(&one.to, 1);
    for (const NodeIndex node : wanted) {
      if (!holdings.complete(node))
        return fmt::format("{} never has all of piece {}", name(node), piece);
    }
    return {};
  }

  [[nodiscard]] std::string of_wires() const {
    struct Change {
      Time at;
      std::int64_t rate;  // what ends comes before what begins
      auto operator<=>(const Change&) const = default;
    };
    std::vector<std::vector<Change>> changes(fabric_.wires.size());
    for (const Send& send : schedule_.sends) {
      const Route& route = schedule_.routes[send.route];
      Time at = send.start;
      const Time duration = schedule_.duration(send);
      for (const std::uint32_t wire : schedule_.wires_of(route)) {
        changes[wire].push_back({at, route.rate});
        changes[wire].push_back({at + duration, -route.rate});
        at += fabric_.wires[wire].latency;
      }
    }
    for (std::size_t wire = 0; wire < changes.size(); ++wire) {
      std::sort(changes[wire].begin(), changes[wire].end());
      std::int64_t rate = 0;
      for (const Change& change : changes[wire]) {
        rate += change.rate;
        if (static_cast<double>(rate) > fabric_.wires[wire].capacity)
          return fmt::format("{} carries more than it can at {}",
                             fabric_.topology->link_name(fabric_.wires[wire].link),
                             format_time(change.at));
      }
    }
    return {};
  }

  const FabricState& fabric_;
  const Schedule& schedule_;
  std::vector<std::vector<std::uint32_t>> by_piece_;
};

}  // namespace

std::string schedule_error(const FabricState& fabric, const Schedule& schedule) {
  return Check(fabric, schedule).run();
}

}  // namespace orrery::synthesis
