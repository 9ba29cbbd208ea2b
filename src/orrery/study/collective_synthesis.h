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
#include "orrery/synthesis/plan.h"
#include "orrery/synthesis/search/synthesise.h"

namespace orrery::study {

struct CollectiveSynthesisQuestion {
  std::string fabric;              ///< a fabric of any kind, a cluster file, or "h100-sxm:64"
  std::string collective;          ///< "all-gather" …
  Bytes size{1 << 30};             ///< the whole buffer of each group
  std::vector<std::string> ranks;  ///< groups that do one each, all at once: "0-7,16"; empty: all
  std::int64_t root = 0;           ///< of broadcast and reduce: its place in its group
  std::int64_t chunks = 0;         ///< pieces of each shard; 0: several are tried
  std::int64_t seed = 1;
  bool relays = true;   ///< devices that are no ranks of a group may hand on
  bool streams = true;  ///< pieces may share links, each at a rate of its own
  bool search = false;  ///< also where a rule is known
};

/// How busy links are.
struct LinkUse {
  std::size_t links = 0;  ///< that are there
  std::size_t used = 0;
  double busiest = 0, mean = 0;  ///< share of the time; mean of those that are used
  std::string busiest_name;
};

struct CollectiveSynthesisAnswer {
  synthesis::Ground ground;
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
[[nodiscard]] std::vector<std::string> synthesised_collectives();

/// Errc: what reading the file says; usage (ranks, root, chunks, collective); config_missing_key (a
/// link states no bandwidth or no latency), config_conflict (no way between ranks), limit_exceeded.
[[nodiscard]] Result<CollectiveSynthesisAnswer> synthesise(
    const CollectiveSynthesisQuestion& question, Findings& findings);

/// For collective libraries, one for each group. Errc: see synthesis::plan_of_schedule().
[[nodiscard]] Result<std::vector<synthesis::Plan>> plans_of(
    const CollectiveSynthesisAnswer& answer);

}  // namespace orrery::study
