// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/serving/service_search.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "orrery/core/system/thread_pool.h"
#include "orrery/explore/front/front.h"
#include "orrery/explore/serving/service_group.h"

namespace orrery::explore {
namespace {

/// Estimates are not exact: setups up to this factor above the best estimate may be the best.
constexpr double kEstimateSlack = 1.5;

/// Options that concern one setup, or need a load over time. Errc: usage.
Result<void> check(const ServiceQuestion& question, const serving::ServiceLimits& limits) {
  const study::InferQuestion& service = question.service;
  if (!limits.limits_requests() && limits.statistics.empty())
    return fail(Errc::usage, "--slo", "is missing: a search needs limits",
                "--slo ttft_p99=500ms,tpot_p99=30ms");
  if (service.engine.engine == serving::Engine::static_batches)
    return fail(Errc::usage, "--engine", "a search does not estimate static batches",
                "vllm, sglang or trtllm");
  if (service.load.concurrency > 0)
    return fail(Errc::usage, "--max-concurrency", "has no rate that a search could serve",
                "--rate 10, or a file with arrivals");
  if (!service.load.benchmark.empty())
    return fail(Errc::usage, "--benchmark", "is compared with one setup, not with a search",
                "leave out --search, or give --rate and the lengths");
  if (!service.power.empty())
    return fail(Errc::usage, "--power", "is for one setup, not for a search", "leave it out");
  if (question.objective == ServiceObjective::cost && service.price.empty())
    return fail(Errc::usage, "--objective", "cost needs prices", "--price h100-sxm=2.5,h200=3.5");
  return {};
}

class Search {
 public:
  Search(const ServiceQuestion& question, const SearchedLoad& load, ServiceSearch& made)
      : question_(question),
        load_(load),
        made_(made),
        pool_(question.threads > 0 ? question.threads
                                   : std::max(1u, std::thread::hardware_concurrency())) {}

  Result<void> run(std::vector<InstanceSize> sizes) {
    std::vector<InstanceSize> larger;
    for (InstanceSize& one : sizes)
      one.is_fallback ? larger.push_back(std::move(one))
                      : static_cast<void>(groups_.emplace_back(std::move(one), load_));
    if (auto done = estimate_from(0); !done) return done;
    const std::size_t first = groups_.size();
    for (InstanceSize& one : larger)
      if (!holds(one.question.gpu)) groups_.emplace_back(std::move(one), load_);
    if (auto done = estimate_from(first); !done) return done;
    if (auto done = count_estimates(); !done) return done;
    if (auto done = simulate_best(); !done) return done;
    if (auto done = simulate_front(); !done) return done;
    for (const ServiceGroup& group : groups_) made_.simulations += group.simulations;
    return {};
  }

 private:
  /// Whether a size on a device holds the model.
  [[nodiscard]] bool holds(const std::string& gpu) const {
    return std::ranges::any_of(groups_, [&](const ServiceGroup& group) {
      return group.size().question.gpu == gpu && !group.setups.empty();
    });
  }

  /// Calls `work(group)` for the groups from `first` on, in parallel. Errc: of the first group that
  /// has one.
  template <class Work>
  Result<void> each_group(std::size_t first, const Work& work) {
    std::vector<Result<void>> done(groups_.size() - first);
    pool_.parallel_for(static_cast<std::uint32_t>(done.size()),
                       [&](std::uint32_t i) { done[i] = work(first + i); });
    for (Result<void>& one : done)
      if (!one) return one;
    return {};
  }
  Result<void> estimate_from(std::size_t first) {
    return each_group(first, [&](std::size_t group) { return groups_[group].estimate(); });
  }

  Result<void> count_estimates() {
    std::optional<Error> error;
    bool any = false;
    for (const ServiceGroup& group : groups_) {
      made_.setups += group.tried;
      made_.estimated += group.estimated;
      made_.overloaded += group.overloaded;
      for (const auto& [reason, count] : group.refused) made_.refused[reason] += count;
      if (!error && !group.errors.empty()) error = group.errors.front();
      any = any || !group.setups.empty();
      made_.missed += static_cast<std::uint64_t>(
          std::ranges::count_if(group.setups, [](const auto& one) { return !one.meets; }));
    }
    if (any || !error) return {};
    return tl::unexpected(*error);
  }

