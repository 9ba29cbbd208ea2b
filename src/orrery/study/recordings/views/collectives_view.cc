// SPDX-License-Identifier: Apache-2.0
//
// Collectives across ranks: who arrived last, the transfer, bandwidths. By group and type, and one
// by one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "orrery/core/collective_type.h"
#include "orrery/core/statistics/time_statistics.h"
#include "orrery/intake/job/comm_arrivals.h"
#include "orrery/profile/inspection/kernel_algorithm.h"
#include "orrery/study/recordings/views/builders.h"

namespace orrery::study {

using intake::ArrivalState;
using intake::CommArrivals;
using intake::CommParticipant;

namespace {

/// Rows of single collectives: those with the largest skew.
constexpr std::size_t kMostCollectives = 1000;

/// What a job does not keep of an event that communicates.
struct CommDetail {
  profile::EventId event = profile::kNoEvent;
  std::int64_t bytes = -1;      ///< of the complete buffer
  std::uint32_t algorithm = 0;  ///< in the list of algorithms
};

/// The communications of one group, type and algorithm.
struct CommGroupSum {
  TimeStatistics on_ranks;  ///< on each rank
  TimeStatistics skew;      ///< of those with known arrivals
  Time end_spread{};        ///< sum
  std::uint64_t count = 0;
  std::uint64_t without_bytes = 0;
  std::size_t recorded = 0;  ///< ranks that take part, at most
  std::int64_t bytes = 0;
  double rated_bytes = 0, rated_seconds = 0;    ///< where bytes and transfer are known
  std::map<std::uint32_t, std::uint64_t> last;  ///< by place: how often it arrived last
  double members = 0;
};

/// What one rank waited for others.
struct RankWaits {
  std::uint64_t count = 0, last = 0;
  Time waited{}, caused{};
};

CollectiveType type_of(profile::CommKind kind) {
  return collective_type(profile::name(kind)).value_or(CollectiveType::unknown);
}

class CollectivesView final : public ViewBuilder {
 public:
  void add(const intake::RankTrace& rank) override {
    const profile::Profile& p = rank.profile;
    std::vector<CommDetail>& details = details_.emplace_back();
    std::map<StringId, std::uint32_t> algorithm_of;
    for (profile::EventId e = 0; e < p.events.size(); ++e) {
      const profile::Comm* comm = p.comm(e);
      if (comm == nullptr && !is_device_work(p.events[e].kind)) continue;
      const auto [name, is_new] = algorithm_of.try_emplace(p.events[e].name, 0);
      if (is_new && is_device_work(p.events[e].kind))
        name->second = algorithm(profile::kernel_algorithm(p.name(e)));
      if (comm == nullptr && name->second == 0) continue;
      const auto kind = comm == nullptr || comm->kind == profile::CommKind::unknown
                            ? profile::comm_kind_of_name(p.name(e))
                            : comm->kind;
      details.push_back({e, comm == nullptr ? -1 : comm->complete_bytes(kind), name->second});
    }
    std::vector<std::string>& labels = labels_.emplace_back();
    for (const profile::Group& group : p.groups)
      labels.push_back(group.description == "undefined" ? "" : group.description);
  }

  View view(const intake::Job& job, Findings& /*findings*/) override {
    label_groups(job);
    waits_.resize(job.ranks.size());
    const std::vector<CommArrivals> all = intake::comm_arrivals(job);
    for (const CommArrivals& comm : all) count(job, comm);
    add_groups(job);
    add_collectives(job, all);
    add_ranks(job);
    View view{.kind = TraceView::collectives, .facts = {}, .tables = {}};
    add_facts(job, view);
    view.tables = {std::move(groups_), std::move(collectives_), std::move(ranks_),
                   std::move(state_table_)};
    return view;
  }

 private:
  using SumKey = std::tuple<std::uint32_t, profile::CommKind, std::uint32_t>;

  std::uint32_t algorithm(const std::string& name) {
    const auto found = std::find(algorithms_.begin(), algorithms_.end(), name);
    const auto index = static_cast<std::uint32_t>(found - algorithms_.begin());
    if (found == algorithms_.end()) algorithms_.push_back(name);
    return index;
  }

