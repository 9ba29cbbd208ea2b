// SPDX-License-Identifier: Apache-2.0
//
// Synthesizes a collective schedule for a fabric: which link carries which chunk when. Compares it
// with the lower bound of any schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/search/synthesize.h"

namespace orrery::study {

struct CollectiveSynthesisQuestion {
  std::string collective, fabric;
  Bytes size{1 << 30};             ///< size of the full buffer of each group
  std::vector<std::string> ranks;  ///< "0-7,16" per group; empty: all ranks
  std::int64_t root = 0, chunks = 0, seed = 1;
  bool search = false;
  bool relays = true, streams = true;

  static constexpr auto fields = std::tuple{
      QuestionField{"collective", &CollectiveSynthesisQuestion::collective, "COLLECTIVE", "",
                    kAnswer, "broadcast",
                    "all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce"}
          .required(),
      QuestionField{"fabric", &CollectiveSynthesisQuestion::fabric, "--fabric", "FILE", kAnswer,
                    "a100-40gb:8", "A fabric or a cluster"}
          .required(),
      QuestionField{
          "size", &CollectiveSynthesisQuestion::size, "--size", "SIZE", kAnswer, "64MB",
          "Size of the full buffer: the larger of a rank's input and output; by default 1GiB"},
      QuestionField{
          "ranks", &CollectiveSynthesisQuestion::ranks, "--ranks", "LIST", kAnswer, "0-3",
          "Only these ranks: 0-7,16; repeated: several groups, whose collectives run concurrently"},
      QuestionField{"root", &CollectiveSynthesisQuestion::root, "--root", "N", kAnswer, "1",
                    "broadcast, reduce: index of the root in its group; by default 0"},
      QuestionField{"chunks", &CollectiveSynthesisQuestion::chunks, "--shard-chunks", "N", kAnswer,
                    "3", "Chunks of each rank's shard; by default several numbers are tried"},
      QuestionField{"seed", &CollectiveSynthesisQuestion::seed, "--seed", "N", kAnswer, "2",
                    "Random seed; by default 1"},
      QuestionField{"search", &CollectiveSynthesisQuestion::search, "--search", "", kAnswer, "true",
                    "Search even if the fabric is a torus, which has a constructive schedule"},
      QuestionField{"relays", &CollectiveSynthesisQuestion::relays, "", "", kAnswer, "false",
                    "Devices outside a group may forward data"},
      QuestionField{"streams", &CollectiveSynthesisQuestion::streams, "", "", kAnswer, "false",
                    "Chunks may share links, each at its own rate"}};
};

/// Utilization of links.
struct LinkUse {
  std::size_t links = 0;  ///< number of links
  std::size_t used = 0;
  double busiest = 0, mean = 0;  ///< busy share of the time; mean over used links
  std::string busiest_name;
};

struct CollectiveSynthesisAnswer {
  synthesis::FabricState fabric_state;
  synthesis::Synthesis made;
  std::string collective;
  Bytes size{};
  std::size_t ranks = 0;  ///< ranks in all groups
  std::uint32_t depth = 0;
  LinkUse use;
  std::vector<std::string> notes;  ///< notes, one sentence each

  /// (time - bound) / bound.
  [[nodiscard]] double gap() const;
};

/// Names of collectives: "all-gather", "reduce-scatter" …
[[nodiscard]] std::vector<std::string_view> synthesizable_collectives();

/// Synthesizes and verifies a schedule. Errc: those of reading the file; usage (ranks, root,
/// chunks, collective); config_missing_key (a link states no bandwidth or no latency),
/// config_conflict (no route between ranks), limit_exceeded.
[[nodiscard]] Result<CollectiveSynthesisAnswer> synthesize(
    const CollectiveSynthesisQuestion& question, Findings& findings);

/// Returns a plan for collective libraries for each group. Errc: those of
/// synthesis::plans_of_schedule().
[[nodiscard]] Result<std::vector<synthesis::Plan>> collective_plans(
    const CollectiveSynthesisAnswer& answer);

}  // namespace orrery::study
