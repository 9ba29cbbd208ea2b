// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/schedules/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/core/text/units.h"

namespace orrery::synthesis {

Time Schedule::duration(const Send& send) const {
  return transfer_duration(pieces[send.piece].bytes, routes[send.route].rate);
}

Time Schedule::end() const {
  Time last{}, duration{};
  std::int64_t bytes = 0, rate = 0;  // bytes and rate of `duration`: most sends have the same
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
    const std::uint32_t route_a = a.route, route_b = b.route;
    return std::tie(a.start, a.piece, route_a) < std::tie(b.start, b.piece, route_b);
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
  // By piece: since sends are sorted by start, a device's sends of a piece follow the send that
  // delivered it.
  std::vector<std::vector<std::uint32_t>> by_piece(schedule.pieces.size());
  for (std::uint32_t i = 0; i < schedule.sends.size(); ++i)
    by_piece[schedule.sends[i].piece].push_back(i);
  std::uint32_t maximum = 0;
  struct Delivery {
    Time at;
    std::uint32_t depth;
  };
  std::unordered_map<NodeIndex, std::vector<Delivery>> deliveries;
  for (const auto& sends : by_piece) {
    deliveries.clear();
    for (const std::uint32_t i : sends) {
      const Send& send = schedule.sends[i];
      const Route& route = schedule.routes[send.route];
      std::uint32_t depth = 1;
      for (const Delivery& one : deliveries[route.from]) {
        if (one.at <= send.start) depth = std::max(depth, one.depth + 1);
      }
      deliveries[route.to].push_back({schedule.arrival(send), depth});
      maximum = std::max(maximum, depth);
    }
  }
  return maximum;
}

// Replays a schedule and finds errors.

namespace {

/// The contributions to one piece that each device holds, one bit each.
class Holdings {
 public:
  Holdings(const Group& group, NodeIndex nodes) : group_(group), place_(nodes, kNone) {
    words_ = (group.members.size() + 63) / 64;
  }

  void begin(const Piece& piece) {
    for (const NodeIndex node : used_) place_[node] = kNone;
    used_.clear();
    bits_.clear();
    all_ = 0;
    if (piece.from == kAllMembers) {
      for (std::size_t i = 0; i < group_.members.size(); ++i)
        bits_of(group_.members[i])[i / 64] |= std::uint64_t{1} << (i % 64);
      all_ = group_.members.size();
    } else {
      bits_of(piece.from)[0] = 1;
      all_ = 1;
    }
  }
  [[nodiscard]] std::vector<std::uint64_t> copy(NodeIndex node) {
    const std::uint64_t* first = bits_of(node);
    return {first, first + words_};
  }
  [[nodiscard]] static std::size_t count(std::span<const std::uint64_t> bits) {
    std::size_t sum = 0;
    for (const std::uint64_t word : bits) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }
  [[nodiscard]] bool complete(NodeIndex node) { return count(copy(node)) == all_; }
  /// False: a contribution would count twice, or the receiver already holds all of it.
  bool receive(NodeIndex node, std::span<const std::uint64_t> what, bool reduces) {
    std::uint64_t* own = bits_of(node);
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
  std::uint64_t* bits_of(NodeIndex node) {
    if (place_[node] == kNone) {
      place_[node] = bits_.size();
      used_.push_back(node);
      bits_.resize(bits_.size() + words_);
    }
    return &bits_[place_[node]];
  }

  const Group& group_;
  std::vector<std::size_t> place_;  // start in bits_, by node
  std::vector<NodeIndex> used_;
  std::vector<std::uint64_t> bits_;
  std::size_t words_ = 0, all_ = 0;
};

class ScheduleCheck {
 public:
  ScheduleCheck(const FabricState& fabric, const Schedule& schedule)
      : fabric_(fabric), schedule_(schedule) {}

  std::string run() {
    for (const Route& route : schedule_.routes) {
      if (std::string wrong = check_route(route); !wrong.empty()) return wrong;
    }
    by_piece_.resize(schedule_.pieces.size());
    for (std::uint32_t i = 0; i < schedule_.sends.size(); ++i) {
      if (schedule_.sends[i].start < Time{}) return "a send starts before time 0";
      by_piece_[schedule_.sends[i].piece].push_back(i);
    }
    for (std::uint32_t group = 0; group < schedule_.groups.size(); ++group) {
      Holdings holdings(schedule_.groups[group], fabric_.node_count());
      for (std::uint32_t piece = 0; piece < schedule_.pieces.size(); ++piece) {
        if (schedule_.pieces[piece].group != group) continue;
        if (std::string wrong = check_piece(piece, holdings); !wrong.empty()) return wrong;
      }
    }
    return check_bandwidth();
  }

 private:
  [[nodiscard]] std::string name(NodeIndex node) const { return fabric_.topology->name(node); }

  [[nodiscard]] std::string check_route(const Route& route) const {
    NodeIndex at = route.from;
    Time latency{};
    for (const std::uint32_t wire : schedule_.wires_of(route)) {
      if (fabric_.wires[wire].from != at) return "a path is broken at " + name(at);
      at = fabric_.wires[wire].to;
      latency += fabric_.wires[wire].latency;
    }
    if (at != route.to || route.count == 0 || route.rate < 1 || latency != route.latency)
      return fmt::format("the path from {} to {} does not match its values", name(route.from),
                         name(route.to));
    return {};
  }

  std::string check_piece(std::uint32_t piece, Holdings& holdings) {
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
    std::map<std::uint32_t, std::vector<std::uint64_t>> in_flight;
    for (const Event& event : events) {
      const Send& send = schedule_.sends[event.send];
      const Route& route = schedule_.routes[send.route];
      if (event.starts) {
        in_flight[event.send] = holdings.copy(route.from);
        if (Holdings::count(in_flight[event.send]) == 0)
          return fmt::format("{} sends piece {} at {} without having it", name(route.from), piece,
                             format_time(event.at));
      } else {
        if (!holdings.receive(route.to, in_flight[event.send], send.reduces != 0))
          return fmt::format("{} receives piece {} twice, the second time from {} at {}",
                             name(route.to), piece, name(route.from), format_time(event.at));
        in_flight.erase(event.send);
      }
    }
    const Group& group = schedule_.groups[one.group];
    const std::span<const NodeIndex> receivers =
        one.to == kAllMembers ? std::span(group.members) : std::span(&one.to, 1);
    for (const NodeIndex node : receivers) {
      if (!holdings.complete(node))
        return fmt::format("{} never receives all of piece {}", name(node), piece);
    }
    return {};
  }

  [[nodiscard]] std::string check_bandwidth() const {
    struct Change {
      Time at;
      std::int64_t rate;  // negative at the end of a send, so that ends precede starts
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
          return fmt::format("{} exceeds its bandwidth at {}",
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
  return ScheduleCheck(fabric, schedule).run();
}

}  // namespace orrery::synthesis
