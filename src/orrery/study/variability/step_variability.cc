// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/variability/step_variability.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "orrery/core/statistics/statistics.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/model/variability/rank_factor.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/variability/variability_scaling.h"
#include "orrery/study/variability/variability_teams.h"

namespace orrery::study {
namespace {

using platform::DistributionKind;
using platform::Variability;

constexpr std::size_t kMaxKnots = 12;
constexpr double kGrid = 1e-4;  // resolution of simulated factors: ranks with equal ones fold

bool varies(const platform::FactorDistribution& spread) {
  return spread.distribution != DistributionKind::none;
}

/// The parts of the variability, each alone.
std::vector<std::pair<std::string, Variability>> parts_of(const Variability& all) {
  std::vector<std::pair<std::string, Variability>> made;
  Variability one;
  one.speed = all.speed;
  one.slow = all.slow;
  if (varies(all.speed) || all.slow.share > 0) made.emplace_back("speed", one);
  one = {};
  one.jitter = all.jitter;
  if (varies(all.jitter)) made.emplace_back("jitter", one);
  one = {};
  one.stalls = all.stalls;
  if (all.stalls.rate > 0 && all.stalls.mean > Time{}) made.emplace_back("stalls", one);
  one = {};
  one.network = all.network;
  if (varies(all.network)) made.emplace_back("network", one);
  return made;
}

class VariabilitySampler {
 public:
  VariabilitySampler(const VariabilityQuestion& question, Watch& watch)
      : question_(question), watch_(watch) {}

  Result<VariabilityAnswer> run() {
    if (auto fine = read(); !fine) return tl::unexpected(fine.error());
    auto done = question_.simulate ? draw_by_simulation() : draw_fast();
    if (!done) return tl::unexpected(done.error());
    note_slowest();
    return std::move(made_);
  }

 private:
  struct Drawn {
    Time step{}, without_stragglers{}, without_slowest{};
  };

  Result<void> read() {
    if (question_.draws < 1 || question_.draws > 1'000'000)
      return fail(Errc::usage, "--draws", "give 1 to 1000000");
    if (question_.verify < 0 || question_.verify > question_.draws)
      return fail(Errc::usage, "--verify-draws", "give 0 to the value of --draws");
    if (question_.seed < 0) return fail(Errc::usage, "--seed", "give a number, 0 or more");
    auto variability = platform::read_variability(question_.variability);
    if (!variability) return tl::unexpected(variability.error());
    made_.variability = *std::move(variability);
    Findings& findings = made_.findings;
    auto cluster = read_cluster(question_.base, findings);
    if (!cluster) return tl::unexpected(cluster.error());
    auto load = read_load(question_.base, *cluster, watch_, findings);
    if (!load) return tl::unexpected(load.error());
    inputs_ = {std::make_shared<const Cluster>(*std::move(cluster)),
               std::make_shared<const Load>(*std::move(load))};
    auto base = simulate(question_.base, inputs_, watch_, findings);
    if (!base) return tl::unexpected(base.error());
    if (base->result.stall)
      return fail(Errc::stall, question_.base.workload_name(), "the simulation deadlocks",
                  "orrery run without --variability shows where");
    made_.findings = base->findings;
    made_.workload = base->workload_name;
    made_.cluster = base->cluster_name;
    made_.without = base->result.end;
    made_.ranks = base->workload().rank_count();
    made_.draws = question_.draws;
    made_.seed = question_.seed;
    made_.same_fleet = question_.same_fleet;
    made_.simulated = question_.simulate;
    made_.recorded = !question_.base.recorded.traces.empty();
    for (std::uint32_t rank = 0; rank < made_.ranks; ++rank) {
      seconds_.push_back(seconds_of(base->result.ranks[rank].compute));
      made_.computing += seconds_.back() / seconds_of(made_.without) / made_.ranks;
      if (seconds_.back() <= 0) seconds_.back() = seconds_of(made_.without);
    }
    return {};
  }

