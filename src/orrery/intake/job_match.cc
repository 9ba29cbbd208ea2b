// SPDX-License-Identifier: Apache-2.0
//
// Which communication of one rank is which of another: by the files' own numbers, or by order.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/intake/job_internal.h"

namespace orrery::intake {
namespace {

using profile::CommKind;

bool is_message(CommKind kind) { return kind == CommKind::send || kind == CommKind::recv; }

/// Kinds that tell too little to say who must take part.
bool is_loose(CommKind kind) {
  return kind == CommKind::coalesced || kind == CommKind::unknown || kind == CommKind::wait;
}

/// Which line a communication belongs to: group, 0 = collectives, 1 = loose ones, 2 = messages with
/// sender and receiver.
using LineKey = std::tuple<std::uint32_t, int, std::int64_t, std::int64_t>;

/// The members of a group that are here, as places; `all` when nothing lists them.
std::vector<std::uint32_t> places_of(const Job& job, std::uint32_t group,
                                     const std::map<std::uint32_t, std::uint32_t>& place_of) {
  std::vector<std::uint32_t> places;
  if (job.groups[group].ranks.empty()) {
    for (const auto& [rank, place] : place_of) places.push_back(place);
  }
  for (const std::uint32_t rank : job.groups[group].ranks) {
    const auto found = place_of.find(rank);
    if (found != place_of.end()) places.push_back(found->second);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

class Lines {
 public:
  explicit Lines(const Job& job) : job_(job) {
    for (std::uint32_t p = 0; p < job.ranks.size(); ++p)
      place_of_.try_emplace(job.ranks[p].rank, p);
    for (std::uint32_t g = 0; g < job.groups.size(); ++g)
      members_.push_back(places_of(job, g, place_of_));
  }

  std::vector<Line> collect() {
    for (const auto& [rank, place] : place_of_) {
      for (std::uint32_t u = 0; u < job_.comms[place].size(); ++u) add(place, u);
    }
    std::vector<Line> out;
    for (auto& [key, line] : lines_) {
      const bool guessed = job_.group_guessed[line.group] && std::get<1>(key) != 2;
      if (guessed) leave_only_users(line);
      out.push_back(std::move(line));
    }
    return out;
  }

 private:
  [[nodiscard]] LineKey key_of(std::uint32_t place, const CommUse& use) const {
    if (!is_message(use.kind)) return {use.group, is_loose(use.kind) ? 1 : 0, 0, 0};
    const std::int64_t self = job_.ranks[place].rank;
    std::int64_t peer = use.peer;
    const auto& ranks = job_.groups[use.group].ranks;
    if (peer < 0 && ranks.size() == 2) peer = ranks[0] == self ? ranks[1] : ranks[0];
    const bool send = use.kind == CommKind::send;
    if (peer < 0) return {use.group, 2, send ? self : -1 - self, send ? -1 - self : self};
    return {use.group, 2, send ? self : peer, send ? peer : self};
  }

  Line make(const LineKey& key) const {
    Line line;
    line.group = std::get<0>(key);
    const GroupName& group = job_.groups[line.group];
    if (std::get<1>(key) == 2) {
      for (const std::int64_t rank : {std::get<2>(key), std::get<3>(key)}) {
        const auto found =
            rank < 0 ? place_of_.end() : place_of_.find(static_cast<std::uint32_t>(rank));
        if (found == place_of_.end()) {
          line.absent_peers = true;
        } else if (line.places.empty() || line.places.front() != found->second) {
          line.places.push_back(found->second);
        }
      }
      std::sort(line.places.begin(), line.places.end());
    } else {
      line.places = members_[line.group];
      line.absent_peers =
          line.places.size() < (group.ranks.empty() ? job_.world_size : group.ranks.size());
    }
    line.uses.resize(line.places.size());
    return line;
  }

  void add(std::uint32_t place, std::uint32_t index) {
    const LineKey key = key_of(place, job_.comms[place][index]);
    auto found = lines_.find(key);
    if (found == lines_.end()) found = lines_.emplace(key, make(key)).first;
    Line& line = found->second;
    auto at = std::lower_bound(line.places.begin(), line.places.end(), place);
    if (at == line.places.end() || *at != place) {  // uses a group that it is no member of
      line.uses.insert(line.uses.begin() + (at - line.places.begin()),
                       std::vector<std::uint32_t>{});
      at = line.places.insert(at, place);
    }
    line.uses[static_cast<std::size_t>(at - line.places.begin())].push_back(index);
  }

  static void leave_only_users(Line& line) {
    std::size_t kept = 0;
    for (std::size_t m = 0; m < line.places.size(); ++m) {
      if (line.uses[m].empty()) continue;
      line.places[kept] = line.places[m];
      std::swap(line.uses[kept], line.uses[m]);
      ++kept;
    }
    line.absent_peers = line.absent_peers || kept < line.places.size();
    line.places.resize(kept);
    line.uses.resize(kept);
  }

  const Job& job_;
  std::map<std::uint32_t, std::uint32_t> place_of_;  // of each rank, its first
  std::vector<std::vector<std::uint32_t>> members_;  // per group
  std::map<LineKey, Line> lines_;
};

// --- Positions ---

using Positions = std::vector<std::vector<std::int64_t>>;  // per member, per use

const CommUse& use_of(const Job& job, const Line& line, std::size_t member, std::size_t i) {
  return job.comms[line.places[member]][line.uses[member][i]];
}

bool agree(const CommUse& a, const CommUse& b) { return same_kind(a, b) && same_bytes(a, b); }

/// The member whose uses the others are compared with: the first with the most.
std::size_t reference_of(const Line& line) {
  std::size_t best = 0;
  for (std::size_t m = 1; m < line.uses.size(); ++m) {
    if (line.uses[m].size() > line.uses[best].size()) best = m;
  }
  return best;
}

/// How a member's uses would fit the reference's, if its first were the reference's `shift`th.
struct Fit {
  std::int64_t shift = 0;
  std::size_t overlap = 0;
  std::size_t contradictions = 0;
  std::int64_t spread = 0;  ///< of the differences between ends; ends of one collective coincide
};

Fit fit(const Job& job, const Line& line, std::size_t ref, std::size_t member, std::int64_t shift) {
  constexpr std::size_t kMost = 4096;
  Fit out{shift, 0, 0, 0};
  const auto theirs = static_cast<std::int64_t>(line.uses[ref].size());
  const auto ours = static_cast<std::int64_t>(line.uses[member].size());
  std::vector<std::int64_t> gaps;
  for (std::int64_t i = std::max<std::int64_t>(0, -shift); i < ours && i + shift < theirs; ++i) {
    if (out.overlap == kMost) break;
    ++out.overlap;
    const CommUse& a = use_of(job, line, ref, static_cast<std::size_t>(i + shift));
    const CommUse& b = use_of(job, line, member, static_cast<std::size_t>(i));
    if (!agree(a, b)) ++out.contradictions;
    gaps.push_back(a.end.count() / 1000 - b.end.count() / 1000);
  }
  if (gaps.empty()) return out;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  const std::int64_t median = *middle;
  for (std::int64_t& gap : gaps) gap = std::abs(gap - median);
  std::nth_element(gaps.begin(), middle, gaps.end());
  out.spread = *middle;
  return out;
}

/// Traces may begin in the middle: how many of the reference's communications came before this
/// member's first. 0 unless another number clearly fits better.
std::int64_t shift_of(const Job& job, const Line& line, std::size_t ref, std::size_t member) {
  const auto theirs = static_cast<std::int64_t>(line.uses[ref].size());
  const auto ours = static_cast<std::int64_t>(line.uses[member].size());
  Fit best = fit(job, line, ref, member, 0);
  if (ours == 0 || (ours == theirs && best.contradictions == 0)) return 0;
  constexpr std::int64_t kFar = 4096;
  const std::int64_t far = std::min(kFar, std::min<std::int64_t>(64, ours) + (theirs - ours));
  const std::size_t enough = static_cast<std::size_t>(std::max<std::int64_t>(1, ours / 2));
  for (std::int64_t distance = 1; distance <= far; ++distance) {
    for (const std::int64_t shift : {distance, -distance}) {
      const Fit other = fit(job, line, ref, member, shift);
      if (other.overlap < std::min<std::size_t>(enough, 2048)) continue;
      const std::size_t bad = other.contradictions * best.overlap;
      const std::size_t now = best.contradictions * other.overlap;
      const bool sharper = other.spread < best.spread / 2;
      if (bad < now || (bad == now && sharper)) best = other;
    }
  }
  return best.shift;
}

Positions by_order(const Job& job, const Line& line) {
  const std::size_t ref = reference_of(line);
  Positions out(line.uses.size());
  std::int64_t least = 0;
  for (std::size_t m = 0; m < line.uses.size(); ++m) {
    const std::int64_t shift = m == ref ? 0 : shift_of(job, line, ref, m);
    least = std::min(least, shift);
    for (std::size_t i = 0; i < line.uses[m].size(); ++i)
      out[m].push_back(static_cast<std::int64_t>(i) + shift);
  }
  for (auto& positions : out) {
    for (std::int64_t& position : positions) position -= least;
  }
  return out;
}

/// By the files' own numbers; empty where they are missing or out of order.
Positions by_number(const Job& job, const Line& line) {
  Positions out(line.uses.size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t m = 0; m < line.uses.size(); ++m) {
    for (std::size_t i = 0; i < line.uses[m].size(); ++i) {
      const std::int64_t number = use_of(job, line, m, i).recorded;
      if (number < 0 || (i > 0 && number <= out[m].back())) return {};
      out[m].push_back(number);
      least = std::min(least, number);
      most = std::max(most, number);
    }
  }
  if (least > most || most - least > std::numeric_limits<std::int32_t>::max()) return {};
  for (auto& positions : out) {
    for (std::int64_t& position : positions) position -= least;
  }
  return out;
}

/// A communication at one position: which member does it with which use.
struct At {
  std::int64_t position;
  std::uint32_t member;
  std::uint32_t use;
};

std::vector<At> in_order(const Line& line, const Positions& positions) {
  std::vector<At> all;
  for (std::uint32_t m = 0; m < positions.size(); ++m) {
    for (std::size_t i = 0; i < positions[m].size(); ++i)
      all.push_back({positions[m][i], m, line.uses[m][i]});
  }
  std::sort(all.begin(), all.end(), [](const At& a, const At& b) {
    return std::tie(a.position, a.member) < std::tie(b.position, b.member);
  });
  return all;
}

/// How many pairs of neighbours share a position, and how many of those fit.
struct Agreement {
  std::size_t pairs = 0;
  std::size_t fitting = 0;
};

Agreement agreement(const Job& job, const Line& line, const std::vector<At>& all) {
  Agreement out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].position != all[i - 1].position) continue;
    ++out.pairs;
    const CommUse& a = job.comms[line.places[all[i].member]][all[i].use];
    const CommUse& b = job.comms[line.places[all[i - 1].member]][all[i - 1].use];
    out.fitting += agree(a, b) ? 1 : 0;
  }
  return out;
}

/// The files' numbers count unless they make less sense than the order: some ranks number all that
/// they do, not what each group does.
std::vector<At> align(const Job& job, const Line& line) {
  std::vector<At> order = in_order(line, by_order(job, line));
  const Positions numbers = by_number(job, line);
  if (numbers.empty()) return order;
  std::vector<At> numbered = in_order(line, numbers);
  const Agreement by_number = agreement(job, line, numbered);
  const Agreement by_order = agreement(job, line, order);
  const bool sound = by_number.pairs == by_number.fitting && 2 * by_number.pairs >= by_order.pairs;
  return sound || by_number.fitting >= by_order.fitting ? numbered : order;
}

void settle(Job& job, const Line& line) {
  const std::vector<At> all = align(job, line);
  const bool loose = is_loose(job.comms[line.places[all[0].member]][all[0].use].kind);
  const bool lonely = line.places.size() == 1 && line.absent_peers;
  const bool even = std::all_of(line.uses.begin(), line.uses.end(), [&](const auto& uses) {
    return uses.size() == line.uses[0].size();
  });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    const auto use = [&](std::size_t i) -> CommUse& {
      return job.comms[line.places[all[i].member]][all[i].use];
    };
    bool same = true;
    for (; last < all.size() && all[last].position == all[first].position; ++last)
      same = same && same_kind(use(first), use(last));
    Match match = same && last - first == line.places.size() ? Match::matched : Match::unmatched;
    if (lonely || (loose && !even)) match = Match::alone;
    for (std::size_t i = first; i < last; ++i) {
      use(i).sequence = static_cast<std::uint32_t>(all[i].position);
      use(i).match = match;
    }
    const auto place = [&] {
      return fmt::format("{}: {} in group '{}'", label(job, line.places[all[first].member]),
                         describe(use(first)), job.groups[line.group].name);
    };
    if (match == Match::unmatched) job.findings.add(FindingCode::comm_unmatched, place());
    if (match == Match::alone) job.findings.add(FindingCode::comm_alone, place());
    ++(match == Match::matched     ? job.matched
       : match == Match::unmatched ? job.unmatched
                                   : job.alone);
    first = last;
  }
}

}  // namespace

