// SPDX-License-Identifier: Apache-2.0
//
// Matches communications of different ranks: by the sequence numbers in the files, or by order.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

using profile::CommKind;

/// The channel of a communication: group; 0: collectives, 1: kinds with unknown participants, 2:
/// messages with sender and receiver; from 3: one channel per kind of a guessed group. Such a group
/// may merge several groups, so ranks may execute its kinds in different orders.
using ChannelKey = std::tuple<std::uint32_t, int, std::int64_t, std::int64_t>;

/// Places of the present members of a group; `all` if the members are unknown.
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

class ChannelCollector {
 public:
  explicit ChannelCollector(const Job& job) : job_(job) {
    for (std::uint32_t p = 0; p < job.ranks.size(); ++p)
      place_of_.try_emplace(job.ranks[p].rank, p);
    for (std::uint32_t g = 0; g < job.groups.size(); ++g)
      members_.push_back(places_of(job, g, place_of_));
  }

  std::vector<CommChannel> collect() {
    for (const auto& [rank, place] : place_of_) {
      for (std::uint32_t u = 0; u < job_.comms[place].size(); ++u) add(place, u);
    }
    std::vector<CommChannel> out;
    for (auto& [key, channel] : channels_) {
      const bool guessed = job_.group_guessed[channel.group] && std::get<1>(key) != 2;
      if (guessed) drop_non_users(channel);
      out.push_back(std::move(channel));
    }
    return out;
  }