  [[nodiscard]] double objective_of(std::int64_t devices, double price) const {
    return static_cast<double>(devices) * (made_.objective == ServiceObjective::cost ? price : 1.0);
  }

  struct Candidate {
    std::size_t group = 0;
    const EstimatedSetup* setup = nullptr;
    double objective = 0;
  };
  /// The setups to simulate: the best by estimates, not too many of one group.
  [[nodiscard]] std::vector<Candidate> candidates() const {
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      for (const EstimatedSetup& one : groups_[i].setups)
        all.push_back(
            {i, &one,
             objective_of(one.instances * groups_[i].size().devices(), groups_[i].size().price)});
    std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) {
      if (a.setup->meets != b.setup->meets) return a.setup->meets;
      if (a.setup->meets && a.objective != b.objective) return a.objective < b.objective;
      return a.setup->ratio < b.setup->ratio;
    });
    const std::size_t most = std::max<std::size_t>(question_.simulated / 4, 1);
    std::vector<std::size_t> of_group(groups_.size());
    std::vector<Candidate> chosen;
    // A limit that no step reaches changes nothing: of equal estimates, the first is simulated.
    std::set<std::tuple<std::size_t, std::int64_t, double>> seen;
    for (const Candidate& one : all) {
      if (chosen.size() == question_.simulated) break;
      if (!seen.emplace(one.group, one.setup->instances, one.setup->ratio).second) continue;
      const bool worse = one.setup->meets
                             ? one.objective > kEstimateSlack * all.front().objective
                             : all.front().setup->meets ||
                                   one.setup->ratio > kEstimateSlack * all.front().setup->ratio;
      if (!worse && of_group[one.group]++ < most) chosen.push_back(one);
    }
    return chosen;
  }

