// SPDX-License-Identifier: Apache-2.0
//
// A collective made for a fabric: which links carry what when, and how far that is from what no
// schedule is below.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/study/questions/question_rows.h"
#include "orrery/synthesis/plans/plan.h"
#include "orrery/synthesis/search/synthesise.h"

namespace orrery::study {

struct CollectiveSynthesisQuestion {
  std::string collective, fabric;
  Bytes size{1 << 30};             ///< of each group
  std::vector<std::string> ranks;  ///< groups
  std::int64_t root = 0, chunks = 0, seed = 1;
  bool search = false;
  bool relays = true, streams = true;

  static constexpr auto fields = std::tuple{
      QuestionField{"collective", &CollectiveSynthesisQuestion::collective, "COLLECTIVE", "",
                    kAnswer, "broadcast",
                    "all-gather, reduce-scatter, all-reduce, all-to-all, broadcast or reduce"}
          .required(),
      QuestionField{"fabric", &CollectiveSynthesisQuestion::fabric, "--fabric", "FILE", kAnswer,
                    "a100-40gb:8", "A fabric, or a cluster"}
          .required(),
      QuestionField{"size", &CollectiveSynthesisQuestion::size, "--size", "SIZE", kAnswer, "64MB",
                    "The whole buffer: what a rank puts in or gets, whichever is more (1GiB)"},
      QuestionField{"ranks", &CollectiveSynthesisQuestion::ranks, "--ranks", "LIST", kAnswer, "0-3",
                    "Only these: 0-7,16. Several times: groups that do one each, all at once"},
      QuestionField{"root", &CollectiveSynthesisQuestion::root, "--root", "N", kAnswer, "1",
                    "Of broadcast and reduce: its place in its group (0)"},
      QuestionField{"chunks", &CollectiveSynthesisQuestion::chunks, "--chunks", "N", kAnswer, "3",
                    "Pieces of each rank's shard; else several numbers are tried"},
      QuestionField{"seed", &CollectiveSynthesisQuestion::seed, "--seed", "N", kAnswer, "2",
                    "Of what is drawn at random (1)"},
      QuestionField{"search", &CollectiveSynthesisQuestion::search, "--search", "", kAnswer, "true",
                    "Search also where the fabric is a torus, for which there is a rule"},
      QuestionField{"relays", &CollectiveSynthesisQuestion::relays, "", "", kAnswer, "false",
                    "Devices that are no ranks of a group may hand on"},
      QuestionField{"streams", &CollectiveSynthesisQuestion::streams, "", "", kAnswer, "false",
                    "Pieces may share links, each at a rate of its own"}};
};

/// How busy links are.
struct LinkUse {
  std::size_t links = 0;  ///< that are there
  std::size_t used = 0;
  double busiest = 0, mean = 0;  ///< share of the time; mean of those that are used
  std::string busiest_name;
};

struct CollectiveSynthesisAnswer {
  synthesis::FabricState fabric_state;
  synthesis::Synthesis made;
  std::string collective;
  Bytes size{};
  std::size_t ranks = 0;  ///< of all groups
  std::uint32_t depth = 0;
  LinkUse use;
  std::vector<std::string> notes;  ///< what a person should know, a sentence each

  /// By how much its time is above the bound, as a share.
  [[nodiscard]] double gap() const;
};

/// The words that name collectives: "all-gather", "reduce-scatter" …
[[nodiscard]] std::vector<std::string_view> synthesisable_collectives();

/// Errc: what reading the file says; usage (ranks, root, chunks, collective); config_missing_key (a
/// link states no bandwidth or no latency), config_conflict (no way between ranks), limit_exceeded.
[[nodiscard]] Result<CollectiveSynthesisAnswer> synthesise(
    const CollectiveSynthesisQuestion& question, Findings& findings);

/// For collective libraries, one for each group. Errc: see synthesis::plan_of_schedule().
[[nodiscard]] Result<std::vector<synthesis::Plan>> collective_plans(
    const CollectiveSynthesisAnswer& answer);

}  // namespace orrery::study
