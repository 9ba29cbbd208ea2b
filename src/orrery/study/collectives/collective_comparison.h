// SPDX-License-Identifier: Apache-2.0
//
// Compares all known algorithms of one collective with its lower bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/graph.h"
#include "orrery/sim/chunk_choice.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/study/study.h"
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {

struct CollectiveComparisonQuestion {
  std::string collective, cluster;
  std::optional<Bytes> size;
  std::vector<std::uint32_t> ranks;  ///< ascending; empty: all
  std::int64_t experts = 0, top_k = 0;
  std::string dtype;
  std::string network;                         ///< empty: flow, regardless of the cluster file
  std::string chunk_order;                     ///< empty: as in the cluster file
  std::vector<std::string> network_bandwidth;  ///< of dimensions, instead of the cluster's
  std::vector<std::string> changes;            ///< of the cluster: links, variables of NCCL

  static constexpr auto fields = std::tuple{
      QuestionField{"collective", &CollectiveComparisonQuestion::collective, "COLLECTIVE", "",
                    kAnswer, "all-to-all",
                    "all-reduce, all-gather, reduce-scatter, all-to-all; for tokens of experts: "
                    "dispatch, combine"}
          .required(),
      QuestionField{"cluster", &CollectiveComparisonQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8", "A cluster file, or a name of the catalog"}
          .required(),
      QuestionField{
          "size", &CollectiveComparisonQuestion::size, "--size", "SIZE", kAnswer, "64MB",
          "Size of the full buffer: the larger of a rank's input and output; by default 1GB"},
      QuestionField{"ranks", &CollectiveComparisonQuestion::ranks, "", "", kAnswer, "1",
                    "Ranks that take part"},
      QuestionField{"experts", &CollectiveComparisonQuestion::experts, "--experts", "N", kAnswer,
                    "16", "dispatch, combine: number of experts on all ranks"},
      QuestionField{"top_k", &CollectiveComparisonQuestion::top_k, "--top-k", "N", kAnswer, "2",
                    "dispatch, combine: number of experts per token"},
      QuestionField{
          "dtype", &CollectiveComparisonQuestion::dtype, "--dtype", "FORMAT", kAnswer, "bf16",
          "Number format, which limits reduction in switches: fp32, bf16 …; by default any"},
      network_field(&CollectiveComparisonQuestion::network),
      QuestionField{"chunk_order", &CollectiveComparisonQuestion::chunk_order, "--chunk-order",
                    "ORDER", kAnswer, "themis",
                    "Order of dimensions for chunks, instead of the cluster's; best: the fastest "
                    "order and number of chunks that is found"},
      network_bandwidth_field(&CollectiveComparisonQuestion::network_bandwidth),
      QuestionField{"changes", &CollectiveComparisonQuestion::changes, "--change", "NAME=VALUE",
                    kAnswer, "inter=0.5",
                    "A change of the cluster: NCCL_ALGO=Ring (docs/reference/nccl-variables.md), "
                    "inter=25GB/s, latency=0.5"}
          .one_each()};
};

/// One algorithm.
struct CollectiveAlternative {
  std::string name;   ///< "ring,in_network", "plan pat"
  std::string about;  ///< description, when the name does not suffice
  bool by_switches = false;
  Time time{};
  Time latency{};                          ///< time with one byte per rank
  std::optional<sim::ChunkChoice> chunks;  ///< chunks and orders, if a model chose them
};

/// An algorithm that could not be simulated.
struct SkippedAlternative {
  std::string name, why;
};

struct CollectiveComparison {
  std::string cluster, network, library;  ///< "ideal"; "nccl": times of the cluster's algorithm
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  graph::ExpertExchange exchange{};  ///< dispatch and combine: all-to-alls of token copies
  graph::Format numbers = graph::Format::unsaid;
  Bytes size{};
  std::vector<std::uint32_t> ranks;
  std::vector<CollectiveAlternative> alternatives;  ///< by time, ascending
  std::vector<SkippedAlternative> skipped;
  synthesis::Bound bound;  ///< reduction and copies at endpoints only
  std::optional<synthesis::Bound>
      switch_bound;    ///< reduction in switches; empty: no alternative uses it
  std::string reason;  ///< why the first alternative is the fastest

  /// The bound that applies to an algorithm.
  [[nodiscard]] const synthesis::Bound& lower_bound_of(
      const CollectiveAlternative& alternative) const {
    return alternative.by_switches && switch_bound ? *switch_bound : bound;
  }
};

/// "all_reduce", "dispatch" …
[[nodiscard]] std::string_view collective_label(const CollectiveComparison& answer);

/// Names of collectives in this command: "all-reduce" …
[[nodiscard]] std::vector<std::string_view> comparable_collectives();

/// Simulates each algorithm alone on the cluster's network: the algorithm of the cluster file,
/// candidates by dimension and over all ranks at once, those of capable switches, and plans for up
/// to kMaxPlanRanks ranks. Errc: usage (an unknown collective, unknown ranks, invalid numbers of
/// experts, unknown number formats), those of reading clusters, and of bounds.
[[nodiscard]] Result<CollectiveComparison> compare_collective(
    const CollectiveComparisonQuestion& question, Watch& watch, Findings& findings);

inline constexpr std::uint32_t kMaxPlanRanks = 256;

}  // namespace orrery::study
