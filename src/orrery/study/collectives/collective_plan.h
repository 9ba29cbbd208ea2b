// SPDX-License-Identifier: Apache-2.0
//
// A plan of a collective looked at: what it does, whether it is right, how long it takes.
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
  std::vector<std::uint32_t> ranks;  ///< ascending; empty: the first

  static constexpr auto fields = std::tuple{
      QuestionField{"file", &CollectivePlanQuestion::file, "", "", kAnswer, "plan.xml",
                    "A plan, or Chakra traces by their prefix"},
      QuestionField{"size", &CollectivePlanQuestion::size, "--size", "SIZE", kAnswer, "64MB",
                    "Of the whole buffer: what a rank puts in or gets, whichever is more (1GB)"},
      QuestionField{"cluster", &CollectivePlanQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8", "Run it there: a file, or a name"},
      QuestionField{"ranks", &CollectivePlanQuestion::ranks, "", "", kAnswer, "1",
                    "Which of the cluster's ranks are its GPUs"},
      network_field(&CollectivePlanQuestion::network)};
};

/// One collective alone, or several at once.
struct PlanRun {
  std::string cluster;  ///< what it is called
  std::string network;  ///< "flow"
  Bytes size{};         ///< of the whole buffer: what was asked for, in equal shares
  Time time{};
  std::uint64_t messages = 0;
  double algorithm_bandwidth = 0;  ///< bytes per second; 0: of several
  double bus_bandwidth = 0;        ///< likewise, as nccl-tests has it; 0: not known
  std::optional<Time> own;  ///< the same by what the cluster runs without a plan; empty: unknown
};

struct CollectivePlanAnswer {
  synthesis::Plan plan;
  synthesis::PlanCheck check;
  Bytes size{};
  std::vector<std::uint64_t> chunks_sent;  ///< by rank
  std::uint64_t longest_block = 0;         ///< steps
  std::optional<PlanRun> run;              ///< of a right plan, where there is a cluster

  /// Bytes of so many chunks.
  [[nodiscard]] Bytes bytes_of(std::uint64_t chunks) const;
};

/// Errc: what reading says; config_conflict for a cluster with too few devices; stall.
[[nodiscard]] Result<CollectivePlanAnswer> check_collective_plan(
    const CollectivePlanQuestion& question, Findings& findings);

/// Several plans, and all of them at once.
struct CollectivePlansAnswer {
  std::vector<CollectivePlanAnswer> plans;
  std::optional<PlanRun> run;  ///< of right plans, where there is a cluster: until the last ends
};

/// As check_collective_plan() for each; then on the cluster they run all at once, each among its
/// ranks, of which some may be in several. `questions` differ in file and ranks. Errc: as above;
/// usage where there is a cluster and one names no ranks.
[[nodiscard]] Result<CollectivePlansAnswer> check_collective_plans(
    const std::vector<CollectivePlanQuestion>& questions, Findings& findings);

/// One collective by that plan on that platform, among its first ranks. Errc: those of simulate();
/// config_conflict.
[[nodiscard]] Result<Time> simulate_plan(const synthesis::Plan& plan, Bytes size,
                                         const platform::Platform& platform, bool fold);

}  // namespace orrery::study
