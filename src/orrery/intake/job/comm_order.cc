// SPDX-License-Identifier: Apache-2.0
//
// What ranks do together in a converted job. A run of it must come to its end, whatever the files
// say: communications are followed through all ranks as a simulator would do them, and one that
// never becomes ready everywhere is given up.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using profile::kNone;

struct Participant {
  std::uint32_t place;
  std::uint32_t use;
};

/// A communication of several ranks.
struct Meeting {
  std::vector<Participant> members;  ///< ascending by place
  std::uint32_t ready = 0;           ///< members that have come to it
  std::uint32_t when = kNone;        ///< the how manieth that came to pass
  bool together = false;
};

/// Communications that begin in one order on all their ranks.
struct Track {
  std::vector<Participant> last;
  std::uint32_t number;  ///< for JobComm::track
};

class Order {
 public:
  Order(const std::vector<RankComms>& ranks, Job& job) : ranks_(ranks), job_(job) {}

  void run() {
    find_uses();
    find_events();
    follow();
    spread_over_tracks();
  }

 private:
  void find_uses();
  void find_events();
  [[nodiscard]] bool can_be_together(const Meeting& event) const;
  [[nodiscard]] bool is_pair(const JobComm& a, const JobComm& b, const Meeting& event) const;
  void level_sizes(const Meeting& event);
  void link();
  void follow();
  void come_to(std::uint32_t use);
  void pass(std::uint32_t use) { passed_.push_back(use); }
  void give_up(std::uint32_t number);
  void spread_over_tracks();
  std::uint32_t new_track(const Meeting& event, bool message, std::size_t number);
  [[nodiscard]] bool follows(const Participant& later, const Participant& earlier) const;
  [[nodiscard]] std::string line_of(const Participant& member) const;

  [[nodiscard]] JobComm& use(const Participant& member) const {
    return job_.comms[member.place][member.use];
  }
  [[nodiscard]] std::tuple<bool, std::uint32_t, std::uint32_t> key(std::uint32_t number) const {
    const Meeting& event = events_[number];
    return {!job_.group_guessed[use(event.members[0]).group], event.ready, number};
  }

  const std::vector<RankComms>& ranks_;
  Job& job_;
  std::vector<std::uint32_t> first_;              // per place (+1): its first use among all
  std::vector<const CommClock*> clock_;           // per use, or null
  std::vector<Participant> member_;               // per use
  std::vector<std::uint32_t> event_of_;           // per use, or kNone
  std::vector<std::vector<std::uint32_t>> next_;  // per use: those that wait for it
  std::vector<std::uint32_t> waits_;              // per use: for so many
  std::vector<Meeting> events_;
  std::deque<std::uint32_t> passed_;
  std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> waiting_;  // come to by some members
  std::uint32_t count_ = 0;
  std::set<std::string> names_;
};

void Order::find_uses() {
  first_.push_back(0);
  for (std::uint32_t place = 0; place < job_.comms.size(); ++place) {
    const auto& clocks = ranks_[place].clocks;
    for (std::uint32_t u = 0; u < job_.comms[place].size(); ++u) {
      const std::uint64_t node = job_.comms[place][u].node;
      const auto at = std::lower_bound(
          clocks.begin(), clocks.end(), node,
          [](const CommClock& clock, std::uint64_t id) { return clock.node < id; });
      clock_.push_back(at != clocks.end() && at->node == node ? &*at : nullptr);
      member_.push_back({place, u});
      job_.comms[place][u].size = job_.comms[place][u].bytes;
    }
    first_.push_back(static_cast<std::uint32_t>(clock_.size()));
  }
  event_of_.assign(clock_.size(), kNone);
}

void Order::find_events() {
  for (const CommLine& line : comm_lines(job_)) {
    std::map<std::uint32_t, Meeting> at;  // by sequence
    for (std::size_t m = 0; m < line.places.size(); ++m) {
      for (const std::uint32_t u : line.uses[m]) {
        const JobComm& found = job_.comms[line.places[m]][u];
        if (found.match == Match::matched)
          at[found.sequence].members.push_back({line.places[m], u});
      }
    }
    for (auto& [sequence, event] : at) {
      if (!can_be_together(event)) continue;
      event.together = true;
      for (const Participant& member : event.members)
        event_of_[first_[member.place] + member.use] = static_cast<std::uint32_t>(events_.size());
      level_sizes(event);
      events_.push_back(std::move(event));
    }
  }
}