  void label_groups(const intake::Job& job) {
    label_.resize(job.groups.size());
    for (std::size_t place = 0; place < job.group_of.size(); ++place)
      for (std::size_t g = 0; g < job.group_of[place].size(); ++g)
        if (const std::uint32_t to = job.group_of[place][g]; to < label_.size())
          if (label_[to].empty() && g < labels_[place].size()) label_[to] = labels_[place][g];
    for (std::size_t g = 0; g < label_.size(); ++g)
      if (label_[g].empty()) label_[g] = job.groups[g].name;
  }

  [[nodiscard]] const CommDetail* detail(const intake::Job& job,
                                         const CommParticipant& rank) const {
    const auto& details = details_[rank.place];
    const profile::EventId event = job.comms[rank.place][rank.use].event;
    const auto found =
        std::lower_bound(details.begin(), details.end(), event,
                         [](const CommDetail& one, profile::EventId e) { return one.event < e; });
    return found != details.end() && found->event == event ? &*found : nullptr;
  }

  /// The largest buffer, and the first algorithm that a rank's kernel names.
  [[nodiscard]] CommDetail detail(const intake::Job& job, const CommArrivals& comm) const {
    CommDetail most;
    for (const CommParticipant& rank : comm.ranks) {
      most.bytes = std::max(most.bytes, job.comms[rank.place][rank.use].bytes);
      const CommDetail* own = detail(job, rank);
      if (own == nullptr) continue;
      most.bytes = std::max(most.bytes, own->bytes);
      if (most.algorithm == 0) most.algorithm = own->algorithm;
    }
    return most;
  }

  [[nodiscard]] static double members(const intake::Job& job, const CommArrivals& comm) {
    if (is_message(comm.kind)) return 2;
    const std::size_t ranks = job.groups[comm.group].ranks.size();
    return static_cast<double>(ranks > 0 ? ranks : std::max<std::size_t>(job.world_size, 1));
  }

  void count(const intake::Job& job, const CommArrivals& comm) {
    ++states_[static_cast<std::size_t>(comm.state)];
    const CommDetail known = detail(job, comm);
    CommGroupSum& sum = sums_[{comm.group, comm.kind, known.algorithm}];
    ++sum.count;
    sum.members = members(job, comm);
    for (const CommParticipant& rank : comm.ranks) sum.on_ranks.add(rank.end - rank.start);
    if (known.bytes < 0 || __builtin_add_overflow(sum.bytes, known.bytes, &sum.bytes))
      ++sum.without_bytes;
    sum.recorded = std::max(sum.recorded, comm.ranks.size());
    if (known.bytes > 0 && has_transfer(job, comm)) {
      sum.rated_bytes += static_cast<double>(known.bytes);
      sum.rated_seconds += seconds(comm.transfer);
    }
    if (comm.state != ArrivalState::known) return;
    sum.skew.add(comm.skew);
    sum.end_spread = saturating_sum(sum.end_spread, comm.end_spread);
    const CommParticipant& last = comm.ranks[comm.last];
    ++sum.last[last.place];
    ++waits_[last.place].last;
    for (const CommParticipant& rank : comm.ranks) {
      RankWaits& waits = waits_[rank.place];
      ++waits.count;
      waits.waited = saturating_sum(waits.waited, last.start - rank.start);
      waits_[last.place].caused =
          saturating_sum(waits_[last.place].caused, last.start - rank.start);
    }
  }

  /// Unless all members are recorded, the times may contain waits for the others.
  static bool has_transfer(const intake::Job& job, const CommArrivals& comm) {
    return comm.ranks.size() > 1 && static_cast<double>(comm.ranks.size()) >= members(job, comm) &&
           comm.transfer > Time{};
  }

