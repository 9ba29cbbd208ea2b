// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/comm_arrivals.h"

#include <algorithm>
#include <compare>

namespace orrery::intake {

using profile::CommKind;

Time CommArrivals::first_arrival() const {
  return std::min_element(
             ranks.begin(), ranks.end(),
             [](const CommParticipant& a, const CommParticipant& b) { return a.start < b.start; })
      ->start;
}

namespace {

/// Equal for the participants of one communication.
struct CommKey {
  std::uint32_t group = 0;
  std::uint32_t sequence = 0;
  CommKind kind = CommKind::unknown;
  std::int64_t sender = -1, receiver = -1;  ///< of messages; -1: unknown
  std::uint64_t own = 0;                    ///< distinguishes what is not matched

  friend auto operator<=>(const CommKey&, const CommKey&) = default;
};

struct KeyedComm {
  CommKey key;
  CommParticipant participant;
};

CommKey key_of(const Job& job, std::uint32_t place, std::uint32_t index) {
  const JobComm& use = job.comms[place][index];
  CommKey key{use.group, use.sequence, use.kind};
  if (use.match != Match::matched) key.own = (std::uint64_t{place} + 1) << 32U | index;
  if (!is_message(use.kind)) return key;
  const std::int64_t self = job.ranks[place].rank;
  std::int64_t peer = use.peer;
  const auto& ranks = job.groups[use.group].ranks;
  if (peer < 0 && ranks.size() == 2) peer = ranks[0] == self ? ranks[1] : ranks[0];
  key.sender = use.kind == CommKind::send ? self : peer;
  key.receiver = use.kind == CommKind::send ? peer : self;
  key.kind = CommKind::send;
  return key;
}

ArrivalState state_of(const Job& job, const CommArrivals& comm) {
  const Match match = job.comms[comm.ranks[0].place][comm.ranks[0].use].match;
  if (match == Match::unmatched) return ArrivalState::unmatched;
  if (match == Match::alone || comm.ranks.size() < 2) return ArrivalState::alone;
  Time last_arrival = comm.ranks[0].start, first_end = comm.ranks[0].end;
  for (const CommParticipant& rank : comm.ranks) {
    if (job.clock_root[rank.place] != job.clock_root[comm.ranks[0].place])
      return ArrivalState::unrelated;
    last_arrival = std::max(last_arrival, rank.start);
    first_end = std::min(first_end, rank.end);
  }
  const bool waits = is_symmetric(comm.kind);
  return waits && first_end < last_arrival ? ArrivalState::impossible : ArrivalState::known;
}

void finish(const Job& job, CommArrivals& comm) {
  comm.state = state_of(job, comm);
  comm.transfer = kTimeMax;
  Time first_end = kTimeMax, last_end = comm.ranks[0].end;
  for (std::uint32_t r = 0; r < comm.ranks.size(); ++r) {
    const CommParticipant& rank = comm.ranks[r];
    comm.transfer = std::min(comm.transfer, rank.end - rank.start);
    first_end = std::min(first_end, rank.end);
    last_end = std::max(last_end, rank.end);
    if (rank.start > comm.ranks[comm.last].start) comm.last = r;
  }
  if (comm.state != ArrivalState::known) return;
  comm.skew = comm.ranks[comm.last].start - comm.first_arrival();
  comm.end_spread = last_end - first_end;
}

}  // namespace

std::vector<CommArrivals> comm_arrivals(const Job& job) {
  std::vector<KeyedComm> all;
  for (std::uint32_t place = 0; place < job.comms.size(); ++place) {
    const Time origin = job.common_origin[place];
    for (std::uint32_t u = 0; u < job.comms[place].size(); ++u) {
      const JobComm& use = job.comms[place][u];
      if (use.queued || use.kind == CommKind::wait || use.end <= use.start) continue;
      all.push_back({key_of(job, place, u), {place, u, origin + use.start, origin + use.end}});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const KeyedComm& a, const KeyedComm& b) { return a.key < b.key; });
  std::vector<CommArrivals> list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const CommKey& key = all[i].key;
    if (i == 0 || key != all[i - 1].key)
      list.push_back({.kind = key.kind, .group = key.group, .sequence = key.sequence, .ranks = {}});
    list.back().ranks.push_back(all[i].participant);
  }
  for (CommArrivals& comm : list) finish(job, comm);
  return list;
}

}  // namespace orrery::intake