bool Order::can_be_together(const Meeting& event) const {
  const JobComm& first = use(event.members[0]);
  if (is_message(first.kind))
    return event.members.size() == 2 && is_pair(first, use(event.members[1]), event);
  const auto& ranks = job_.groups[first.group].ranks;
  return std::all_of(event.members.begin(), event.members.end(), [&](const Participant& member) {
    const JobComm& found = use(member);
    const std::uint32_t rank = job_.ranks[member.place].rank;
    const bool inside = ranks.empty() || std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    const bool known = found.kind != CommKind::unknown && found.kind != CommKind::coalesced &&
                       found.kind != CommKind::wait;
    return inside && known && found.kind == first.kind && found.bytes >= 0;
  });
}

bool Order::is_pair(const JobComm& a, const JobComm& b, const Meeting& event) const {
  const auto rank = [&](std::size_t m) {
    return static_cast<std::int64_t>(job_.ranks[event.members[m].place].rank);
  };
  return a.kind != b.kind && is_message(b.kind) && a.bytes >= 0 && a.bytes == b.bytes &&
         a.peer == rank(1) && b.peer == rank(0);
}

/// Simulated ranks exchange equal pieces: where ranks contribute different amounts, the largest
/// counts, for which all wait.
void Order::level_sizes(const Meeting& event) {
  std::int64_t most = 0;
  for (const Participant& member : event.members) most = std::max(most, use(member).bytes);
  for (const Participant& member : event.members) use(member).size = most;
}

void Order::link() {
  next_.resize(clock_.size());
  waits_.assign(clock_.size(), 0);
  for (std::size_t place = 0; place + 1 < first_.size(); ++place) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> at;  // chain, position
    for (std::uint32_t u = first_[place]; u < first_[place + 1]; ++u) {
      if (clock_[u] != nullptr) at[{clock_[u]->chain, clock_[u]->position}] = u;
    }
    for (std::uint32_t u = first_[place]; u < first_[place + 1]; ++u) {
      if (clock_[u] == nullptr) continue;
      const auto& seen = clock_[u]->seen;
      for (std::uint32_t chain = 0; chain < seen.size(); ++chain) {
        const auto before = seen[chain] == 0 ? at.end() : at.find({chain, seen[chain] - 1});
        if (before == at.end() || before->second == u) continue;
        next_[before->second].push_back(u);
        ++waits_[u];
      }
    }
  }
}

void Order::follow() {
  link();
  for (std::uint32_t u = 0; u < waits_.size(); ++u) {
    if (waits_[u] == 0) come_to(u);
  }
  for (;;) {
    while (!passed_.empty()) {
      const std::uint32_t u = passed_.front();
      passed_.pop_front();
      for (const std::uint32_t later : next_[u]) {
        if (--waits_[later] == 0) come_to(later);
      }
    }
    if (waiting_.empty()) break;
    give_up(std::get<2>(*waiting_.begin()));
  }
}

void Order::come_to(std::uint32_t u) {
  const std::uint32_t number = event_of_[u];
  if (number == kNone || !events_[number].together) return pass(u);
  Meeting& event = events_[number];
  waiting_.erase(key(number));
  ++event.ready;
  if (event.ready < event.members.size()) {
    waiting_.insert(key(number));
    return;
  }
  event.when = count_++;
  for (const Participant& member : event.members) pass(first_[member.place] + member.use);
}

