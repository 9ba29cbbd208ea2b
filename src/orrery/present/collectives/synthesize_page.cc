// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/synthesize_page.h"

#include <algorithm>
#include <tuple>

#include "orrery/core/text/rank_list.h"
#include "orrery/present/collectives/synthesize_answer.h"

namespace orrery::present {

using report::kNotShown;
using report::PageSchedule;
using study::CollectiveSynthesisAnswer;
using synthesis::NodeIndex;
using synthesis::Piece;
using synthesis::Route;
using synthesis::Schedule;
using synthesis::Send;

namespace {

/// Things that the page shows, numbered anew.
class ShownItems {
 public:
  explicit ShownItems(std::size_t all) : places_(all, kNotShown) {}

  void add(std::uint32_t one) {
    if (places_[one] != kNotShown) return;
    places_[one] = static_cast<std::uint32_t>(all_.size());
    all_.push_back(one);
  }
  [[nodiscard]] std::uint32_t place(std::uint32_t one) const { return places_[one]; }
  [[nodiscard]] bool has(std::uint32_t one) const { return places_[one] != kNotShown; }
  [[nodiscard]] const std::vector<std::uint32_t>& all() const { return all_; }

 private:
  std::vector<std::uint32_t> places_, all_;
};

/// A send that a node got.
struct Arrival {
  NodeIndex at;
  Time time;
  std::uint32_t send;
};

class SchedulePageBuilder {
 public:
  SchedulePageBuilder(const CollectiveSynthesisAnswer& answer, std::size_t max_sends)
      : answer_(answer),
        schedule_(answer.made.schedule),
        max_sends_(max_sends),
        loads_(synthesis::link_loads(answer.fabric_state, schedule_)),
        wires_(answer.fabric_state.wires.size()),
        nodes_(answer.fabric_state.node_count()),
        routes_(schedule_.routes.size()),
        pieces_(schedule_.pieces.size()),
        sends_(schedule_.sends.size()) {}

  PageSchedule make() {
    choose_links();
    choose_sends();
    add_links();
    add_routes();
    add_pieces();
    add_sends();
    add_summary();
    return std::move(page_);
  }

 private:
  [[nodiscard]] double busy(std::uint32_t wire) const {
    return static_cast<double>(loads_[wire]) / answer_.fabric_state.wires[wire].capacity;
  }
  std::uint32_t node(NodeIndex index) {
    if (index == synthesis::kAllMembers) return kNotShown;
    nodes_.add(index);
    return nodes_.place(index);
  }

  /// Used links, those that bind first, then the busiest.
  std::vector<std::uint32_t> links_in_order() {
    binds_.resize(loads_.size());
    for (const std::uint32_t wire : answer_.made.bound.binding_cut.wires) binds_[wire] = true;
    std::vector<std::uint32_t> order;
    for (std::uint32_t wire = 0; wire < loads_.size(); ++wire) {
      if (loads_[wire] > 0) order.push_back(wire);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(!binds_[a], -busy(a)) < std::pair(!binds_[b], -busy(b));
    });
    return order;
  }

  void choose_links() {
    std::vector<std::size_t> sends_on(schedule_.routes.size());
    for (const Send& send : schedule_.sends) ++sends_on[send.route];
    std::vector<std::vector<std::uint32_t>> routes_over(loads_.size());
    for (std::uint32_t route = 0; route < schedule_.routes.size(); ++route) {
      for (const std::uint32_t wire : schedule_.wires_of(schedule_.routes[route]))
        routes_over[wire].push_back(route);
    }
    const std::vector<std::uint32_t> order = links_in_order();
    std::size_t taken = 0;
    std::vector<bool> chosen(loads_.size()), has(schedule_.routes.size());
    for (const std::uint32_t wire : order) {
      std::size_t more = 0;
      for (const std::uint32_t route : routes_over[wire]) more += has[route] ? 0 : sends_on[route];
      if (taken + more > max_sends_) continue;
      taken += more;
      chosen[wire] = true;
      for (const std::uint32_t route : routes_over[wire]) has[route] = true;
    }
    for (std::uint32_t wire = 0; wire < chosen.size(); ++wire) {
      if (chosen[wire]) wires_.add(wire);
    }
    page_.links_left_out = order.size() - wires_.all().size();
  }

  void choose_sends() {
    for (std::uint32_t i = 0; i < schedule_.sends.size(); ++i) {
      const Send& send = schedule_.sends[i];
      const auto along = schedule_.wires_of(schedule_.routes[send.route]);
      if (std::none_of(along.begin(), along.end(), [&](auto wire) { return wires_.has(wire); }))
        continue;
      sends_.add(i);
      routes_.add(send.route);
      pieces_.add(send.piece);
    }
    page_.sends_left_out = schedule_.sends.size() - sends_.all().size();
  }

  void add_links() {
    for (const std::uint32_t wire : wires_.all()) {
      const synthesis::Wire& one = answer_.fabric_state.wires[wire];
      page_.links.push_back({answer_.fabric_state.topology->link_name(one.link), node(one.from),
                             node(one.to), one.capacity, loads_[wire], binds_[wire]});
    }
  }

