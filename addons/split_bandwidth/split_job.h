// SPDX-License-Identifier: Apache-2.0
//
// A cluster's bandwidth split for a job: as it is, equally, and best, each by formula and
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
  std::optional<Bandwidth> total;  ///< else what the cluster's dimensions have together
  SplitObjective objective = SplitObjective::time;
  std::vector<double> costs;                                      ///< of a GB/s by dimension
  std::vector<std::pair<std::uint32_t, Bandwidth>> lower, upper;  ///< of dimensions
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;     ///< as SplitProblem has it
};

/// One split, tried.
struct SplitTrial {
  std::vector<Bandwidth> bandwidth;  ///< of a device, by dimension
  double seconds = 0;                ///< of collectives and messages one after another, by formula
  double value = 0;                  ///< of the objective
  Time step{};                       ///< simulated: when the last rank ends
  Time exposed{};                    ///< … how long it communicates while nothing computes
};

struct SplitAnswer {
  enum Which : std::uint8_t { now, equal, best };

  std::string job, cluster;               ///< what they are called
  std::vector<platform::Dimension> dims;  ///< as they are
  SplitProblem problem;
  JobTraffic traffic;  ///< its demands are the problem's
  Split split;
  std::array<SplitTrial, 3> tried;  ///< by Which
  std::string file;                 ///< the cluster with the best split, every default
                                    ///< written out
};

/// Reads job and cluster, splits, and simulates the three. The rest of a step, which time × cost
/// asks for, is what the rank that ends last computes. Errc: those of reading and simulating and of
/// best_split; config_conflict for clusters whose network is a graph, and that have one dimension;
/// stall.
[[nodiscard]] Result<SplitAnswer> split_for_job(const SplitQuestion& asked, study::Watch& watch,
                                                Findings& findings);

}  // namespace orrery::split_bandwidth