  void add_groups(const intake::Job& job) {
    std::vector<std::pair<SumKey, const CommGroupSum*>> sorted;
    for (const auto& [key, sum] : sums_) sorted.emplace_back(key, &sum);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second->on_ranks.total() > b.second->on_ranks.total();
    });
    for (const auto& [key, sum] : sorted) {
      const auto [group, kind, algorithm] = key;
      report::Value rate, bus, skew, skew_most, last, last_times, spread;
      if (sum->rated_seconds > 0) {
        const double bandwidth = sum->rated_bytes / sum->rated_seconds;
        rate = Bandwidth(bandwidth);
        bus = Bandwidth(bandwidth * bus_factor(type_of(kind), sum->members));
      }
      if (sum->skew.count() > 0) {
        skew = sum->skew.mean();
        skew_most = sum->skew.most();
        spread = Time(sum->end_spread.count() / static_cast<std::int64_t>(sum->skew.count()));
        const auto most =
            std::max_element(sum->last.begin(), sum->last.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        last = job.ranks[most->first].rank;
        last_times = most->second;
      }
      groups_.rows.push_back(
          {label_[group],
           job.groups[group].name,
           profile::name(kind),
           algorithms_[algorithm].empty() ? report::Value() : algorithms_[algorithm],
           sum->count,
           static_cast<std::uint64_t>(sum->members),
           sum->recorded,
           sum->without_bytes < sum->count ? report::Value(Bytes(sum->bytes)) : report::Value(),
           sum->without_bytes,
           sum->on_ranks.total(),
           sum->on_ranks.mean(),
           sum->on_ranks.least(),
           sum->on_ranks.most(),
           skew,
           skew_most,
           sum->skew.count(),
           last,
           last_times,
           rate,
           bus,
           spread});
    }
  }

  void add_collectives(const intake::Job& job, const std::vector<CommArrivals>& all) {
    std::vector<const CommArrivals*> known;
    for (const CommArrivals& comm : all)
      if (comm.state == ArrivalState::known) known.push_back(&comm);
    std::stable_sort(known.begin(), known.end(), [](const CommArrivals* a, const CommArrivals* b) {
      return a->skew > b->skew;
    });
    if (known.empty()) return;
    Time first = known[0]->first_arrival();
    for (const CommArrivals* comm : known) first = std::min(first, comm->first_arrival());
    for (std::size_t c = 0; c < std::min(known.size(), kMostCollectives); ++c) {
      const CommArrivals& comm = *known[c];
      const CommDetail details = detail(job, comm);
      const CommParticipant& last = comm.ranks[comm.last];
      report::Value bytes, rate, bus;
      if (details.bytes >= 0) bytes = Bytes(details.bytes);
      if (details.bytes > 0 && has_transfer(job, comm)) {
        const double bandwidth = static_cast<double>(details.bytes) / seconds(comm.transfer);
        rate = Bandwidth(bandwidth);
        bus = Bandwidth(bandwidth * bus_factor(type_of(comm.kind), members(job, comm)));
      }
      const std::string& algorithm = algorithms_[details.algorithm];
      collectives_.rows.push_back(
          {label_[comm.group], job.groups[comm.group].name, profile::name(comm.kind), comm.sequence,
           comm.first_arrival() - first, comm.ranks.size(), job.ranks[last.place].rank, comm.skew,
           comm.transfer, bytes, rate, bus, algorithm.empty() ? report::Value() : algorithm,
           job.comms[last.place][last.use].name, comm.end_spread});
    }
  }

  void add_ranks(const intake::Job& job) {
    for (std::size_t place = 0; place < waits_.size(); ++place) {
      const RankWaits& waits = waits_[place];
      if (waits.count == 0) continue;
      ranks_.rows.push_back({job.ranks[place].rank, waits.count, waits.last, waits.waited,
                             waits.caused, job.begin[place]});
    }
  }

  void add_facts(const intake::Job& job, View& view) {
    const auto of = [&](ArrivalState state) { return states_[static_cast<std::size_t>(state)]; };
    const std::uint64_t all = std::accumulate(states_.begin(), states_.end(), std::uint64_t{0});
    if (all == 0) return;
    view.facts.push_back({"arrivals", "known",
                          report::Value(of(ArrivalState::known))
                              .shown(fmt::format("known of {} of {} communications",
                                                 of(ArrivalState::known), all))});
    if (of(ArrivalState::alone) > 0)
      view.facts.push_back(
          {"note", "alone_note",
           job.ranks.size() < 2
               ? "one rank is recorded; arrivals and bandwidths need the recordings of others"
               : "some communications lack recorded peers; those have durations only"});
    if (of(ArrivalState::unrelated) + of(ArrivalState::impossible) > 0)
      view.facts.push_back({"note", "clock_note",
                            "the clocks of some ranks are unrelated or inaccurate; those "
                            "communications have no arrivals"});
    for (std::size_t s = 0; s < states_.size(); ++s)
      state_table_.rows.push_back({intake::kArrivalStates[s], states_[s]});
  }