std::vector<Line> lines_of(const Job& job) { return Lines(job).collect(); }

void match_comms(Job& job) {
  for (const Line& line : lines_of(job)) settle(job, line);
}

bool same_kind(const CommUse& a, const CommUse& b) {
  if (is_message(a.kind) && is_message(b.kind)) return a.kind != b.kind || a.peer == b.peer;
  return a.kind == b.kind;
}

bool same_bytes(const CommUse& a, const CommUse& b) {
  if (a.bytes < 0 || b.bytes < 0 || a.bytes == b.bytes) return true;
  switch (a.kind) {
    case CommKind::all_reduce:
    case CommKind::reduce:
    case CommKind::broadcast:
    case CommKind::all_gather:
    case CommKind::reduce_scatter:
    case CommKind::send:
    case CommKind::recv:
      return false;
    default:  // ranks may contribute different amounts
      return true;
  }
}

std::string describe(const CommUse& use) {
  std::string text(profile::name(use.kind));
  if (use.bytes >= 0) text += fmt::format(" of {} bytes", use.bytes);
  return text;
}

std::string label(const Job& job, std::size_t place) {
  const RankFiles& files = job.ranks[place];
  const auto& file = files.device ? files.device : files.host;
  return fmt::format("rank {}{}", files.rank, file ? " (" + file->name + ")" : "");
}

}  // namespace orrery::intake
