// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/calibrate/variability_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "orrery/config/parameters.h"
#include "orrery/config/yaml_writer.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/graph/stragglers/peer_levels.h"
#include "orrery/graph/structure/node_selection.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/recordings/recorded_step_count.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {
namespace {

// Threshold of a stall: robust standard deviations, and a share.
constexpr double kStall = 8, kMinStall = 0.1;
// Standard deviation / median absolute deviation of a normal distribution.
constexpr double kRobust = 1.4826;

/// Seconds by row (rank) and column (step).
using Table = std::vector<std::vector<double>>;

/// Compute time of a rank in each step, in seconds.
std::vector<double> computed(const graph::Graph& graph, std::size_t steps) {
  const std::vector<std::uint32_t> step_of = graph::steps_of_works(graph, steps);
  std::vector<double> made(steps);
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    const auto of = graph::work_kind(graph, n);
    if (of == graph::WorkKind::kernels || of == graph::WorkKind::copies)
      made[step_of[n]] += static_cast<double>(graph.duration(n).count()) * 1e-12;
  }
  return made;
}

/// Sums of squares over classes of equivalent ranks.
struct SquareSums {
  double between = 0, within = 0;  // of rank means; of residuals
  double ranks = 0, rests = 0;     // degrees of freedom
  double steps = 1;
  std::uint64_t stalled = 0, cells = 0;
  double stall_seconds = 0;
};

/// The residual of each cell after subtracting row and column means, which exclude stalls.
class Residuals {
 public:
  explicit Residuals(Table logs) : logs_(std::move(logs)), out_(logs_.size()) {
    for (std::size_t r = 0; r < logs_.size(); ++r) out_[r].assign(logs_[r].size(), false);
  }

  [[nodiscard]] double row(std::size_t r) const {
    std::vector<double> retained;
    for (std::size_t s = 0; s < logs_[r].size(); ++s)
      if (!out_[r][s]) retained.push_back(logs_[r][s] - column_[s]);
    return mean(retained);
  }
  [[nodiscard]] double of(std::size_t r, std::size_t s) const {
    return logs_[r][s] - column_[s] - rows_[r];
  }
  [[nodiscard]] bool is_out(std::size_t r, std::size_t s) const { return out_[r][s]; }

  /// Centers columns at their medians over rows, so that a stall does not move them; at their means
  /// once stalls are excluded.
  void center() {
    column_.assign(logs_.front().size(), 0);
    for (std::size_t s = 0; s < column_.size(); ++s) {
      std::vector<double> retained;
      for (std::size_t r = 0; r < logs_.size(); ++r)
        if (!out_[r][s]) retained.push_back(logs_[r][s]);
      column_[s] = stalls_ ? mean(retained) : median(retained);
    }
    rows_.clear();
    for (std::size_t r = 0; r < logs_.size(); ++r) rows_.push_back(row(r));
  }

  void leave_out_stalls() {
    stalls_ = true;
    std::vector<double> sizes;
    for (std::size_t r = 0; r < logs_.size(); ++r) {
      std::vector<double> own;  // around the median, which a stall does not move
      for (std::size_t s = 0; s < column_.size(); ++s) own.push_back(logs_[r][s] - column_[s]);
      rows_[r] = median(own);
      for (std::size_t s = 0; s < column_.size(); ++s) sizes.push_back(std::abs(of(r, s)));
    }
    const double threshold = std::max(kStall * kRobust * median(sizes), kMinStall);
    for (std::size_t r = 0; r < logs_.size(); ++r)
      for (std::size_t s = 0; s < column_.size(); ++s) out_[r][s] = of(r, s) > threshold;
  }

 private:
  Table logs_;
  std::vector<std::vector<bool>> out_;
  std::vector<double> column_, rows_;
  bool stalls_ = false;
};

