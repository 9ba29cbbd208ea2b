// SPDX-License-Identifier: Apache-2.0
//
// Which communication of one rank is which of another: by the files' own numbers, or by order.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::CommKind;

/// Kinds that tell too little to say who must take part.
bool is_loose(CommKind kind) {
  return kind == CommKind::coalesced || kind == CommKind::unknown || kind == CommKind::wait;
}

/// Which line a communication belongs to: group, 0 = collectives, 1 = loose ones, 2 = messages with
/// sender and receiver, from 3 on each kind of a group that is a guess: ranks may do them in
/// another order, being those of several groups.
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

  std::vector<CommLine> collect() {
    for (const auto& [rank, place] : place_of_) {
      for (std::uint32_t u = 0; u < job_.comms[place].size(); ++u) add(place, u);
    }
    std::vector<CommLine> out;
    for (auto& [key, line] : lines_) {
      const bool guessed = job_.group_guessed[line.group] && std::get<1>(key) != 2;
      if (guessed) leave_only_users(line);
      out.push_back(std::move(line));
    }
    return out;
  }

 private:
  [[nodiscard]] LineKey key_of(std::uint32_t place, const JobComm& use) const {
    if (is_loose(use.kind)) return {use.group, 1, 0, 0};
    if (!is_message(use.kind))
      return {use.group, job_.group_guessed[use.group] ? 3 + static_cast<int>(use.kind) : 0, 0, 0};
    const std::int64_t self = job_.ranks[place].rank;
    std::int64_t peer = use.peer;
    const auto& ranks = job_.groups[use.group].ranks;
    if (peer < 0 && ranks.size() == 2) peer = ranks[0] == self ? ranks[1] : ranks[0];
    const bool send = use.kind == CommKind::send;
    if (peer < 0) return {use.group, 2, send ? self : -1 - self, send ? -1 - self : self};
    return {use.group, 2, send ? self : peer, send ? peer : self};
  }

  CommLine make(const LineKey& key) const {
    CommLine line;
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
    CommLine& line = found->second;
    auto at = std::lower_bound(line.places.begin(), line.places.end(), place);
    if (at == line.places.end() || *at != place) {  // uses a group that it is no member of
      line.uses.insert(line.uses.begin() + (at - line.places.begin()),
                       std::vector<std::uint32_t>{});
      at = line.places.insert(at, place);
    }
    line.uses[static_cast<std::size_t>(at - line.places.begin())].push_back(index);
  }

  static void leave_only_users(CommLine& line) {
    std::size_t retained = 0;
    for (std::size_t m = 0; m < line.places.size(); ++m) {
      if (line.uses[m].empty()) continue;
      line.places[retained] = line.places[m];
      std::swap(line.uses[retained], line.uses[m]);
      ++retained;
    }
    line.absent_peers = line.absent_peers || retained < line.places.size();
    line.places.resize(retained);
    line.uses.resize(retained);
  }

  const Job& job_;
  std::map<std::uint32_t, std::uint32_t> place_of_;  // of each rank, its first
  std::vector<std::vector<std::uint32_t>> members_;  // per group
  std::map<LineKey, CommLine> lines_;
};

/// By the files' own numbers; empty where they are missing or out of order.
Positions by_number(const Job& job, const CommLine& line) {
  Positions out(line.uses.size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t m = 0; m < line.uses.size(); ++m) {
    for (std::size_t i = 0; i < line.uses[m].size(); ++i) {
      const std::int64_t number = job.comms[line.places[m]][line.uses[m][i]].recorded;
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

std::vector<At> in_order(const CommLine& line, const Positions& positions) {
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

Agreement agreement(const Job& job, const CommLine& line, const std::vector<At>& all) {
  Agreement out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].position != all[i - 1].position) continue;
    ++out.pairs;
    const JobComm& a = job.comms[line.places[all[i].member]][all[i].use];
    const JobComm& b = job.comms[line.places[all[i - 1].member]][all[i - 1].use];
    out.fitting += agree(a, b) ? 1 : 0;
  }
  return out;
}

/// The files' numbers count unless they make less sense than the order: some ranks number all that
/// they do, not what each group does.
std::vector<At> align(const Job& job, const CommLine& line) {
  const bool guessed = job.group_guessed[line.group];
  std::vector<At> order =
      in_order(line, guessed ? align_by_similarity(job, line) : align_by_order(job, line));
  const Positions numbers = by_number(job, line);
  if (numbers.empty()) return order;
  std::vector<At> numbered = in_order(line, numbers);
  const Agreement by_number = agreement(job, line, numbered);
  const Agreement align_by_order = agreement(job, line, order);
  const bool sound =
      by_number.pairs == by_number.fitting && 2 * by_number.pairs >= align_by_order.pairs;
  return sound || by_number.fitting >= align_by_order.fitting ? numbered : order;
}

/// Positions count from `base`, so that lines of one group have different ones. Returns the next.
std::int64_t settle(Job& job, const CommLine& line, std::int64_t base) {
  const std::vector<At> all = align(job, line);
  const bool guessed = job.group_guessed[line.group];
  const bool loose = is_loose(job.comms[line.places[all[0].member]][all[0].use].kind);
  const bool lonely = line.places.size() == 1 && line.absent_peers;
  const bool even = std::all_of(line.uses.begin(), line.uses.end(), [&](const auto& uses) {
    return uses.size() == line.uses[0].size();
  });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    const auto use = [&](std::size_t i) -> JobComm& {
      return job.comms[line.places[all[i].member]][all[i].use];
    };
    bool same = true;
    for (; last < all.size() && all[last].position == all[first].position; ++last)
      same = same && (guessed ? agree(use(first), use(last)) : same_kind(use(first), use(last)));
    const bool whole = same && last - first == line.places.size();
    Match match = whole ? Match::matched : guessed ? Match::alone : Match::unmatched;
    if (lonely || (loose && !even)) match = Match::alone;
    for (std::size_t i = first; i < last; ++i) {
      use(i).sequence = static_cast<std::uint32_t>(base + all[i].position);
      use(i).match = match;
    }
    const std::string where = label(job, line.places[all[first].member]);
    count_match(job, match, use(first), where, match == Match::alone && guessed ? last - first : 1);
    first = last;
  }
  return base + all.back().position + 1;
}

}  // namespace

std::vector<CommLine> comm_lines(const Job& job) { return Lines(job).collect(); }

void count_match(Job& job, Match match, const JobComm& use, const std::string& where,
                 std::uint64_t count) {
  const auto place = [&] {
    return fmt::format("{}: {} in group '{}'", where, describe(use), job.groups[use.group].name);
  };
  if (match == Match::unmatched) job.findings.add(FindingCode::comm_unmatched, place(), count);
  if (match == Match::alone) job.findings.add(FindingCode::comm_alone, place(), count);
  (match == Match::matched     ? job.matched
   : match == Match::unmatched ? job.unmatched
                               : job.alone) += count;
}

void match_comms(Job& job) {
  std::map<std::uint32_t, std::int64_t> next;  // by group, of those that are a guess
  for (const CommLine& line : comm_lines(job)) {
    std::int64_t none = 0;
    std::int64_t& base = job.group_guessed[line.group] ? next[line.group] : none;
    base = settle(job, line, base);
  }
}

bool same_kind(const JobComm& a, const JobComm& b) {
  if (is_message(a.kind) && is_message(b.kind)) return a.kind != b.kind || a.peer == b.peer;
  return a.kind == b.kind;
}

bool same_bytes(const JobComm& a, const JobComm& b) {
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

std::string describe(const JobComm& use) {
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