 private:
  [[nodiscard]] ChannelKey key_of(std::uint32_t place, const JobComm& use) const {
    if (!is_operation(use.kind)) return {use.group, 1, 0, 0};
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

  CommChannel make_channel(const ChannelKey& key) const {
    CommChannel channel;
    channel.group = std::get<0>(key);
    const graph::ProcessGroup& group = job_.groups[channel.group];
    if (std::get<1>(key) == 2) {
      for (const std::int64_t rank : {std::get<2>(key), std::get<3>(key)}) {
        const auto found =
            rank < 0 ? place_of_.end() : place_of_.find(static_cast<std::uint32_t>(rank));
        if (found == place_of_.end()) {
          channel.absent_peers = true;
        } else if (channel.places.empty() || channel.places.front() != found->second) {
          channel.places.push_back(found->second);
        }
      }
      std::sort(channel.places.begin(), channel.places.end());
    } else {
      channel.places = members_[channel.group];
      channel.absent_peers =
          channel.places.size() < (group.ranks.empty() ? job_.world_size : group.ranks.size());
    }
    channel.uses.resize(channel.places.size());
    return channel;
  }

  void add(std::uint32_t place, std::uint32_t index) {
    const ChannelKey key = key_of(place, job_.comms[place][index]);
    auto found = channels_.find(key);
    if (found == channels_.end()) found = channels_.emplace(key, make_channel(key)).first;
    CommChannel& channel = found->second;
    auto at = std::lower_bound(channel.places.begin(), channel.places.end(), place);
    if (at == channel.places.end() || *at != place) {  // uses a group of which it is not a member
      channel.uses.insert(channel.uses.begin() + (at - channel.places.begin()),
                          std::vector<std::uint32_t>{});
      at = channel.places.insert(at, place);
    }
    channel.uses[static_cast<std::size_t>(at - channel.places.begin())].push_back(index);
  }

  static void drop_non_users(CommChannel& channel) {
    std::size_t retained = 0;
    for (std::size_t m = 0; m < channel.places.size(); ++m) {
      if (channel.uses[m].empty()) continue;
      channel.places[retained] = channel.places[m];
      std::swap(channel.uses[retained], channel.uses[m]);
      ++retained;
    }
    channel.absent_peers = channel.absent_peers || retained < channel.places.size();
    channel.places.resize(retained);
    channel.uses.resize(retained);
  }

  const Job& job_;
  std::map<std::uint32_t, std::uint32_t> place_of_;  // by rank: its first place
  std::vector<std::vector<std::uint32_t>> members_;  // per group
  std::map<ChannelKey, CommChannel> channels_;
};

/// Positions from the sequence numbers in the files; empty if numbers are missing or out of order.
Positions recorded_positions(const Job& job, const CommChannel& channel) {
  Positions out(channel.uses.size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t m = 0; m < channel.uses.size(); ++m) {
    for (std::size_t i = 0; i < channel.uses[m].size(); ++i) {
      const std::int64_t number =
          job.comms[channel.places[m]][channel.uses[m][i]].recorded_sequence;
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

/// A communication at one position: which use of which member.
struct AlignedUse {
  std::int64_t position;
  std::uint32_t member;
  std::uint32_t use;
};

std::vector<AlignedUse> sorted_by_position(const CommChannel& channel, const Positions& positions) {
  std::vector<AlignedUse> all;
  for (std::uint32_t m = 0; m < positions.size(); ++m) {
    for (std::size_t i = 0; i < positions[m].size(); ++i)
      all.push_back({positions[m][i], m, channel.uses[m][i]});
  }
  std::sort(all.begin(), all.end(), [](const AlignedUse& a, const AlignedUse& b) {
    return std::tie(a.position, a.member) < std::tie(b.position, b.member);
  });
  return all;
}

/// Number of neighboring members that share a position, and how many of these pairs agree.
struct Agreement {
  std::size_t pairs = 0;
  std::size_t agreeing = 0;
};

Agreement agreement(const Job& job, const CommChannel& channel,
                    const std::vector<AlignedUse>& all) {
  Agreement out;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].position != all[i - 1].position) continue;
    ++out.pairs;
    const JobComm& a = job.comms[channel.places[all[i].member]][all[i].use];
    const JobComm& b = job.comms[channel.places[all[i - 1].member]][all[i - 1].use];
    out.agreeing += agree(a, b) ? 1 : 0;
  }
  return out;
}

/// Uses the numbers in the files, unless the order gives a better match: some ranks number all
/// their communications instead of those of each group.
std::vector<AlignedUse> align(const Job& job, const CommChannel& channel) {
  const bool guessed = job.group_guessed[channel.group];
  std::vector<AlignedUse> order = sorted_by_position(
      channel, guessed ? align_by_similarity(job, channel) : align_by_order(job, channel));
  const Positions numbers = recorded_positions(job, channel);
  if (numbers.empty()) return order;
  std::vector<AlignedUse> numbered = sorted_by_position(channel, numbers);
  const Agreement numbered_agreement = agreement(job, channel, numbered);
  const Agreement ordered_agreement = agreement(job, channel, order);
  const bool is_reliable = numbered_agreement.pairs == numbered_agreement.agreeing &&
                           2 * numbered_agreement.pairs >= ordered_agreement.pairs;
  return is_reliable || numbered_agreement.agreeing >= ordered_agreement.agreeing ? numbered
                                                                                  : order;
}

/// Sets positions, counted from `base` so that channels of one group have distinct ones. Returns
/// the next free position.
std::int64_t match_channel(Job& job, const CommChannel& channel, std::int64_t base) {
  const std::vector<AlignedUse> all = align(job, channel);
  const bool guessed = job.group_guessed[channel.group];
  const bool participants_unknown =
      !is_operation(job.comms[channel.places[all[0].member]][all[0].use].kind);
  const bool is_alone = channel.places.size() == 1 && channel.absent_peers;
  const bool has_equal_counts =
      std::all_of(channel.uses.begin(), channel.uses.end(),
                  [&](const auto& uses) { return uses.size() == channel.uses[0].size(); });
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    const auto use = [&](std::size_t i) -> JobComm& {
      return job.comms[channel.places[all[i].member]][all[i].use];
    };
    bool same = true;
    for (; last < all.size() && all[last].position == all[first].position; ++last)
      same = same && (guessed ? agree(use(first), use(last)) : same_kind(use(first), use(last)));
    const bool is_complete = same && last - first == channel.places.size();
    Match match = is_complete ? Match::matched : guessed ? Match::alone : Match::unmatched;
    if (is_alone || (participants_unknown && !has_equal_counts)) match = Match::alone;
    for (std::size_t i = first; i < last; ++i) {
      use(i).sequence = static_cast<std::uint32_t>(base + all[i].position);
      use(i).match = match;
    }
    const std::string where = label(job, channel.places[all[first].member]);
    count_match(job, match, use(first), where, match == Match::alone && guessed ? last - first : 1);
    first = last;
  }
  return base + all.back().position + 1;
}

}  // namespace

std::vector<CommChannel> comm_channels(const Job& job) { return ChannelCollector(job).collect(); }

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
  std::map<std::uint32_t, std::int64_t> next;  // by guessed group
  for (const CommChannel& channel : comm_channels(job)) {
    std::int64_t none = 0;
    std::int64_t& base = job.group_guessed[channel.group] ? next[channel.group] : none;
    base = match_channel(job, channel, base);
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
