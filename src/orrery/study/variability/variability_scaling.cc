// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/variability/variability_scaling.h"

#include <algorithm>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/model/variability/rank_factor.h"

namespace orrery::study {
namespace {

constexpr std::uint64_t kMaxScale = 1u << 17;
constexpr std::uint32_t kScaleDraws = 256;

class Scaling {
 public:
  Scaling(const ScalingInputs& question, VariabilityAnswer& made)
      : question_(question), teams_(question.teams), made_(made) {}

  void note() {
    if (!question_.is_job && teams_.stages > 1) return;
    const model::RankFactor one(made_.variability, question_.seconds);
    const std::uint64_t unit = question_.is_job ? made_.ranks / teams_.replicas : 1;
    std::vector<std::uint64_t> scales{made_.ranks};
    for (std::uint64_t ranks = unit; ranks <= kMaxScale; ranks *= 8) scales.push_back(ranks);
    std::sort(scales.begin(), scales.end());
    scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
    for (const std::uint64_t ranks : scales) {
      const model::MaximumOf most(one, static_cast<double>(ranks));
      made_.scale.push_back({ranks, most.mean(), response_step(made_.response, most.mean(), 1),
                             response_step(made_.response, most.quantile(0.95), 1)});
    }
    if (teams_.stages > 1) draw_scale(one, unit);
  }

 private:
  /// With several stages, samples replicas; the factor of each team comes from the distribution of
  /// its maximum.
  void draw_scale(const model::RankFactor& one, std::uint64_t unit) {
    Teams replica;
    replica.stages = teams_.stages;
    if (teams_.grows) return draw_grown(one, replica);
    const model::MaximumOf most(one, static_cast<double>(made_.ranks) / teams_.count());
    const model::MaximumTable team(most);
    std::vector<std::vector<Time>> steps(made_.scale.size(), std::vector<Time>(kScaleDraws));
    ThreadPool(question_.threads).parallel_for(kScaleDraws, [&](std::uint32_t draw) {
      std::uint64_t bits = mix_bits(mix_bits(question_.seed) + draw);
      std::vector<double> factors(replica.stages);
      double worst = 0;
      std::uint64_t done = 0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        for (; done < made_.scale[i].ranks / unit; ++done) {
          for (double& factor : factors)
            factor = team.quantile(uniform_double(bits = mix_bits(bits)));
          worst = std::max(worst, effective(replica, made_.response, factors));
        }
        steps[i][draw] = response_step(made_.response, worst, 1);
      }
    });
    for (std::size_t i = 0; i < steps.size(); ++i) note_at_scale(i, std::move(steps[i]));
  }

  /// Samples a single replica, whose teams grow.
  void draw_grown(const model::RankFactor& one, const Teams& replica) {
    for (std::size_t i = 0; i < made_.scale.size(); ++i) {
      const model::MaximumOf most(one, static_cast<double>(made_.scale[i].ranks) / replica.stages);
      const model::MaximumTable team(most);
      std::vector<Time> steps;
      for (std::uint32_t draw = 0; draw < kScaleDraws; ++draw) {
        std::uint64_t bits = mix_bits(mix_bits(question_.seed) + draw);
        std::vector<double> factors(replica.stages);
        for (double& factor : factors)
          factor = team.quantile(uniform_double(bits = mix_bits(bits)));
        steps.push_back(
            response_step(made_.response, effective(replica, made_.response, factors), 1));
      }
      note_at_scale(i, std::move(steps));
    }
  }

  void note_at_scale(std::size_t i, std::vector<Time> steps) {
    const StepSpread spread = spread_of(std::move(steps));
    made_.scale[i].mean = spread.mean;
    made_.scale[i].p95 = spread.p95;
  }

  const ScalingInputs& question_;
  const Teams& teams_;
  VariabilityAnswer& made_;
};

}  // namespace

StepSpread spread_of(std::vector<Time> steps) {
  std::sort(steps.begin(), steps.end());
  double sum = 0;
  for (const Time step : steps) sum += seconds_of(step);
  return {time_of_seconds(sum / static_cast<double>(steps.size())),
          quantile_lower(steps, 0.5),
          quantile_lower(steps, 0.95),
          quantile_lower(steps, 0.99),
          quantile_lower(steps, 0),
          quantile_lower(steps, 1)};
}

void add_scaling(const ScalingInputs& question, VariabilityAnswer& made) {
  Scaling(question, made).note();
}

}  // namespace orrery::study