/// Some ranks wait for it, and others for what these would do behind it.
void Order::give_up(std::uint32_t number) {
  Meeting& event = events_[number];
  waiting_.erase(key(number));
  event.together = false;
  const Participant& any = event.members[0];
  const bool guessed = job_.group_guessed[use(any).group];
  const Participant* here = nullptr;
  const Participant* missing = nullptr;
  for (const Participant& member : event.members) {
    const std::uint32_t u = first_[member.place] + member.use;
    use(member).match = guessed ? Match::alone : Match::unmatched;
    const bool came = waits_[u] == 0;
    const Participant*& side = came ? here : missing;
    if (side == nullptr) side = &member;
    if (came) pass(u);
  }
  --job_.matched;
  count_match(job_, guessed ? Match::alone : Match::unmatched, use(any), label(job_, any.place), 1);
  constexpr std::size_t kMost = 64;
  if (guessed || here == nullptr || missing == nullptr || job_.group_conflicts.size() >= kMost)
    return;
  job_.group_conflicts.push_back({"ranks wait for each other", line_of(*here),
                                  line_of(*missing) + ", behind one that the other has not begun"});
}

std::string Order::line_of(const Participant& member) const {
  const JobComm& found = use(member);
  return fmt::format("{}: {} #{} in group '{}', {} at {:.3f} ms", label(job_, member.place),
                     describe(found), found.sequence, job_.groups[found.group].name, found.name,
                     static_cast<double>(found.start.count()) / 1e9);
}

bool Order::follows(const Participant& later, const Participant& earlier) const {
  const CommClock* a = clock_[first_[later.place] + later.use];
  const CommClock* b = clock_[first_[earlier.place] + earlier.use];
  return a == nullptr || b == nullptr || a->after(*b);
}

void Order::spread_over_tracks() {
  for (const GroupName& group : job_.groups) names_.insert(group.name);
  std::vector<std::uint32_t> order;
  for (std::uint32_t e = 0; e < events_.size(); ++e) {
    if (events_[e].together) order.push_back(e);
  }
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return events_[a].when < events_[b].when; });
  // Of messages: sender and bytes; of collectives: the group. And everybody's place.
  using Key = std::tuple<bool, std::uint32_t, std::int64_t, std::vector<std::uint32_t>>;
  std::map<Key, std::vector<Track>> tracks;
  for (const std::uint32_t e : order) {
    const Meeting& event = events_[e];
    const JobComm& first = use(event.members[0]);
    const bool message = is_message(first.kind);
    std::vector<std::uint32_t> places;
    for (const Participant& member : event.members) places.push_back(member.place);
    const bool forth = first.kind == CommKind::send;
    auto& list = tracks[message ? Key{true, forth ? 1 : 0, first.bytes, places}
                                : Key{false, first.group, 0, places}];
    auto track = std::find_if(list.begin(), list.end(), [&](const Track& one) {
      for (std::size_t m = 0; m < one.last.size(); ++m) {
        if (!follows(event.members[m], one.last[m])) return false;
      }
      return true;
    });
    if (track == list.end()) {
      list.push_back({{}, new_track(event, message, list.size())});
      track = list.end() - 1;
    }
    track->last = event.members;
    for (const Participant& member : event.members) {
      use(member).together = true;
      use(member).track = track->number;
    }
  }
}

std::uint32_t Order::new_track(const Meeting& event, bool message, std::size_t number) {
  if (message) return number == 0 ? kNone : static_cast<std::uint32_t>(number);
  const GroupName& group = job_.groups[use(event.members[0]).group];
  std::set<std::uint32_t> inside, here;
  for (const Participant& member : event.members) inside.insert(job_.ranks[member.place].rank);
  for (const RankFiles& files : job_.ranks) here.insert(files.rank);
  std::vector<std::uint32_t> ranks;
  std::size_t expected = 0;
  for (const std::uint32_t rank : group.ranks) {
    if (inside.count(rank) != 0) ranks.push_back(rank);
    expected += here.count(rank);
  }
  if (group.ranks.empty()) {
    ranks.assign(inside.begin(), inside.end());
    expected = here.size();
  }
  if (number == 0 && ranks.size() == expected) return kNone;
  std::string name;
  for (std::size_t i = number + 1; name.empty() || !names_.insert(name).second; ++i)
    name = fmt::format("{}/{}", group.name, i);
  job_.tracks.push_back({name, std::move(ranks)});
  return static_cast<std::uint32_t>(job_.tracks.size() - 1);
}

}  // namespace

void make_order_consistent(const std::vector<RankComms>& ranks, Job& job) {
  Order(ranks, job).run();
}

}  // namespace orrery::intake
