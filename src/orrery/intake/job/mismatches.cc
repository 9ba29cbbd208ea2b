// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::CommKind;

class Comparison {
 public:
  Comparison(const Job& job, std::size_t most) : job_(job), most_(most) {}

  std::vector<Mismatch> run() {
    for (const Mismatch& conflict : job_.group_conflicts) add(conflict);
    compare_steps();
    for (std::uint32_t place = 0; place < job_.comms.size(); ++place) compare_members(place);
    for (const CommChannel& channel : comm_channels(job_)) {
      if (full()) break;
      compare(channel);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const TimedMismatch& a, const TimedMismatch& b) { return a.at < b.at; });
    std::vector<Mismatch> out;
    for (TimedMismatch& mismatch : found_) {
      if (out.size() < most_) out.push_back(std::move(mismatch.what));
    }
    return out;
  }

 private:
  struct TimedMismatch {
    Time at{};
    Mismatch what;
  };
  /// Stops at 16 times the requested number: one missing communication at the start causes many
  /// differences, and this is enough to sort from.
  [[nodiscard]] bool full() const { return found_.size() >= 16 * std::max<std::size_t>(most_, 16); }
  void add(Mismatch what, Time at = Time(-1)) { found_.push_back({at, std::move(what)}); }

  [[nodiscard]] std::string line_of(std::uint32_t place, const JobComm& use) const {
    std::string text = fmt::format("{}: {} #{}", label(job_, place), describe(use), use.sequence);
    if (use.kind == CommKind::send || use.kind == CommKind::recv) {
      text += fmt::format(" {} rank {}", use.kind == CommKind::send ? "to" : "from",
                          use.peer < 0 ? std::string("?") : std::to_string(use.peer));
    }
    return text + fmt::format(" in group '{}', {} at {:.3f} ms", job_.groups[use.group].name,
                              use.name, static_cast<double>(use.start.count()) / 1e9);
  }

  void compare_steps() {
    for (std::size_t p = 1; p < job_.steps.size(); ++p) {
      if (job_.steps[p].size() == job_.steps[0].size()) continue;
      const auto text = [&](std::size_t place) {
        return fmt::format("{}: {} iterations", label(job_, place), job_.steps[place].size());
      };
      add({"numbers of iterations differ", text(0), text(p)});
    }
  }

  /// Finds communications in groups of which the rank is not a member, one per group.
  void compare_members(std::uint32_t place) {
    if (job_.ranks[place].rank_from == "order") return;  // its rank is only guessed
    std::uint32_t last = profile::kNone;
    for (const JobComm& use : job_.comms[place]) {  // by group
      if (use.group == last) continue;
      last = use.group;
      const std::vector<std::uint32_t>& ranks = job_.groups[use.group].ranks;
      if (ranks.empty() ||
          std::find(ranks.begin(), ranks.end(), job_.ranks[place].rank) != ranks.end())
        continue;
      constexpr std::size_t kMost = 16;
      const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(std::min(ranks.size(), kMost));
      add({"a rank communicates in a group that it does not belong to", line_of(place, use),
           fmt::format("group '{}' has ranks {}{}", job_.groups[use.group].name,
                       fmt::join(ranks.begin(), end, ", "), end == ranks.end() ? "" : ", …")},
          use.start);
    }
  }

  struct Member {
    std::uint32_t place;
    const JobComm* use;
  };

  void compare(const CommChannel& channel) {
    if (channel.places.size() < 2 || job_.group_guessed[channel.group]) return;
    std::map<std::uint32_t, std::vector<Member>> at;
    for (std::size_t m = 0; m < channel.places.size(); ++m) {
      for (const std::uint32_t u : channel.uses[m]) {
        const JobComm& use = job_.comms[channel.places[m]][u];
        if (use.match != Match::alone) at[use.sequence].push_back({channel.places[m], &use});
      }
    }
    for (const auto& [sequence, members] : at) {
      if (full()) return;
      const Member& first = members.front();
      for (std::size_t i = 1; i < members.size(); ++i) compare_pair(first, members[i]);
      if (members.size() < channel.places.size()) report_missing(channel, sequence, members);
    }
  }

  void compare_pair(const Member& left, const Member& right) {
    std::string what;
    if (!same_kind(*left.use, *right.use)) {
      what = "types differ";
    } else if (!same_bytes(*left.use, *right.use)) {
      what = "bytes differ";
    } else {
      return;
    }
    add({what, line_of(left.place, *left.use), line_of(right.place, *right.use)}, left.use->start);
  }

  /// Reports the first member without the communication at this place of the channel, and what it
  /// has there.
  void report_missing(const CommChannel& channel, std::uint32_t sequence,
                      const std::vector<Member>& members) {
    const Member& first = members.front();
    for (std::size_t m = 0; m < channel.places.size(); ++m) {
      const std::uint32_t place = channel.places[m];
      if (std::any_of(members.begin(), members.end(),
                      [&](const Member& member) { return member.place == place; }))
        continue;
      const bool send = first.use->kind == CommKind::send;
      const bool message = send || first.use->kind == CommKind::recv;
      add({message ? (send ? "no receive for this send" : "no send for this receive")
                   : "a rank does not take part in this communication",
           line_of(first.place, *first.use),
           fmt::format("{}: {} {} in group '{}' here, none is #{}", label(job_, place),
                       channel.uses[m].size(), message ? "matching messages" : "collectives",
                       job_.groups[channel.group].name, sequence)},
          first.use->start);
      return;
    }
  }

  const Job& job_;
  std::size_t most_;
  std::vector<TimedMismatch> found_;
};

}  // namespace

std::vector<Mismatch> mismatches(const Job& job, std::size_t most) {
  return Comparison(job, most).run();
}

}  // namespace orrery::intake
