// SPDX-License-Identifier: Apache-2.0
//
// One job on every network model: how far the cheaper ones are from the most detailed one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/models/network_names.h"
#include "orrery/core/quantity.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/study.h"

namespace orrery::study {

struct NetworkCheckQuestion {
  std::string limit = "2 min";  ///< CPU time of one simulation
  Question base;                ///< the job or the traces, the cluster, and the models

  static constexpr auto fields = std::tuple{
      QuestionStruct{
          "base", &NetworkCheckQuestion::base,
          SelectedRow{
              .name = "workload",
              .about = "The workload: traces PREFIX.0.et, PREFIX.1.et, …, or a file of messages",
              .options = "PREFIX"},
          SelectedRow{"groups", "Process groups of Chakra traces"},
          SelectedRow{"replicate", "Run the single trace on every rank"},
          SelectedRow{"cluster", "The cluster, for all network models"},
          SelectedRow{"collective_algorithm", "Algorithm of collectives on all networks"},
          SelectedRow{"compute", "Source of compute times"}, SelectedRow{"recorded"},
          SelectedRow{"job"}},
      QuestionField{"limit", &NetworkCheckQuestion::limit, "--limit", "TIME", kAnswer, "10min",
                    "Skip network models that need more CPU time by their estimate; by default "
                    "2 min"}};
};

/// The job on one network model.
struct CheckedNetwork {
  NetworkModelKind kind = NetworkModelKind::analytical;
  std::optional<Error> error;  ///< why it was not simulated
  // If it was:
  Time step{};
  Time communication{};                ///< exposed communication, mean over ranks
  std::uint64_t messages = 0;          ///< simulated one by one
  double cpu_seconds = 0;              ///< estimated
  std::optional<double> step_error{};  ///< relative to the most detailed one; empty: this is it
  std::optional<double>
      communication_error{};  ///< the same; empty also without communication there
};

struct NetworkCheck {
  std::string workload, cluster;
  std::uint32_t ranks = 0;
  std::vector<CheckedNetwork> networks;    ///< in the order of kNetworkModels
  std::optional<std::size_t> reference;    ///< the most detailed one that was simulated
  std::optional<std::size_t> recommended;  ///< the cheapest one with both errors within kClose
  /// Devices have several network adapters: `analytical` and `flow` divide each message over them,
  /// the most detailed model uses one.
  bool adapters_differ = false;
  Findings findings;

  static constexpr double kClose = 0.05;
};

/// Simulates the job on each network model. All run the same algorithms of collectives, message by
/// message if they contend; curves of collective libraries are not used. Errc: usage (no cluster,
/// no job, --limit), those of reading the inputs; stall if a step deadlocks. A model that cannot
/// run has an error of its own, unless none can.
[[nodiscard]] Result<NetworkCheck> check_networks(const NetworkCheckQuestion& question,
                                                  Watch& watch);

/// The table as CSV, with a line for each network model.
[[nodiscard]] std::string network_check_csv(const NetworkCheck& check);

}  // namespace orrery::study
