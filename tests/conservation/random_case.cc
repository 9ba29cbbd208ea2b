// SPDX-License-Identifier: Apache-2.0
#include "random_case.h"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "orrery/sim/sim_testing.h"

namespace orrery::conservation {

using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;
using platform::Rules;
using sim::testing::Deps;
using sim::testing::Rank;

namespace {

std::int64_t draw(std::int64_t from, std::int64_t until) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(from, until));
}
bool chance(int percent) { return draw(0, 100) < percent; }

bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

platform::CollectivePlan random_plan(const std::vector<platform::Dimension>& dims,
                                     CollectiveType type, bool groups) {
  platform::CollectivePlan plan;
  for (const platform::Dimension& dim : dims) {
    std::vector<Algorithm> allowed;
    for (const platform::AlgorithmEntry& one : platform::kAlgorithms) {
      const bool fits = !one.power_of_two || (!groups && power_of_two(dim.size));
      if (fits && !one.by_switches && platform::can_run(one, type))
        allowed.push_back(one.algorithm);
    }
    plan.per_dim.push_back({*rc::gen::elementOf(allowed), chance(20) ? draw(1, 4) : -1});
  }
  return plan;
}

/// Up to three ranks that are slow, late, or behind a bad port.
std::vector<platform::Deviation> random_deviations(const platform::Platform& platform) {
  std::vector<platform::Deviation> made;
  for (std::uint32_t rank = 0; rank < platform.npu_count() && made.size() < 3; ++rank) {
    if (chance(70)) continue;
    platform::Deviation one;
    one.ranks = {rank};
    one.compute_time = chance(50) ? static_cast<double>(draw(1, 40)) / 10 : 1;
    one.start = ns(chance(50) ? draw(0, 20'000) : 0);
    for (std::uint32_t d = 0; d < platform.dims.size(); ++d) {
      if (chance(50)) continue;
      one.ports.push_back(
          {d, static_cast<double>(draw(1, 101)) / 100, static_cast<double>(draw(0, 3000)) / 4});
    }
    made.push_back(one);
  }
  return made;
}

platform::Platform random_platform(bool groups) {
  platform::Platform made;
  made.rules = chance(50) ? Rules::orrery : Rules::astra;
  made.network =
      chance(50) ? platform::NetworkModelKind::analytical : platform::NetworkModelKind::message;
  const bool two = chance(40);
  for (int d = 0; d < (two ? 2 : 1); ++d) {
    const auto block = *rc::gen::element(Block::ring, Block::fully_connected, Block::switched);
    made.dims.push_back({block, draw(2, two ? 4 : 7),
                         Bandwidth(1e9 * static_cast<double>(draw(1, 50))),
                         static_cast<double>(draw(0, 2000))});
  }
  platform::CollectiveConfig& config = made.collectives;
  config.all_reduce = random_plan(made.dims, CollectiveType::all_reduce, groups);
  config.all_gather = random_plan(made.dims, CollectiveType::all_gather, groups);
  config.reduce_scatter = random_plan(made.dims, CollectiveType::reduce_scatter, groups);
  config.all_to_all = random_plan(made.dims, CollectiveType::all_to_all, groups);
  // Only where an all-reduce is one phase per dimension may it be a tree.
  const auto& specs = config.all_reduce.per_dim;
  const bool tree =
      std::any_of(specs.begin(), specs.end(), [](const platform::AlgorithmSpec& spec) {
        return platform::entry(spec.algorithm).all_reduce_only;
      });
  config.optimization = tree || chance(30) ? platform::CollectiveOptimization::baseline
                                           : platform::CollectiveOptimization::local_bw_aware;
  config.splits = draw(1, 5);
  config.active_chunks = draw(1, 4);
  config.inter_dimension =
      tree ? platform::InterDimension::ascending
           : *rc::gen::element(platform::InterDimension::ascending,
                               platform::InterDimension::round_robin,
                               platform::InterDimension::themis, platform::InterDimension::best);
  config.intra_dimension =
      *rc::gen::element(platform::IntraDimension::fifo, platform::IntraDimension::smallest_first);
  config.policy =
      *rc::gen::element(platform::SchedulingPolicy::lifo, platform::SchedulingPolicy::fifo);
  config.endpoint_delay = ns(chance(50) ? draw(0, 100) : 0);
  config.rendezvous = chance(25);
  made.device.name = "random";
  made.device.peak = FlopRate(1e12);
  made.device.memory = Bandwidth(1e11);
  made.device.compute = TimeSource::automatic;
  made.remote_memory.kind =
      *rc::gen::element(platform::RemoteMemoryKind::per_npu, platform::RemoteMemoryKind::pool);
  made.remote_memory.latency = ns(draw(0, 500));
  made.remote_memory.bandwidth = Bandwidth(1e10);
  made.replay_only = chance(5);
  made.track_local_memory = true;
  if (chance(40)) made.deviations = random_deviations(made);
  return made;
}

/// Grows all ranks event by event.
class Author {
 public:
  Author(const platform::Platform& platform, bool groups, bool lossy)
      : astra_(platform.rules == Rules::astra),
        lossy_(lossy),
        ranks_(static_cast<std::size_t>(platform.npu_count())) {
    add_groups(groups);
  }

  graph::Workload write(std::int64_t events) {
    for (std::int64_t i = 0; i < events; ++i) event(i);
    graph::Workload made;
    for (Author::Member& member : ranks_) {
      if (member.ids.empty()) note(member, member.graph.comp(ns(1)));
      made.graph_of_rank.push_back(static_cast<std::uint32_t>(made.graphs.size()));
      made.graphs.push_back(member.graph.finish());
    }
    for (const auto& [name, members] : groups_) {
      if (name.empty()) continue;
      graph::ProcessGroup& group = made.groups[name];
      group.name = name;
      for (const std::size_t member : members)
        group.ranks.push_back(static_cast<std::uint32_t>(member));
    }
    return made;
  }

 private:
  struct Member {
    Rank graph;
    std::vector<std::uint64_t> ids;
    std::map<std::string, std::uint64_t> last;  // by lane
    std::vector<std::pair<std::string, std::int64_t>> tensors;
  };

  void add_groups(bool several) {
    std::vector<std::size_t> all(ranks_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    groups_.emplace_back("", all);
    for (int g = 0; several && g < 2 && ranks_.size() > 2; ++g) {
      std::vector<std::size_t> some;
      for (const std::size_t r : all) {
        if (chance(50)) some.push_back(r);
      }
      if (some.size() >= 2) groups_.emplace_back(fmt::format("g{}", g), some);
    }
  }

  // Some earlier nodes of this rank, and what used the lane before.
  Deps deps(Member& member, const std::string& lane) {
    Deps made;
    for (int i = 0; i < draw(0, 3) && !member.ids.empty(); ++i)
      made.push_back(*rc::gen::elementOf(member.ids));
    if (!member.ids.empty() && chance(50)) made.push_back(member.ids.back());
    if (const auto before = member.last.find(lane); !lane.empty() && before != member.last.end())
      made.push_back(before->second);
    std::sort(made.begin(), made.end());
    made.erase(std::unique(made.begin(), made.end()), made.end());
    return made;
  }
  void note(Member& member, std::uint64_t id, const std::string& lane = {}) {
    member.ids.push_back(id);
    if (!lane.empty()) member.last[lane] = id;
  }
  // Under ASTRA rules all communication and memory shares one lane.
  [[nodiscard]] std::string lane(const std::string& own) const { return astra_ ? "comm" : own; }

  void event(std::int64_t number) {
    const std::int64_t what = draw(0, 10);
    if (what < 4) {
      for (Member& member : ranks_) {
        if (chance(70)) work(member, number);
      }
    } else if (what < 7) {
      collective();
    } else if (what < 9) {
      message(number);
    } else {
      Member& member =
          ranks_[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(ranks_.size())))];
      note(member, member.graph.load(draw(0, 100'000), deps(member, lane("memory"))),
           lane("memory"));
    }
  }

  void work(Member& member, std::int64_t number) {
    const std::int64_t what = draw(0, 10);
    const Deps before = deps(member, {});
    if (what < 5) {
      note(member, member.graph.comp(ns(draw(0, 20'000)), before));
    } else if (what < 6) {
      note(member, member.graph.comp(ns(draw(0, 5'000)), before, true));
    } else if (what < 8) {
      note(member, member.graph.work(draw(1, 5'000'000), draw(1, 500'000), before));
    } else if (what < 9) {
      note(member, member.graph.metadata(before));
    } else {
      std::vector<std::pair<std::string, std::int64_t>> reads;
      if (!member.tensors.empty()) reads.push_back(*rc::gen::elementOf(member.tensors));
      member.tensors.emplace_back(fmt::format("t{}", number), draw(1, 10'000));
      note(member, member.graph.tensors(reads, {member.tensors.back()}, ns(draw(1, 5000)), before));
    }
  }

  void collective() {
    const auto& [name, members] =
        groups_[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(groups_.size())))];
    const auto type = *rc::gen::element(CollectiveType::all_reduce, CollectiveType::all_gather,
                                        CollectiveType::reduce_scatter, CollectiveType::all_to_all);
    const std::int64_t bytes = !astra_ && chance(10) ? draw(0, 10) : draw(100, 200'000);
    const std::string its_lane = lane("collectives of " + name);
    for (const std::size_t m : members) {
      Member& member = ranks_[m];
      note(member, member.graph.coll(type, bytes, deps(member, its_lane), name), its_lane);
    }
  }

  void message(std::int64_t number) {
    const auto n = static_cast<std::int64_t>(ranks_.size());
    const std::int64_t from = draw(0, n), to = (from + draw(1, n)) % n;
    const std::int64_t bytes = draw(1, 100'000);
    const auto tag = static_cast<std::uint32_t>(number);
    Member& sender = ranks_[static_cast<std::size_t>(from)];
    Member& receiver = ranks_[static_cast<std::size_t>(to)];
    const std::string its_lane = lane(fmt::format("to {}", to));
    if (!lossy_ || chance(50)) {
      const Deps before = deps(sender, its_lane);
      note(sender, sender.graph.send(static_cast<std::int32_t>(to), bytes, tag, before), its_lane);
    }
    note(receiver,
         receiver.graph.recv(static_cast<std::int32_t>(from), bytes, tag, deps(receiver, {})));
  }

  bool astra_;
  bool lossy_;
  std::vector<Member> ranks_;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups_;
};

std::string words_of(const platform::Platform& platform) {
  std::string description = fmt::format(
      "{} rules, {} network, {} chunks", platform.rules == Rules::astra ? "astra" : "orrery",
      platform.network == platform::NetworkModelKind::message ? "message" : "analytical",
      platform.collectives.splits);
  if (platform.collectives.rendezvous) description += ", rendezvous";
  if (platform.replay_only) description += ", replay";
  for (const platform::Dimension& dim : platform.dims)
    description += fmt::format(", {} of {}", static_cast<int>(dim.block), dim.size);
  for (const platform::Deviation& deviation : platform.deviations) {
    description += fmt::format(", rank {} times {} from {}", deviation.ranks.front(),
                               deviation.compute_time, deviation.start.count());
    for (const auto& port : deviation.ports)
      description += fmt::format(" port {} {} {}", port.dim, port.bandwidth, port.latency_ns);
  }
  const auto& config = platform.collectives;
  for (const auto* plan : config.plans()) {
    description += "; ";
    for (const auto& spec : plan->per_dim)
      description += fmt::format("{}/{} ", static_cast<int>(spec.algorithm), spec.window);
  }
  return description;
}

}  // namespace

RandomCase random_case(bool lossy) {
  RandomCase made;
  const bool groups = chance(50);
  made.platform = random_platform(groups);
  made.workload = Author(made.platform, groups, lossy).write(draw(1, 25));
  made.description = words_of(made.platform);
  return made;
}

graph::Workload SerialCase::workload(std::uint32_t rank, std::size_t step, std::int64_t by) const {
  std::vector<Rank> made(ranks);
  std::vector<Deps> last(ranks);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto tag = static_cast<std::uint32_t>(i);
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const std::int64_t length = steps[i].lengths[r];
      if (!steps[i].shift) {
        last[r] = {made[r].comp(ps(length + (r == rank && i == step ? by : 0)), last[r])};
        continue;
      }
      const std::uint32_t to = (r + 1) % ranks, from = (r + ranks - 1) % ranks;
      const std::uint64_t out = made[r].send(static_cast<std::int32_t>(to), length, tag, last[r]);
      const std::uint64_t in =
          made[r].recv(static_cast<std::int32_t>(from), steps[i].lengths[from], tag, last[r]);
      last[r] = {out, in};
    }
  }
  return sim::testing::workload(made);
}

SerialCase serial_case() {
  SerialCase made;
  made.ranks = static_cast<std::uint32_t>(draw(2, 6));
  made.platform = sim::testing::line(Block::ring, made.ranks);
  for (std::int64_t i = draw(1, 8); i > 0; --i) {
    SerialCase::SerialStep step;
    step.shift = chance(50);
    for (std::uint32_t r = 0; r < made.ranks; ++r)
      step.lengths.push_back(draw(1, step.shift ? 20'000 : 20'000'000));
    made.steps.push_back(step);
  }
  return made;
}

}  // namespace orrery::conservation
