// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/text/text.h"
#include "orrery/model/collective/phase_factory.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"
#include "orrery/platform/cluster/fabric/fabric_hosts.h"
#include "orrery/study/collectives/algorithms/algorithm_candidates.h"
#include "orrery/study/collectives/algorithms/single_collective.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/synthesis/algorithms/planned_algorithms.h"
#include "orrery/synthesis/algorithms/ring_order.h"
#include "orrery/synthesis/plans/plan_graphs.h"

namespace orrery::study {

using graph::CollectiveType;
using platform::Platform;

namespace {

constexpr Bytes kOneGigabyte{1'000'000'000};
constexpr std::size_t kMaxCombined = 64;  // maximum number of candidates

constexpr std::array<std::string_view, 6> kCompared{"all-reduce", "all-gather", "reduce-scatter",
                                                    "all-to-all", "dispatch",   "combine"};

std::optional<CollectiveType> type_asked(const std::string& word) {
  if (word == "dispatch" || word == "combine") return CollectiveType::all_to_all;
  const calibrate::Collective* named = calibrate::find_collective(word);
  const auto& types = platform::kPlannedTypes;
  if (named == nullptr || std::find(types.begin(), types.end(), named->type) == types.end())
    return std::nullopt;
  return named->type;
}

/// The tokens of dispatch and combine; empty for other collectives.
Result<graph::ExpertExchange> exchange_of(const CollectiveComparisonQuestion& question) {
  graph::ExpertExchange exchange;
  const bool combine = question.collective == "combine";
  if (!combine && question.collective != "dispatch") {
    if (question.experts == 0 && question.top_k == 0) return exchange;
    return fail(Errc::usage, "--experts", "and --top-k apply only to dispatch and combine");
  }
  if (question.experts < 1 || question.experts > std::numeric_limits<std::uint16_t>::max())
    return fail(Errc::usage, "--experts",
                "must be the total number of experts of all ranks, 1 to 65,535", {});
  if (question.top_k < 1 || question.top_k > std::numeric_limits<std::uint8_t>::max() ||
      question.top_k > question.experts)
    return fail(Errc::usage, "--top-k",
                "must be the number of experts per token, 1 to 255 and at most --experts", {});
  exchange.set(graph::ExpertTransport::in_network, combine);
  exchange.experts = static_cast<std::uint16_t>(question.experts);
  exchange.top_k = static_cast<std::uint8_t>(question.top_k);
  return exchange;
}

Result<graph::Format> numbers_of(const CollectiveComparisonQuestion& question) {
  if (question.dtype.empty()) return graph::Format::unsaid;
  const auto numbers = graph::format_of(question.dtype);
  if (numbers && *numbers != graph::Format::unsaid) return *numbers;
  return fail(Errc::usage, "--dtype", in_quotes(question.dtype) + " is not a known number format",
              "fp64, fp32, bf16, fp16, fp8, int8, int32, int64");
}

/// Simulates algorithms, each at the requested size and at one byte per rank.
class AlgorithmTrials {
 public:
  AlgorithmTrials(const Cluster& cluster, Watch& watch, CollectiveComparison& answer)
      : cluster_(cluster), watch_(watch), answer_(answer) {
    const Bytes least(static_cast<std::int64_t>(answer.ranks.size()));
    whole_ = single_collective(answer.type, answer.size, answer.ranks, cluster.ranks,
                               answer.exchange, answer.numbers);
    least_ = single_collective(answer.type, least, answer.ranks, cluster.ranks, answer.exchange,
                               answer.numbers);
  }

  void run_own() {
    sim::Options options;
    options.library = cluster_.library;
    run("as in the cluster file", answer_.library == "nccl" ? "as NCCL runs it" : "",
        cluster_.platform, options, whole_, least_);
  }

  void run_labels(const std::string& words) {
    Platform platform = cluster_.platform;
    auto used = platform::use_algorithms(platform, words, static_cast<bool>(answer_.exchange));
    if (!used) return skip(words, used.error().what);
    run(words, "", platform, {}, whole_, least_);
  }

  void run_plan(const synthesis::PlannedAlgorithm& algorithm,
                const synthesis::AlgorithmShape& shape) {
    const std::string name = fmt::format("plan {}", algorithm.name);
    auto graphs = synthesis::lower_plan(algorithm.plan(shape));
    if (!graphs) return skip(name, graphs.error().what);
    Platform platform = cluster_.platform;
    platform.collectives.custom_by_node = {{1, std::string(kSingleCollective)}};
    graph::Workload whole = whole_, least = least_;
    whole.custom_collectives[std::string(kSingleCollective)] = *graphs;
    least.custom_collectives[std::string(kSingleCollective)] = *std::move(graphs);
    run(name, std::string(algorithm.description), platform, {}, whole, least);
  }

  /// The first error of a limit, if no algorithm could be tried.
  [[nodiscard]] std::optional<Error> exceeded() const {
    return answer_.alternatives.empty() ? exceeded_ : std::nullopt;
  }

  void skip(const std::string& name, const std::string& why) {
    answer_.skipped.push_back({name, why});
  }

 private:
  void run(const std::string& name, const std::string& about, const Platform& platform,
           sim::Options options, const graph::Workload& whole, const graph::Workload& least) {
    options.fold = true;  // the result is the same, with one rank for all equivalent ones
    const std::uint32_t ranks = whole.rank_count();
    options.estimated = [&](const sim::SimulationEstimate& estimate) {
      watch_.estimated(ranks, estimate.bytes, estimate.cpu_seconds);
    };
    const auto all = simulate_collectives(whole, platform, options);
    if (!all && all.error().code == Errc::limit_exceeded && !exceeded_) exceeded_ = all.error();
    if (!all) return skip(name, all.error().what);
    if (uses_switch_reduction(name) && all->findings.count(FindingCode::collective_not_added) > 0)
      return skip(name, fmt::format("its switches do not add {}", graph::name(answer_.numbers)));
    const auto byte = simulate_collectives(least, platform, options);
    if (!byte) return skip(name, byte.error().what);
    answer_.alternatives.push_back(
        {name, about, uses_switch_reduction(name), all->end, byte->end, {}});
    if (all->chunk_choices.size() == 1)
      answer_.alternatives.back().chunks = all->chunk_choices.front();
  }

  const Cluster& cluster_;
  Watch& watch_;
  CollectiveComparison& answer_;
  graph::Workload whole_, least_;
  std::optional<Error> exceeded_;
};

std::vector<std::string> candidates_of(const Platform& platform,
                                       const CollectiveComparison& answer) {
  std::vector<std::string> all =
      algorithm_candidates(platform, answer.type, answer.ranks, static_cast<bool>(answer.exchange));
  if (answer.ranks.size() > kMaxPlanRanks) {
    std::erase_if(all, [](const std::string& words) {
      return is_single_ring(words) && !uses_switch_reduction(words);
    });
  }
  return all;
}

void run_candidates(AlgorithmTrials& trials, std::vector<std::string> all) {
  if (all.size() > kMaxCombined) {
    trials.skip("combinations of algorithms",
                fmt::format("only the first {} of {} are tried", kMaxCombined, all.size()));
    all.resize(kMaxCombined);
  }
  for (const std::string& words : all) trials.run_labels(words);
}

/// Number of consecutive ranks of one host, if all hosts have equally many; else 1.
std::uint32_t inner_of(const Platform& platform, std::span<const std::uint32_t> ranks) {
  if (platform.dims.size() < 2 || ranks.size() != static_cast<std::size_t>(platform.npu_count()))
    return 1;
  return static_cast<std::uint32_t>(platform.dims.front().size);
}

/// Numbers of consecutive ranks per host of a fabric, if all ranks take part and hosts differ.
std::vector<std::uint32_t> unequal_hosts(const Platform& platform,
                                         std::span<const std::uint32_t> ranks) {
  if (platform.fabric == nullptr || ranks.size() != platform.fabric->rank_devices.size()) return {};
  std::vector<std::uint32_t> sizes = platform::ranks_per_host(platform, ranks);
  const bool equal =
      std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
  return equal ? std::vector<std::uint32_t>() : sizes;
}

std::string share_text(Time part, Time whole) {
  return fmt::format("{:.0f} %", whole.count() == 0 ? 0.0
                                                    : 100.0 * static_cast<double>(part.count()) /
                                                          static_cast<double>(whole.count()));
}

/// Explains why the first alternative is the fastest: latency, or time for bytes.
std::string reason_of(const CollectiveComparison& answer) {
  if (answer.alternatives.empty()) return "no algorithm could be tried";
  const CollectiveAlternative& first = answer.alternatives[0];
  const synthesis::Bound& bound = answer.lower_bound_of(first);
  std::string text = fmt::format(
      "{} is {:.2f} times the bound; {} of its time is latency", first.name,
      bound.total.count() == 0
          ? 0.0
          : static_cast<double>(first.time.count()) / static_cast<double>(bound.total.count()),
      share_text(first.latency, first.time));
  const auto other = std::find_if(answer.alternatives.begin() + 1, answer.alternatives.end(),
                                  [&](const auto& one) { return one.time > first.time; });
  if (other == answer.alternatives.end()) return text;
  const Time bytes = first.time - first.latency, others = other->time - other->latency;
  const double more = 100.0 * static_cast<double>((other->time - first.time).count()) /
                      static_cast<double>(first.time.count());
  text += fmt::format("; the next, {}, is {:.3g} % slower: ", other->name, more);
  if (bytes < others && first.latency < other->latency)
    return text + "more latency and more time for bytes";
  return text + (bytes < others ? "more time for bytes" : "more latency");
}

Result<void> check_ranks(const std::vector<std::uint32_t>& ranks, std::uint32_t all) {
  if (ranks.empty()) return {};
  const bool ascending =
      std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end();
  if (ranks.size() > 1 && ascending && ranks.back() < all) return {};
  return fail(Errc::usage, "--ranks",
              fmt::format("must name two or more of ranks 0 to {}, each once", all - 1));
}

// Rounds the size to equal shares of at least one byte.
void set_size(const CollectiveComparisonQuestion& question, std::uint32_t ranks,
              CollectiveComparison& answer) {
  answer.ranks = question.ranks;
  if (answer.ranks.empty()) {
    answer.ranks.resize(ranks);
    std::iota(answer.ranks.begin(), answer.ranks.end(), 0U);
  }
  const auto members = static_cast<std::int64_t>(answer.ranks.size());
  const std::int64_t each = question.size.value_or(kOneGigabyte).count() / members;
  answer.size = Bytes(std::max(each, std::int64_t{1}) * members);
}

/// Only the cluster can change.
Result<void> check_changes(const std::vector<std::string>& texts) {
  const auto changes = parse_changes(texts);
  if (!changes) return tl::unexpected(changes.error());
  for (const Change& change : *changes)
    if (change.level != ChangeScope::cluster)
      return fail(Errc::usage, "--change " + change.text,
                  "changes a job, but a collective has none",
                  "changes of the cluster: NCCL_ALGO=Ring, inter=25GB/s, bandwidth=2, latency=0.5");
  return check_compatible(*changes);
}

Result<Cluster> cluster_for(const CollectiveComparisonQuestion& question, Findings& findings) {
  Question about;
  about.cluster = question.cluster;
  about.network = question.network;
  about.chunk_order = question.chunk_order;
  about.network_bandwidth = question.network_bandwidth;
  about.changes = question.changes;
  if (auto fine = check_changes(question.changes); !fine) return tl::unexpected(fine.error());
  if (auto settled = settle(about); !settled) return tl::unexpected(settled.error());
  auto cluster = read_cluster(about, findings);
  if (!cluster) return cluster;
  // Without contention the comparison would favor algorithms that no real network allows.
  if (question.network.empty()) cluster->platform.network = platform::NetworkModelKind::flow;
  if (auto fine = check_ranks(question.ranks, cluster->ranks); !fine)
    return tl::unexpected(fine.error());
  return cluster;
}

/// Among all ranks, each algorithm runs along the dimensions: none can run if one is too large.
Result<void> check_dimensions(const Cluster& cluster,
                              const CollectiveComparisonQuestion& question) {
  if (!question.ranks.empty()) return {};
  const auto& dims = cluster.platform.dims;
  const auto large = std::find_if(dims.begin(), dims.end(), [](const platform::Dimension& dim) {
    return dim.size > std::int64_t{model::PhaseFactory::kMaxMembers};
  });
  if (large == dims.end()) return {};
  return fail(
      Errc::limit_exceeded, question.cluster,
      fmt::format("dimension {} has {} members, but a collective can have at most {} in one "
                  "dimension",
                  large - dims.begin(), large->size, model::PhaseFactory::kMaxMembers),
      "describe the network with more dimensions, or compare among some --ranks");
}

/// The ranks as planned algorithms use them.
synthesis::AlgorithmShape shape_of(const synthesis::FabricState& fabric_state,
                                   const Platform& platform, const CollectiveComparison& answer) {
  synthesis::AlgorithmShape shape;
  shape.ranks = static_cast<std::uint32_t>(answer.ranks.size());
  shape.inner = inner_of(platform, answer.ranks);
  if (shape.inner == 1) shape.unequal_hosts = unequal_hosts(platform, answer.ranks);
  shape.order = synthesis::ring_order(fabric_state, answer.ranks);
  return shape;
}

/// The planned algorithms that support these ranks, if they are not too many.
std::vector<const synthesis::PlannedAlgorithm*> plans_of(const CollectiveComparison& answer,
                                                         const synthesis::AlgorithmShape& shape) {
  std::vector<const synthesis::PlannedAlgorithm*> made;
  for (const synthesis::PlannedAlgorithm& algorithm : synthesis::planned_algorithms()) {
    if (algorithm.collective == answer.type && algorithm.supports(shape))
      made.push_back(&algorithm);
  }
  return made;
}

/// Tries all algorithms.
void run_all(AlgorithmTrials& trials, const synthesis::FabricState& fabric_state,
             const Platform& platform, const CollectiveComparison& answer, Watch& watch) {
  const bool has_plans = answer.ranks.size() <= kMaxPlanRanks;
  synthesis::AlgorithmShape shape;
  if (has_plans) shape = shape_of(fabric_state, platform, answer);
  std::vector<const synthesis::PlannedAlgorithm*> plans;
  if (has_plans) plans = plans_of(answer, shape);
  std::vector<std::string> candidates = candidates_of(platform, answer);
  const std::size_t algorithms = 1 + std::min(candidates.size(), kMaxCombined) + plans.size();
  watch.simulations(static_cast<std::uint32_t>(2 * algorithms));
  trials.run_own();
  run_candidates(trials, std::move(candidates));
  if (!has_plans)
    trials.skip("plans and algorithms over all ranks at once",
                fmt::format("tried with up to {} ranks only", kMaxPlanRanks));
  for (const synthesis::PlannedAlgorithm* plan : plans) trials.run_plan(*plan, shape);
}

}  // namespace

std::string_view collective_label(const CollectiveComparison& answer) {
  if (answer.exchange) return answer.exchange.is_combine() ? "combine" : "dispatch";
  return graph::name(answer.type);
}

std::vector<std::string_view> comparable_collectives() {
  return {kCompared.begin(), kCompared.end()};
}

Result<CollectiveComparison> compare_collective(const CollectiveComparisonQuestion& question,
                                                Watch& watch, Findings& findings) {
  const auto type = type_asked(question.collective);
  if (!type) {
    return fail(Errc::usage, "COLLECTIVE",
                in_quotes(question.collective) + " is not a collective that can be compared",
                fmt::format("one of {}", fmt::join(comparable_collectives(), ", ")));
  }
  const auto exchange = exchange_of(question);
  if (!exchange) return tl::unexpected(exchange.error());
  const auto numbers = numbers_of(question);
  if (!numbers) return tl::unexpected(numbers.error());
  const auto cluster = cluster_for(question, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  const Platform& platform = cluster->platform;
  if (auto fits = check_dimensions(*cluster, question); !fits) return tl::unexpected(fits.error());
  CollectiveComparison answer;
  answer.cluster = question.cluster;
  answer.network = network_model(platform.network).name;
  answer.library =
      platform.collectives.library == platform::CollectiveLibrary::nccl ? "nccl" : "ideal";
  answer.type = *type;
  answer.exchange = *exchange;
  answer.numbers = *numbers;
  set_size(question, cluster->ranks, answer);
  const auto fabric_state = synthesis::make_fabric_state(platform);
  if (!fabric_state) return tl::unexpected(fabric_state.error());
  synthesis::BoundQuestion bound{*type, answer.size, answer.ranks};
  bound.exchange = answer.exchange;
  auto least = synthesis::lower_bound_of(*fabric_state, bound);
  if (!least) return tl::unexpected(least.error());
  answer.bound = *std::move(least);
  AlgorithmTrials trials(*cluster, watch, answer);
  run_all(trials, *fabric_state, platform, answer, watch);
  if (const auto exceeded = trials.exceeded()) return tl::unexpected(*exceeded);
  // Tokens may be copied anywhere, so one bound applies to all.
  if (!answer.exchange &&
      std::any_of(answer.alternatives.begin(), answer.alternatives.end(),
                  [](const CollectiveAlternative& one) { return one.by_switches; })) {
    bound.in_network = synthesis::SwitchCapability::reduces;
    if (auto switch_bound = synthesis::lower_bound_of(*fabric_state, bound))
      answer.switch_bound = *std::move(switch_bound);
  }
  std::stable_sort(answer.alternatives.begin(), answer.alternatives.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  answer.reason = reason_of(answer);
  return answer;
}

}  // namespace orrery::study