  [[nodiscard]] std::uint64_t fleet(std::int64_t draw) const {
    return question_.same_fleet ? 0 : static_cast<std::uint64_t>(draw);
  }
  [[nodiscard]] double factor(const Variability& variability, std::int64_t draw,
                              std::uint32_t rank) const {
    return model::sample_rank(variability, static_cast<std::uint64_t>(question_.seed), fleet(draw),
                              static_cast<std::uint64_t>(draw), rank)
        .factor(seconds_[rank]);
  }
  [[nodiscard]] double network(const Variability& variability, std::int64_t draw) const {
    return model::sample_network(variability, static_cast<std::uint64_t>(question_.seed),
                                 static_cast<std::uint64_t>(draw));
  }
  [[nodiscard]] std::vector<double> factors(const Variability& variability,
                                            std::int64_t draw) const {
    std::vector<double> made(made_.ranks);
    for (std::uint32_t rank = 0; rank < made_.ranks; ++rank)
      made[rank] = factor(variability, draw, rank);
    return made;
  }

  /// Simulates the step with these factors, rank by rank if they differ.
  [[nodiscard]] Result<Time> simulate_with(std::vector<double> factors, double network) const {
    for (double& factor : factors) factor = std::max(std::round(factor / kGrid), 1.0) * kGrid;
    Question question = question_.base;
    question.record = false;
    Watch ignored_watch;
    Findings ignored_findings;
    auto outcome = simulate(question, scale_inputs(inputs_, factors, network), ignored_watch,
                            ignored_findings);
    if (!outcome) return tl::unexpected(outcome.error());
    if (outcome->result.stall)
      return fail(Errc::stall, question.workload_name(), "the simulation deadlocks");
    return outcome->result.end;
  }

  [[nodiscard]] std::uint32_t threads() const {
    const std::int64_t asked = question_.base.work.threads;
    return asked > 1 ? static_cast<std::uint32_t>(asked)
                     : std::max(1u, std::thread::hardware_concurrency());
  }

  /// Step times with these factors, and with the slowest rank, or all ranks, at the median.
  template <class StepWith>
  [[nodiscard]] Result<Drawn> three_steps(std::int64_t draw, const StepWith& step_with) const {
    std::vector<double> drawn = factors(made_.variability, draw);
    const double carried = network(made_.variability, draw);
    const double median = orrery::median(drawn);
    Result<Time> step = step_with(drawn, carried);
    if (!step) return tl::unexpected(step.error());
    *std::max_element(drawn.begin(), drawn.end()) = median;
    Result<Time> but = step_with(drawn, carried);
    if (!but) return tl::unexpected(but.error());
    drawn.assign(drawn.size(), median);
    Result<Time> none = step_with(drawn, carried);
    if (!none) return tl::unexpected(none.error());
    return Drawn{*step, *none, *but};
  }

  Result<void> summarize(const std::vector<Result<Drawn>>& drawn) {
    std::vector<Time> steps;
    double none = 0, but = 0;
    for (const Result<Drawn>& one : drawn) {
      if (!one) return tl::unexpected(one.error());
      steps.push_back(one->step);
      none += seconds_of(one->without_stragglers);
      but += seconds_of(one->without_slowest);
    }
    const auto count = static_cast<double>(drawn.size());
    made_.without_stragglers = time_of_seconds(none / count);
    made_.without_slowest = time_of_seconds(but / count);
    made_.steps = spread_of(std::move(steps));
    return {};
  }

  Result<void> draw_by_simulation() {
    std::vector<Result<Drawn>> drawn(static_cast<std::size_t>(made_.draws), Drawn{});
    ThreadPool(threads()).parallel_for(
        static_cast<std::uint32_t>(made_.draws), [&](std::uint32_t draw) {
          drawn[draw] = three_steps(draw, [&](const std::vector<double>& factors, double network) {
            return simulate_with(factors, network);
          });
        });
    return summarize(drawn);
  }

