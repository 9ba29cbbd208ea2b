// SPDX-License-Identifier: Apache-2.0
//
// Decides which communications the ranks of a converted job execute together, so that a simulation
// cannot deadlock. It follows the communications through all ranks as a simulator does, and gives
// up those that never become ready on all ranks.
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
struct SharedComm {
  std::vector<Participant> members;  ///< ascending by place
  std::uint32_t ready = 0;           ///< members that have reached it
  std::uint32_t when = kNone;        ///< its number in the order of completion
  bool is_joint = false;
};

/// Communications that all their ranks begin in the same order.
struct CommSequence {
  std::vector<Participant> last;
  std::uint32_t number;  ///< value of JobComm::subgroup_or_tag
};

class Order {
 public:
  Order(const std::vector<RankComms>& ranks, Job& job) : ranks_(ranks), job_(job) {}

  void run() {
    find_uses();
    find_shared_comms();
    follow();
    assign_subgroups();
  }

 private:
  void find_uses();
  void find_shared_comms();
  [[nodiscard]] bool can_execute_jointly(const SharedComm& comm) const;
  [[nodiscard]] bool is_pair(const JobComm& a, const JobComm& b, const SharedComm& comm) const;
  void equalize_sizes(const SharedComm& comm);
  void link();
  void follow();
  void reach(std::uint32_t use);
  void complete(std::uint32_t use) { completed_.push_back(use); }
  void give_up(std::uint32_t number);
  void assign_subgroups();
  std::uint32_t new_subgroup_or_tag(const SharedComm& comm, bool message, std::size_t number);
  [[nodiscard]] bool follows(const Participant& later, const Participant& earlier) const;
  [[nodiscard]] std::string line_of(const Participant& member) const;

  [[nodiscard]] JobComm& use(const Participant& member) const {
    return job_.comms[member.place][member.use];
  }
  [[nodiscard]] std::tuple<bool, std::uint32_t, std::uint32_t> key(std::uint32_t number) const {
    const SharedComm& comm = shared_comms_[number];
    return {!job_.group_guessed[use(comm.members[0]).group], comm.ready, number};
  }

  const std::vector<RankComms>& ranks_;
  Job& job_;
  std::vector<std::uint32_t> first_;              // per place (+1): index of its first use
  std::vector<const CommClock*> clock_;           // per use, or null
  std::vector<Participant> member_;               // per use
  std::vector<std::uint32_t> shared_comm_of_;     // per use, or kNone
  std::vector<std::vector<std::uint32_t>> next_;  // per use: the uses that wait for it
  std::vector<std::uint32_t> waits_;              // per use: number of uses that it waits for
  std::vector<SharedComm> shared_comms_;
  std::deque<std::uint32_t> completed_;
  std::set<std::tuple<bool, std::uint32_t, std::uint32_t>> waiting_;  // reached by some members
  std::uint32_t completed_count_ = 0;
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
  shared_comm_of_.assign(clock_.size(), kNone);
}

void Order::find_shared_comms() {
  for (const CommChannel& channel : comm_channels(job_)) {
    std::map<std::uint32_t, SharedComm> at;  // by sequence
    for (std::size_t m = 0; m < channel.places.size(); ++m) {
      for (const std::uint32_t u : channel.uses[m]) {
        const JobComm& found = job_.comms[channel.places[m]][u];
        if (found.match == Match::matched)
          at[found.sequence].members.push_back({channel.places[m], u});
      }
    }
    for (auto& [sequence, comm] : at) {
      if (!can_execute_jointly(comm)) continue;
      comm.is_joint = true;
      for (const Participant& member : comm.members)
        shared_comm_of_[first_[member.place] + member.use] =
            static_cast<std::uint32_t>(shared_comms_.size());
      equalize_sizes(comm);
      shared_comms_.push_back(std::move(comm));
    }
  }
}

bool Order::can_execute_jointly(const SharedComm& comm) const {
  const JobComm& first = use(comm.members[0]);
  if (is_message(first.kind))
    return comm.members.size() == 2 && is_pair(first, use(comm.members[1]), comm);
  const auto& ranks = job_.groups[first.group].ranks;
  return std::all_of(comm.members.begin(), comm.members.end(), [&](const Participant& member) {
    const JobComm& found = use(member);
    const std::uint32_t rank = job_.ranks[member.place].rank;
    const bool is_member =
        ranks.empty() || std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
    return is_member && is_operation(found.kind) && found.kind == first.kind && found.bytes >= 0;
  });
}

bool Order::is_pair(const JobComm& a, const JobComm& b, const SharedComm& comm) const {
  const auto rank = [&](std::size_t m) {
    return static_cast<std::int64_t>(job_.ranks[comm.members[m].place].rank);
  };
  return a.kind != b.kind && is_message(b.kind) && a.bytes >= 0 && a.bytes == b.bytes &&
         a.peer == rank(1) && b.peer == rank(0);
}