void add(const Table& seconds, SquareSums& sums) {
  Table logs;
  for (const auto& row : seconds) {
    auto& made = logs.emplace_back();
    for (const double one : row) made.push_back(std::log(std::max(one, 1e-12)));
  }
  const std::size_t ranks = logs.size(), steps = logs.front().size();
  Residuals residuals(std::move(logs));
  residuals.center();
  if (steps > 2) residuals.leave_out_stalls();
  residuals.center();
  std::vector<double> means;
  for (std::size_t r = 0; r < ranks; ++r) {
    means.push_back(residuals.row(r));
    for (std::size_t s = 0; s < steps; ++s) {
      ++sums.cells;
      if (residuals.is_out(r, s)) {
        ++sums.stalled;
        sums.stall_seconds += seconds[r][s] * (1 - std::exp(-residuals.of(r, s)));
      } else {
        sums.within += residuals.of(r, s) * residuals.of(r, s);
      }
    }
  }
  const double center = mean(means);
  for (const double one : means) sums.between += (one - center) * (one - center);
  sums.ranks += static_cast<double>(ranks - 1);
  // The steps of a single rank cannot separate jitter from the effect of the step.
  sums.rests += ranks > 1 ? static_cast<double>((ranks - 1) * (steps - 1)) : 0;
  sums.steps = static_cast<double>(steps);
}

platform::FactorDistribution lognormal(double variance) {
  platform::FactorDistribution made;
  made.distribution = platform::DistributionKind::lognormal;
  made.sigma = std::min(1.0, std::round(1e5 * std::sqrt(std::max(0.0, variance))) / 1e5);
  return made;
}

/// Variability over steps of the logarithm of total communication time, without waiting for other
/// ranks.
void add_network(const graph::Workload& workload, std::size_t steps, MeasuredVariability& made) {
  std::vector<double> of_step(steps);
  for (const graph::CommGroup& line : graph::comm_groups(workload)) {
    if (line.communications.size() < steps) continue;
    for (std::size_t i = 0; i < line.communications.size(); ++i)
      of_step[i * steps / line.communications.size()] +=
          static_cast<double>(line.communications[i].transfer.count()) * 1e-12;
  }
  if (steps < 2 || *std::min_element(of_step.begin(), of_step.end()) <= 0) return;
  for (double& one : of_step) one = std::log(one);
  made.network_known = true;
  made.variability.network = lognormal(sample_variance(of_step));
}

}  // namespace

MeasuredVariability measure_variability(const graph::Workload& workload, std::int64_t steps) {
  MeasuredVariability made;
  made.ranks = workload.rank_count();
  made.steps = steps;
  const graph::PeerLevels levels(workload);
  std::map<std::uint32_t, Table> classes;  // by class of peers
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    classes[levels.peer_class(rank)].push_back(
        computed(workload.graph(rank), static_cast<std::size_t>(steps)));
  SquareSums sums;
  for (const auto& [peers, table] : classes)
    if (table.size() > 1) add(table, sums);
  made.stalled = sums.stalled;
  made.jitter_known = sums.rests > 0;
  const double jitter = made.jitter_known ? sums.within / sums.rests : 0;
  if (made.jitter_known) made.variability.jitter = lognormal(jitter);
  made.speed_known = sums.ranks > 0;
  if (made.speed_known)
    made.variability.speed = lognormal(sums.between / sums.ranks - jitter / sums.steps);
  if (sums.stalled > 0) {
    made.variability.stalls.rate =
        static_cast<double>(sums.stalled) / static_cast<double>(sums.cells);
    made.variability.stalls.mean =
        Time(std::llround(sums.stall_seconds / static_cast<double>(sums.stalled) * 1e12));
  }
  add_network(workload, static_cast<std::size_t>(steps), made);
  return made;
}

Result<VariabilityCalibration> calibrate_variability(const RecordedTraces& recorded,
                                                     std::int64_t steps, Watch& watch) {
  if (auto fine = check_step_count(steps); !fine) return tl::unexpected(fine.error());
  Question question;
  question.recorded = recorded;
  VariabilityCalibration made;
  const auto read = WhatIfCase::read(std::move(question), "", watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  const graph::Workload& workload = read->workload();
  steps = step_count(workload, steps);
  made.measured = measure_variability(workload, steps);
  if (!made.measured.speed_known)
    return fail(Errc::input_unsupported, read->question().workload_name(),
                "no two ranks have the same work", "give the traces of several ranks of a job");
  platform::Variability file = made.measured.variability;
  file.name = "measured";
  file.about = fmt::format("{} ranks, {} steps", made.measured.ranks, steps);
  file.source = "orrery calibrate variability";
  file.assumed = made.measured.jitter_known
                     ? "log-normal distributions; ranks independent"
                     : "one step: all differences between ranks count as their speed";
  made.file = config::to_yaml(config::write_value(file), 2);
  return made;
}

}  // namespace orrery::study
