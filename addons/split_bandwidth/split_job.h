// SPDX-License-Identifier: Apache-2.0
//
// Splits a cluster's bandwidth for a job: unchanged, equal and optimal, each by formula and
// simulated.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addons/split_bandwidth/bandwidth_split.h"
#include "addons/split_bandwidth/job_traffic.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::split_bandwidth {

struct SplitQuestion {
  study::Question question;        ///< a job and a cluster file or name
  std::optional<Bandwidth> total;  ///< empty: the total over the cluster's dimensions
  SplitObjective objective = SplitObjective::time;
  std::vector<double> costs;                                      ///< per GB/s, by dimension
  std::vector<std::pair<std::uint32_t, Bandwidth>> lower, upper;  ///< bounds of dimensions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;     ///< as in SplitProblem
};

/// The evaluation of one split.
struct SplitTrial {
  std::vector<Bandwidth> bandwidth;  ///< per device, by dimension
  double seconds = 0;                ///< by formula: collectives and messages one after another
  double value = 0;                  ///< value of the objective
  Time step{};                       ///< simulated: end of the last rank
  Time exposed{};                    ///< simulated: communication without concurrent compute
};

struct SplitAnswer {
  enum Which : std::uint8_t { now, equal, best };

  std::string job, cluster;               ///< names for output
  std::vector<platform::Dimension> dims;  ///< of the original cluster
  SplitProblem problem;
  JobTraffic traffic;  ///< its demands are those of the problem
  Split split;
  std::array<SplitTrial, 3> tried;  ///< by Which
  std::string file;                 ///< cluster file with the optimal split and all defaults
};

/// Reads job and cluster, computes the splits, and simulates all three. The fixed time of a step,
/// for time × cost, is the compute time of the rank that ends last. Errc: those of reading and
/// simulating and of best_split; config_conflict for clusters whose network is a graph or has only
/// one dimension; stall.
[[nodiscard]] Result<SplitAnswer> split_for_job(const SplitQuestion& asked, study::Watch& watch,
                                                Findings& findings);

}  // namespace orrery::split_bandwidth