  Result<void> simulate_best() {
    const std::vector<Candidate> chosen = candidates();
    std::vector<std::optional<ServicePoint>> points(chosen.size());
    auto done = each_group(0, [&](std::size_t group) -> Result<void> {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].group != group) continue;
        auto point = groups_[group].search(*chosen[i].setup);
        if (!point) return tl::unexpected(point.error());
        points[i] = *std::move(point);
      }
      return {};
    });
    if (!done) return done;
    for (std::optional<ServicePoint>& one : points) made_.best.push_back(*std::move(one));
    std::ranges::stable_sort(made_.best, [&](const ServicePoint& a, const ServicePoint& b) {
      if (a.meets != b.meets) return a.meets;
      const double first = objective_of(a.devices, a.price);
      const double second = objective_of(b.devices, b.price);
      return a.meets && first != second ? first < second : a.ratio < b.ratio;
    });
    for (const ServicePoint& one : made_.best)
      if (one.meets && one.simulated.tpot.mean > 0)
        made_.max_estimate_error =
            std::max(made_.max_estimate_error,
                     std::abs(one.estimate.tpot.mean / one.simulated.tpot.mean - 1));
    return {};
  }

  struct FrontSetup {
    std::size_t group = 0;
    EstimatedRates rates;
  };
  /// Setups on the estimated front of a device, at most `count`, evenly chosen.
  [[nodiscard]] std::vector<FrontSetup> estimated_front(const std::string& gpu,
                                                        std::size_t count) const {
    std::vector<FrontSetup> all;
    std::vector<Scores> scores;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].size().question.gpu == gpu)
        for (const EstimatedRates& one : groups_[i].rates) {
          all.push_back({i, one});
          scores.push_back({-one.user_rate, -one.device_rate});
        }
    const std::vector<bool> on_front = front_of(scores);
    std::vector<FrontSetup> front;
    std::set<Scores> seen;  // of equal ones, the first
    for (std::size_t i = 0; i < all.size(); ++i)
      if (on_front[i] && seen.insert(scores[i]).second) front.push_back(all[i]);
    std::ranges::stable_sort(front, [](const FrontSetup& a, const FrontSetup& b) {
      return a.rates.user_rate < b.rates.user_rate;
    });
    std::vector<FrontSetup> chosen;
    for (std::size_t i = 0; i < std::min(count, front.size()); ++i)
      chosen.push_back(
          front[count < front.size() && count > 1 ? i * (front.size() - 1) / (count - 1) : i]);
    return chosen;
  }

  Result<void> simulate_front() {
    std::vector<std::string> devices;
    for (const ServiceGroup& group : groups_)
      if (std::ranges::find(devices, group.size().question.gpu) == devices.end())
        devices.push_back(group.size().question.gpu);
    std::vector<FrontSetup> chosen;
    const std::size_t each = std::max<std::size_t>(question_.simulated / devices.size(), 5);
    for (const std::string& gpu : devices) {
      const auto some = estimated_front(gpu, each);
      chosen.insert(chosen.end(), some.begin(), some.end());
    }
    std::vector<std::optional<ServicePoint>> points(chosen.size());
    auto done = each_group(0, [&](std::size_t group) -> Result<void> {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].group != group) continue;
        auto point = groups_[group].simulate(chosen[i].rates.limits, chosen[i].rates.instances);
        if (!point) return tl::unexpected(point.error());
        points[i] = *std::move(point);
      }
      return {};
    });
    if (!done) return done;
    std::vector<ServicePoint> all = made_.best;
    for (std::optional<ServicePoint>& one : points) all.push_back(*std::move(one));
    for (const std::string& gpu : devices) add_front(gpu, all);
    return {};
  }

  /// The front of simulated setups on a device.
  void add_front(const std::string& gpu, const std::vector<ServicePoint>& all) {
    std::vector<const ServicePoint*> points;
    std::vector<Scores> scores;
    for (const ServicePoint& one : all) {
      if (one.question.gpu != gpu || one.user_rate() <= 0) continue;
      points.push_back(&one);
      scores.push_back({-one.user_rate(), -one.device_rate()});
    }
    const std::vector<bool> on_front = front_of(scores);
    std::set<Scores> seen;
    const auto first = static_cast<std::ptrdiff_t>(made_.front.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      if (on_front[i] && seen.insert(scores[i]).second) {
        made_.front.push_back(*points[i]);
        made_.front.back().front = true;
      }
    std::ranges::stable_sort(made_.front.begin() + first, made_.front.end(), {},
                             &ServicePoint::user_rate);
  }

  const ServiceQuestion& question_;
  const SearchedLoad& load_;
  ServiceSearch& made_;
  ThreadPool pool_;
  std::deque<ServiceGroup> groups_;
};

}  // namespace

double ServicePoint::user_rate() const {
  return simulated.tpot.mean > 0 ? 1 / simulated.tpot.mean : 0;
}

double ServicePoint::device_rate() const {
  return simulated.output_per_s / static_cast<double>(devices);
}

Result<ServiceSearch> search_services(const ServiceQuestion& question) {
  ServiceSearch made;
  const auto limits = study::parse_limits(question.service.slo);
  if (!limits) return tl::unexpected(limits.error());
  made.limits = *limits;
  if (auto fine = check(question, *limits); !fine) return tl::unexpected(fine.error());
  made.priced = !question.service.price.empty();
  made.objective = question.objective != ServiceObjective::automatic ? question.objective
                   : made.priced                                     ? ServiceObjective::cost
                                                                     : ServiceObjective::devices;
  auto sizes = instance_sizes(question.service);
  if (!sizes) return tl::unexpected(sizes.error());
  auto read = study::read_load(question.service.load, made.findings);
  if (!read) return tl::unexpected(read.error());
  made.load = std::move(read->words);
  SearchedLoad load{std::move(read->stream), {}, *limits, question.service.instances};
  load.moments = moments_of(load.stream);
  if (!(load.moments.rate > 0))
    return fail(Errc::usage, "--rate", "is missing: a search needs requests over time",
                "--rate 10, or a file with arrivals");
  if (auto fine = study::check_longest(question.service, load.stream); !fine)
    return tl::unexpected(fine.error());
  if (auto done = Search(question, load, made).run(*std::move(sizes)); !done)
    return tl::unexpected(done.error());
  if (!made.best.empty())  // for its findings
    if (const auto winner = study::set_up_engine(made.best.front().question, made.findings);
        !winner)
      return tl::unexpected(winner.error());
  return made;
}

}  // namespace orrery::explore