/// Sets the size to the maximum over the ranks: simulated ranks exchange equal pieces, and all wait
/// for the largest.
void Order::equalize_sizes(const SharedComm& comm) {
  std::int64_t most = 0;
  for (const Participant& member : comm.members) most = std::max(most, use(member).bytes);
  for (const Participant& member : comm.members) use(member).size = most;
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
    if (waits_[u] == 0) reach(u);
  }
  for (;;) {
    while (!completed_.empty()) {
      const std::uint32_t u = completed_.front();
      completed_.pop_front();
      for (const std::uint32_t later : next_[u]) {
        if (--waits_[later] == 0) reach(later);
      }
    }
    if (waiting_.empty()) break;
    give_up(std::get<2>(*waiting_.begin()));
  }
}

void Order::reach(std::uint32_t u) {
  const std::uint32_t number = shared_comm_of_[u];
  if (number == kNone || !shared_comms_[number].is_joint) return complete(u);
  SharedComm& comm = shared_comms_[number];
  waiting_.erase(key(number));
  ++comm.ready;
  if (comm.ready < comm.members.size()) {
    waiting_.insert(key(number));
    return;
  }
  comm.when = completed_count_++;
  for (const Participant& member : comm.members) complete(first_[member.place] + member.use);
}

/// Gives up a communication: some ranks wait in it for others, which wait for something later on
/// these ranks.
void Order::give_up(std::uint32_t number) {
  SharedComm& comm = shared_comms_[number];
  waiting_.erase(key(number));
  comm.is_joint = false;
  const Participant& any = comm.members[0];
  const bool guessed = job_.group_guessed[use(any).group];
  const Participant* arrived = nullptr;
  const Participant* missing = nullptr;
  for (const Participant& member : comm.members) {
    const std::uint32_t u = first_[member.place] + member.use;
    use(member).match = guessed ? Match::alone : Match::unmatched;
    const bool has_arrived = waits_[u] == 0;
    const Participant*& side = has_arrived ? arrived : missing;
    if (side == nullptr) side = &member;
    if (has_arrived) complete(u);
  }
  --job_.matched;
  count_match(job_, guessed ? Match::alone : Match::unmatched, use(any), label(job_, any.place), 1);
  constexpr std::size_t kMost = 64;
  if (guessed || arrived == nullptr || missing == nullptr || job_.group_conflicts.size() >= kMost)
    return;
  job_.group_conflicts.push_back(
      {"ranks wait for each other", line_of(*arrived),
       line_of(*missing) + ", after a communication that the other rank has not begun"});
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

void Order::assign_subgroups() {
  for (const graph::ProcessGroup& group : job_.groups) names_.insert(group.name);
  std::vector<std::uint32_t> order;
  for (std::uint32_t e = 0; e < shared_comms_.size(); ++e) {
    if (shared_comms_[e].is_joint) order.push_back(e);
  }
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return shared_comms_[a].when < shared_comms_[b].when; });
  // Message: sender and bytes; collective: group. And the places of all members.
  using Key = std::tuple<bool, std::uint32_t, std::int64_t, std::vector<std::uint32_t>>;
  std::map<Key, std::vector<CommSequence>> sequences;
  for (const std::uint32_t e : order) {
    const SharedComm& comm = shared_comms_[e];
    const JobComm& first = use(comm.members[0]);
    const bool message = is_message(first.kind);
    std::vector<std::uint32_t> places;
    for (const Participant& member : comm.members) places.push_back(member.place);
    const bool is_send = first.kind == CommKind::send;
    auto& list = sequences[message ? Key{true, is_send ? 1 : 0, first.bytes, places}
                                   : Key{false, first.group, 0, places}];
    auto sequence = std::find_if(list.begin(), list.end(), [&](const CommSequence& earlier) {
      for (std::size_t m = 0; m < earlier.last.size(); ++m) {
        if (!follows(comm.members[m], earlier.last[m])) return false;
      }
      return true;
    });
    if (sequence == list.end()) {
      list.push_back({{}, new_subgroup_or_tag(comm, message, list.size())});
      sequence = list.end() - 1;
    }
    sequence->last = comm.members;
    for (const Participant& member : comm.members) {
      use(member).executed_jointly = true;
      use(member).subgroup_or_tag = sequence->number;
    }
  }
}

std::uint32_t Order::new_subgroup_or_tag(const SharedComm& comm, bool message, std::size_t number) {
  if (message) return number == 0 ? kNone : static_cast<std::uint32_t>(number);
  const graph::ProcessGroup& group = job_.groups[use(comm.members[0]).group];
  std::set<std::uint32_t> inside, here;
  for (const Participant& member : comm.members) inside.insert(job_.ranks[member.place].rank);
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
  job_.subgroups.push_back({name, std::move(ranks)});
  return static_cast<std::uint32_t>(job_.subgroups.size() - 1);
}

}  // namespace

void make_order_consistent(const std::vector<RankComms>& ranks, Job& job) {
  Order(ranks, job).run();
}

}  // namespace orrery::intake