  // The fast path.

  [[nodiscard]] std::vector<double> team_factors(const std::vector<double>& ranks) const {
    std::vector<double> made(teams_.count(), -1e300);
    for (std::uint32_t rank = 0; rank < made_.ranks; ++rank) {
      double& team = made[teams_.of_rank[rank]];
      team = std::max(team, ranks[rank]);
    }
    return made;
  }
  [[nodiscard]] Time fast(const std::vector<double>& ranks, double network) const {
    return response_step(made_.response, effective(teams_, made_.response, team_factors(ranks)),
                         network);
  }

  /// Factors from slightly below 1 to the slowest rank of a thousand steps, for piecewise linear
  /// interpolation.
  [[nodiscard]] std::vector<double> factor_knots() const {
    const model::RankFactor one(made_.variability, mean_seconds());
    const model::MaximumOf upper(one, made_.ranks);
    const double delta = std::clamp(std::abs(upper.quantile(0.5) - 1), 0.005, 0.5);
    std::vector<double> times{-1, 0, 1, 4, 16};
    while (1 + times.back() * delta < upper.quantile(0.999) && times.size() < kMaxKnots)
      times.push_back(2 * times.back());
    for (double& knot : times) knot = std::round((1 + knot * delta) / kGrid) * kGrid;
    return times;
  }

  /// Measures the response of the step: simulates it with all ranks slower, with each stage slower,
  /// and with the network slower; each run is folded.
  Result<void> find_response() {
    StepResponse& response = made_.response;
    response.factors = factor_knots();
    response.networks = network_knots();
    const auto networks = static_cast<std::uint32_t>(response.networks.size());
    auto steps = simulate_each(
        static_cast<std::uint32_t>(response.factors.size()) * networks, [&](std::uint32_t i) {
          return std::pair(std::vector<double>(made_.ranks, response.factors[i / networks]),
                           response.networks[i % networks]);
        });
    if (!steps) return tl::unexpected(steps.error());
    response.steps = *std::move(steps);
    return find_stages();
  }

  /// Step times of `count` cases: factors of ranks and of the network.
  template <class Case>
  [[nodiscard]] Result<std::vector<Time>> simulate_each(std::uint32_t count,
                                                        const Case& case_of) const {
    std::vector<Result<Time>> steps(count, made_.without);
    ThreadPool(threads()).parallel_for(count, [&](std::uint32_t i) {
      auto [factors, network] = case_of(i);
      const bool as_is = network == 1 && std::all_of(factors.begin(), factors.end(),
                                                     [](double factor) { return factor == 1; });
      if (!as_is) steps[i] = simulate_with(std::move(factors), network);
    });
    std::vector<Time> made;
    for (const Result<Time>& step : steps) {
      if (!step) return tl::unexpected(step.error());
      made.push_back(*step);
    }
    return made;
  }

  /// Only 1 if the network does not vary, else quantiles from 1 % to 99 %.
  [[nodiscard]] std::vector<double> network_knots() const {
    const platform::FactorDistribution& spread = made_.variability.network;
    std::vector<double> knots{1};
    for (const double p : {0.01, 0.2, 0.5, 0.8, 0.99})
      if (const double knot = model::quantile(spread, p); std::abs(knot - 1) > 1e-6)
        knots.push_back(knot);
    std::sort(knots.begin(), knots.end());
    knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
    return knots;
  }

  /// Simulates each stage alone at each factor.
  Result<void> find_stages() {
    const std::vector<double>& factors = made_.response.factors;
    const auto count = static_cast<std::uint32_t>(factors.size());
    const auto alone =
        simulate_each(teams_.stages > 1 ? teams_.stages * count : 0, [&](std::uint32_t i) {
          std::vector<double> of_ranks(made_.ranks, 1);
          for (std::uint32_t rank = 0; rank < made_.ranks; ++rank)
            if (teams_.stage(rank) == i / count) of_ranks[rank] = factors[i % count];
          return std::pair(std::move(of_ranks), 1.0);
        });
    if (!alone) return tl::unexpected(alone.error());
    fit_stages(teams_.stages, *alone, made_.response);
    return {};
  }