  void add_routes() {
    for (const std::uint32_t number : routes_.all()) {
      const Route& route = schedule_.routes[number];
      PageSchedule::Route& shown = page_.routes.emplace_back();
      shown = {node(route.from), node(route.to), route.rate, route.latency, {}};
      Time after{};
      for (const std::uint32_t wire : schedule_.wires_of(route)) {
        if (wires_.has(wire)) shown.links.emplace_back(wires_.place(wire), after);
        after += answer_.fabric_state.wires[wire].latency;
      }
    }
  }

  void add_pieces() {
    // The node that first forwards the complete sum owns it.
    std::vector<NodeIndex> forwarded_by(schedule_.pieces.size(), synthesis::kAllMembers);
    for (const Send& send : schedule_.sends) {
      if (send.reduces == 0 && forwarded_by[send.piece] == synthesis::kAllMembers)
        forwarded_by[send.piece] = schedule_.routes[send.route].from;
    }
    for (const std::uint32_t number : pieces_.all()) {
      const Piece& piece = schedule_.pieces[number];
      const NodeIndex owner = piece.from != synthesis::kAllMembers ? piece.from
                              : piece.to != synthesis::kAllMembers ? piece.to
                                                                   : forwarded_by[number];
      page_.pieces.push_back(
          {piece.group, node(piece.from), node(piece.to), node(owner), piece.offset, piece.bytes});
    }
  }

  void add_sends() {
    for (const std::uint32_t number : sends_.all()) {
      const Send& send = schedule_.sends[number];
      page_.sends.push_back({pieces_.place(send.piece), routes_.place(send.route),
                             send.reduces != 0, send.start, schedule_.duration(send), Time{},
                             kNotShown});
    }
    std::vector<std::vector<std::uint32_t>> by_piece(pieces_.all().size());
    for (std::uint32_t i = 0; i < schedule_.sends.size(); ++i) {
      const std::uint32_t piece = schedule_.sends[i].piece;
      if (pieces_.has(piece)) by_piece[pieces_.place(piece)].push_back(i);
    }
    for (const auto& sends : by_piece) find_deliveries(sends);
  }

  /// Of all sends of a piece: what its sender got last before it sent.
  void find_deliveries(const std::vector<std::uint32_t>& sends) {
    std::vector<Arrival> arrivals;
    for (const std::uint32_t i : sends) {
      const Send& send = schedule_.sends[i];
      arrivals.push_back({schedule_.routes[send.route].to, schedule_.arrival(send), i});
    }
    const auto key = [](const Arrival& one) { return std::tie(one.at, one.time, one.send); };
    std::sort(arrivals.begin(), arrivals.end(),
              [&](const Arrival& a, const Arrival& b) { return key(a) < key(b); });
    for (const std::uint32_t i : sends) {
      if (!sends_.has(i)) continue;
      const Send& send = schedule_.sends[i];
      const Arrival latest{schedule_.routes[send.route].from, send.start, kNotShown};
      const auto after =
          std::upper_bound(arrivals.begin(), arrivals.end(), latest,
                           [&](const Arrival& a, const Arrival& b) { return key(a) < key(b); });
      if (after == arrivals.begin() || std::prev(after)->at != latest.at) continue;
      PageSchedule::Send& shown = page_.sends[sends_.place(i)];
      shown.ready = std::prev(after)->time;
      shown.before = sends_.place(std::prev(after)->send);
    }
  }

  void add_summary() {
    page_.title = synthesis_title(answer_);
    report::Answer facts(page_.facts);
    state_synthesis(facts, answer_, {});
    page_.notes = answer_.notes;
    page_.time = answer_.made.time;
    page_.bound = answer_.made.bound.total;
    page_.cut = answer_.made.bound.binding_cut.name;
    for (const NodeIndex index : nodes_.all())
      page_.nodes.push_back(answer_.fabric_state.topology->name(index));
    std::vector<std::uint32_t> rank_at(answer_.fabric_state.node_count());
    for (std::uint32_t rank = 0; rank < answer_.fabric_state.rank_devices.size(); ++rank)
      rank_at[answer_.fabric_state.rank_devices[rank]] = rank;
    for (const synthesis::Group& group : schedule_.groups) {
      std::vector<std::uint32_t> ranks;
      for (const NodeIndex member : group.members) ranks.push_back(rank_at[member]);
      page_.groups.push_back({answer_.collective, format_ranks(ranks)});
    }
  }

  const CollectiveSynthesisAnswer& answer_;
  const Schedule& schedule_;
  std::size_t max_sends_;
  std::vector<std::int64_t> loads_;
  std::vector<bool> binds_;
  ShownItems wires_, nodes_, routes_, pieces_, sends_;
  PageSchedule page_;
};

}  // namespace

PageSchedule synthesis_page(const CollectiveSynthesisAnswer& answer,
                            const SynthesisPageOptions& options) {
  return SchedulePageBuilder(answer, options.max_sends).make();
}

}  // namespace orrery::present
