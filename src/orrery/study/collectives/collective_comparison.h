// SPDX-License-Identifier: Apache-2.0
//
// One collective done in every way that is known here, beside what no way can beat.
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
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {

struct CollectiveComparisonQuestion {
  std::string collective, cluster;
  std::optional<Bytes> size;
  std::vector<std::uint32_t> ranks;  ///< ascending; empty: all
  std::int64_t experts = 0, top_k = 0;
  std::string dtype;
  std::string network;      ///< empty: flow, whatever the cluster's file says
  std::string chunk_order;  ///< empty: as the cluster's file says

  static constexpr auto fields = std::tuple{
      QuestionField{"collective", &CollectiveComparisonQuestion::collective, "COLLECTIVE", "",
                    kAnswer, "all-to-all",
                    "all-reduce, all-gather, reduce-scatter, all-to-all, or, of tokens to experts "
                    "and back, dispatch or combine"}
          .required(),
      QuestionField{"cluster", &CollectiveComparisonQuestion::cluster, "--cluster", "FILE", kAnswer,
                    "a100-40gb:8", "A file, or a name of the catalogue"}
          .required(),
      QuestionField{"size", &CollectiveComparisonQuestion::size, "--size", "SIZE", kAnswer, "64MB",
                    "Of the whole buffer: what a rank puts in or gets, whichever is more (1GB)"},
      QuestionField{"ranks", &CollectiveComparisonQuestion::ranks, "", "", kAnswer, "1",
                    "Those that take part"},
      QuestionField{"experts", &CollectiveComparisonQuestion::experts, "--experts", "N", kAnswer,
                    "16", "Of dispatch and combine: how many all ranks have together"},
      QuestionField{"top_k", &CollectiveComparisonQuestion::top_k, "--top-k", "N", kAnswer, "2",
                    "Of dispatch and combine: to how many experts a token goes"},
      QuestionField{"dtype", &CollectiveComparisonQuestion::dtype, "--dtype", "FORMAT", kAnswer,
                    "bf16",
                    "Of its numbers, which switches may be unable to add: fp32, bf16 … (any)"},
      network_field(&CollectiveComparisonQuestion::network),
      QuestionField{
          "chunk_order", &CollectiveComparisonQuestion::chunk_order, "--chunk-order", "ORDER",
          kAnswer, "themis",
          "In which order pieces visit the dimensions, instead of as the cluster's file says; "
          "best: the quickest that is found, in as many pieces as are the quickest"}};
};

/// A way to do it.
struct CollectiveAlternative {
  std::string name;   ///< "ring,in_network", "plan pat"
  std::string about;  ///< what it is, where that is not said by its name
  bool by_switches = false;
  Time time{};
  Time latency{};                          ///< of a byte from each
  std::optional<sim::ChunkChoice> chunks;  ///< where a model chose them
};

/// One that could not be tried.
struct SkippedAlternative {
  std::string name, why;
};

struct CollectiveComparison {
  std::string cluster, network, library;  ///< "nccl": what the cluster's own way is told by
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  graph::ExpertExchange exchange{};  ///< of dispatch and combine, all-to-alls of tokens' copies
  graph::Format numbers = graph::Format::unsaid;
  Bytes size{};
  std::vector<std::uint32_t> ranks;
  std::vector<CollectiveAlternative> alternatives;  ///< the fastest first
  std::vector<SkippedAlternative> skipped;
  synthesis::Bound bound;                        ///< where end points reduce and copy
  std::optional<synthesis::Bound> switch_bound;  ///< where switches do, if any can
  std::string reason;                            ///< why the first is first

  /// The one that holds for a way.
  [[nodiscard]] const synthesis::Bound& lower_bound_of(const CollectiveAlternative& way) const {
    return way.by_switches && switch_bound ? *switch_bound : bound;
  }
};

/// "all_reduce", "dispatch" …
[[nodiscard]] std::string_view collective_label(const CollectiveComparison& answer);

/// The words that name collectives here: "all-reduce" …
[[nodiscard]] std::vector<std::string_view> comparable_collectives();

/// Simulates each way alone on the cluster's network: the cluster's own, algorithms dimension by
/// dimension and over all ranks at once, those of switches that can, and plans among up to
/// kMaxPlanRanks ranks. Errc: usage (an unknown collective, ranks that are not there, experts that
/// cannot be, unknown numbers), those of
/// reading clusters, and of bounds.
[[nodiscard]] Result<CollectiveComparison> compare_collective(
    const CollectiveComparisonQuestion& question, Findings& findings);

inline constexpr std::uint32_t kMaxPlanRanks = 256;

}  // namespace orrery::study
