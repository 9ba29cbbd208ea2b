// SPDX-License-Identifier: Apache-2.0
//
// One job on several networks: the step on each, named by what differs between the networks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/analysis/metrics/prediction_interval.h"
#include "orrery/analysis/metrics/run_digest.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/question.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/study/study.h"

namespace orrery::study {

struct NetworkComparisonQuestion {
  /// Each is a cluster ("h100-sxm:64", a file), changes of the links of the first cluster
  /// ("inter=25GB/s", "inter=roce-400,2us"), or both ("h100-sxm:64,inter=25GB/s").
  std::vector<std::string> networks;
  std::vector<std::string> clusters;  ///< the same, in front of `networks`
  std::vector<std::string> prices;    ///< of a device per hour: one for all, or one for each
  Question base;                      ///< the job or the traces, and the models

  static constexpr auto fields = std::tuple{
      QuestionField{"networks", &NetworkComparisonQuestion::networks, "NETWORKS", "", kAnswer,
                    "inter=0.5",
                    "Clusters, or changes of the links of the first one: inter=25GB/s, "
                    "inter=roce-400, inter=25GB/s,2us"},
      QuestionField{"clusters", &NetworkComparisonQuestion::clusters, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8", "A cluster, as the arguments; may be repeated"}
          .one_each(),
      QuestionField{"prices", &NetworkComparisonQuestion::prices, "--price", "PRICE", kAnswer,
                    "2.5",
                    "Price of a device per hour, in any currency: one for all networks, or one for "
                    "each"}
          .one_each(),
      QuestionStruct{
          "base", &NetworkComparisonQuestion::base,
          SelectedRow{"workload", "Prefix of Chakra traces"},
          SelectedRow{"groups", "Process groups of Chakra traces"},
          SelectedRow{"replicate", "Run the single trace on every rank"},
          SelectedRow{"network", "Network model for all networks"},
          SelectedRow{"collective_algorithm", "Algorithm of collectives on all networks"},
          SelectedRow{"compute", "Source of compute times"}, SelectedRow{"recorded"},
          SelectedRow{"job"}}};
};

/// What a rank sends over one dimension.
struct DimensionTraffic {
  std::size_t dim = 0;
  std::string label;  ///< "intra", "inter", "dimension 2"
  std::uint64_t bytes = 0;
};

/// A kind of exposed communication.
struct ExposedKind {
  std::string group;  ///< "tp", "dp"; empty: messages, and collectives without a named group
  Time time{};
};

/// The step on one network.
struct NetworkResult {
  std::string given;  ///< "h100-sxm:64 --network-bandwidth inter=25GB/s"
  std::string name;   ///< what differs from the others: "25 GB/s"
  analysis::Digest digest;
  std::vector<ExposedKind> exposed;  ///< of the slowest rank, longest first
  /// By dimension, ascending: bytes that a rank must send for its collectives (size × the factor of
  /// nccl-tests' bus bandwidth) and messages. Each counts in the outermost dimension that its group
  /// spans. Of the slowest rank.
  std::vector<DimensionTraffic> traffic;
  analysis::StepDifference difference;  ///< this step minus the first one
  std::optional<double> device_price;   ///< per hour

  /// Of a step, in the currency of the price.
  [[nodiscard]] std::optional<double> cost() const;
};

struct NetworkComparison {
  std::string workload;
  std::uint32_t ranks = 0;
  std::vector<NetworkResult> networks;  ///< two or more, in the given order
  Findings findings;
};

/// Simulates the job on each network. Errc: as simulate; usage for fewer than two networks, for
/// changes without a cluster, and for two networks that do not differ; stall if a step deadlocks.
[[nodiscard]] Result<NetworkComparison> compare_networks(const NetworkComparisonQuestion& question);

}  // namespace orrery::study