  [[nodiscard]] double mean_seconds() const { return mean(seconds_); }

  Result<void> draw_fast() {
    auto teams = find_teams(*inputs_.load);
    if (!teams) return tl::unexpected(teams.error());
    teams_ = *std::move(teams);
    made_.stages = teams_.stages;
    made_.replicas = teams_.replicas;
    if (auto fine = find_response(); !fine) return fine;
    std::vector<Result<Drawn>> drawn(static_cast<std::size_t>(made_.draws), Drawn{});
    const auto parts = parts_of(made_.variability);
    const bool apart = parts.size() > 1;
    std::vector<std::vector<Time>> of_parts(parts.size(), std::vector<Time>(drawn.size()));
    ThreadPool(threads()).parallel_for(
        static_cast<std::uint32_t>(made_.draws), [&](std::uint32_t draw) {
          drawn[draw] = three_steps(
              draw, [&](const std::vector<double>& factors, double network) -> Result<Time> {
                return fast(factors, network);
              });
          for (std::size_t i = 0; apart && i < parts.size(); ++i)
            of_parts[i][draw] =
                fast(factors(parts[i].second, draw), network(parts[i].second, draw));
        });
    for (std::size_t i = 0; apart && i < parts.size(); ++i) {
      const StepSpread spread = spread_of(std::move(of_parts[i]));
      made_.parts.push_back({parts[i].first, spread.mean, spread.p95});
    }
    if (auto fine = summarize(drawn); !fine) return fine;
    note_closed_form();
    add_scaling({teams_, inputs_.load->program != nullptr, mean_seconds(), threads(),
                 static_cast<std::uint64_t>(question_.seed)},
                made_);
    return verify();
  }

  /// With one stage, the step time is a function of the slowest rank, whose distribution is known.
  void note_closed_form() {
    if (teams_.stages > 1 || varies(made_.variability.network) || question_.same_fleet) return;
    const model::RankFactor one(made_.variability, mean_seconds());
    const model::MaximumOf upper(one, made_.ranks);
    const auto at = [&](double p) { return response_step(made_.response, upper.quantile(p), 1); };
    StepSpread closed_form{{}, at(0.5), at(0.95), at(0.99), at(1e-3), at(1 - 1e-3)};
    closed_form.mean = response_step(made_.response, upper.mean(), 1);
    made_.closed_form = closed_form;
  }

  Result<void> verify() {
    for (std::int64_t draw = 0; draw < question_.verify; ++draw) {
      const std::vector<double> drawn = factors(made_.variability, draw);
      const double carried = network(made_.variability, draw);
      const auto simulated = simulate_with(drawn, carried);
      if (!simulated) return tl::unexpected(simulated.error());
      made_.verified.push_back({draw, *simulated, fast(drawn, carried)});
    }
    return {};
  }

  void note_slowest() {
    const model::RankFactor one(made_.variability, mean_seconds());
    const model::MaximumOf upper(one, made_.ranks);
    made_.slowest_mean = upper.mean();
    made_.slowest_p95 = upper.quantile(0.95);
    made_.slowest_p99 = upper.quantile(0.99);
  }

  const VariabilityQuestion& question_;
  Watch& watch_;
  Inputs inputs_;
  std::vector<double> seconds_;  // compute time in a step, by rank
  Teams teams_;
  VariabilityAnswer made_;
};

}  // namespace

Result<VariabilityAnswer> sample_steps(const VariabilityQuestion& question, Watch& watch) {
  return VariabilitySampler(question, watch).run();
}

}  // namespace orrery::study