  std::vector<std::vector<CommDetail>> details_;  // by place, ascending by event
  std::vector<std::vector<std::string>> labels_;  // by place and group of the profile
  std::vector<std::string> algorithms_{""};
  std::vector<std::string> label_;  // by group of the job
  std::map<SumKey, CommGroupSum> sums_;
  std::vector<RankWaits> waits_;                                       // by place
  std::array<std::uint64_t, intake::kArrivalStates.size()> states_{};  // by ArrivalState

  ViewTable state_table_{
      .key = "states",
      .title = "communications by what is known of their arrivals",
      .columns = {{"", "state", "known, or why not"}, {"", "count", "communications"}},
      .rows = {},
      .first = 0,
      .if_empty = {},
      .by_rank = false};
  ViewTable groups_{
      .key = "groups",
      .title = "communications by group and type",
      .columns = {{"group", "group", "description of the group, else its name"},
                  {"", "group_name", "unique name of the group"},
                  {"type", "type", "all_reduce, all_gather …; send: messages"},
                  {"algorithm", "algorithm", "as in the name of the kernel; null: not in it"},
                  {"count", "count", "communications, each once"},
                  {"ranks", "ranks", "members of the group"},
                  {"", "recorded_ranks", "members whose recordings have it"},
                  {"bytes", "bytes", "sum of the complete buffers, where known"},
                  {"", "without_bytes", "communications of unknown size"},
                  {"time", "total_ns", "sum of the times on all recorded ranks"},
                  {"", "mean_ns", "mean time on a rank"},
                  {"", "min_ns", "shortest time on a rank"},
                  {"", "max_ns", "longest time on a rank"},
                  {"skew", "skew_mean_ns", "mean of last minus first arrival"},
                  {"worst", "skew_max_ns", "largest skew"},
                  {"", "skew_count", "communications with a known skew"},
                  {"last", "last_rank", "the rank that arrived last most often"},
                  {"", "last_count", "how often"},
                  {"", "algbw_bytes_per_s", "bytes / transfer, as nccl-tests define it"},
                  {"bus", "busbw_bytes_per_s", "bus bandwidth, as nccl-tests define it"},
                  {"", "end_spread_ns", "mean of last minus first end: accuracy of the clocks"}},
      .rows = {},
      .first = 30,
      .if_empty = "The recording has no communications.",
      .by_rank = false};
  ViewTable collectives_{
      .key = "collectives",
      .title = "communications by skew, the largest first",
      .columns = {{"group", "group", "description of the group, else its name"},
                  {"", "group_name", "unique name of the group"},
                  {"type", "type", "all_reduce, all_gather …; send: a message"},
                  {"number", "number", "in its group"},
                  {"at", "at_ns", "first arrival, since the first of all"},
                  {"ranks", "ranks", "recorded ranks that take part"},
                  {"last", "last_rank", "the rank that arrived last"},
                  {"skew", "skew_ns", "last minus first arrival"},
                  {"transfer", "transfer_ns", "shortest time on a rank"},
                  {"bytes", "bytes", "complete buffer"},
                  {"", "algbw_bytes_per_s", "bytes / transfer"},
                  {"bus", "busbw_bytes_per_s", "bus bandwidth, as nccl-tests define it"},
                  {"", "algorithm", "as in the name of the kernel"},
                  {"", "name", "the operator on the last rank"},
                  {"", "end_spread_ns", "last minus first end"}},
      .rows = {},
      .first = 10,
      .if_empty = {},
      .by_rank = false};
  ViewTable ranks_{
      .key = "ranks",
      .title = "ranks that wait, and that others wait for",
      .columns = {{"rank", "rank", "the recorded rank"},
                  {"communications", "count", "with known arrivals"},
                  {"times last", "last_count", "how often it arrived last"},
                  {"waited", "waited_ns", "sum of last arrival minus own arrival"},
                  {"others waited", "caused_wait_ns", "sum of the waits of others for this rank"},
                  {"started late", "late_start_ns", "after the first rank of the recording"}},
      .rows = {},
      .first = 32,
      .if_empty = {},
      .by_rank = false};
};

}  // namespace

std::unique_ptr<ViewBuilder> collectives_view() { return std::make_unique<CollectivesView>(); }

}  // namespace orrery::study
