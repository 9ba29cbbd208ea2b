// SPDX-License-Identifier: Apache-2.0
//
// Checks a collective plan: its content, its correctness and its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/plans/plan_check.h"

namespace orrery::study {

struct CollectivePlanQuestion {
  std::string file;
  std::optional<Bytes> size;
  std::string cluster, network;
  std::vector<std::uint32_t> ranks;            ///< ascending; empty: the first ranks of the cluster
  std::vector<std::string> network_bandwidth;  ///< of dimensions, instead of the cluster's

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &CollectivePlanQuestion::file, "", "", kAnswer, "plan.xml",
                    "A plan, or the prefix of Chakra traces"},
      QuestionField{
          "size", &CollectivePlanQuestion::size, "--size", "SIZE", kAnswer, "64MB",
          "Size of the full buffer: the larger of a rank's input and output; by default 1GB"},
      QuestionField{"cluster", &CollectivePlanQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8",
                    "Cluster to simulate the plan on: a file, or a name of the catalog"},
      QuestionField{"ranks", &CollectivePlanQuestion::ranks, "", "", kAnswer, "1",
                    "Ranks of the cluster that run the plan"},
      network_bandwidth_field(&CollectivePlanQuestion::network_bandwidth),
      network_field(&CollectivePlanQuestion::network)};
};

/// A simulation of one plan, or of several concurrent plans.
struct PlanRun {
  std::string cluster;  ///< its name
  std::string network;  ///< "flow"
  Bytes size{};         ///< complete buffer, rounded to equal shares
  Time time{};
  std::uint64_t messages = 0;
  double algorithm_bandwidth = 0;  ///< bytes per second; 0: several plans
  double bus_bandwidth = 0;        ///< bytes per second, as nccl-tests defines it; 0: unknown
  std::optional<Time> own;         ///< time with the algorithms of the cluster; empty: unknown
};

struct CollectivePlanAnswer {
  synthesis::Plan plan;
  synthesis::PlanCheck check;
  Bytes size{};
  std::vector<std::uint64_t> chunks_sent;  ///< by rank
  std::uint64_t max_block_steps = 0;       ///< number of steps
  std::optional<PlanRun> run;              ///< of a correct plan, if a cluster is given

  /// Bytes of `chunks` chunks.
  [[nodiscard]] Bytes bytes_of(std::uint64_t chunks) const;
};

/// Reads and checks a plan, and simulates it if it is correct and a cluster is given. Errc: those
/// of reading; config_conflict for a cluster with too few devices; stall.
[[nodiscard]] Result<CollectivePlanAnswer> check_collective_plan(
    const CollectivePlanQuestion& question, Findings& findings);

/// Several plans, and their concurrent simulation.
struct CollectivePlansAnswer {
  std::vector<CollectivePlanAnswer> plans;
  /// Simulation of all plans, until the last one ends; empty: a plan is incorrect, or no cluster is
  /// given.
  std::optional<PlanRun> run;
};

/// Checks each plan, and then simulates all of them concurrently on the cluster. Ranks may run
/// several plans. `questions` differ in file and ranks. Errc: as check_collective_plan(); usage if
/// a cluster is given and a question names no ranks.
[[nodiscard]] Result<CollectivePlansAnswer> check_collective_plans(
    const std::vector<CollectivePlanQuestion>& questions, Findings& findings);

/// Simulates one collective with `plan` among the first ranks of `platform`. Errc: those of
/// simulate(); config_conflict.
[[nodiscard]] Result<Time> simulate_plan(const synthesis::Plan& plan, Bytes size,
                                         const platform::Platform& platform, bool fold);

}  // namespace orrery::study
