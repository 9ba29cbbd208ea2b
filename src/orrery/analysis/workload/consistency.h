// SPDX-License-Identifier: Apache-2.0
//
// Finds inconsistencies between ranks that would make a run fail or hang although all files are
// well-formed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/graph/workload.h"

namespace orrery::analysis {

enum class ProblemKind : std::uint8_t {
  unknown_group,        ///< a collective refers to a group that is not defined
  not_a_member,         ///< a rank issues a collective on a group that it is not a member of
  group_rank,           ///< a group lists a rank twice, or one that does not exist
  collective_mismatch,  ///< members of a group do not issue the same collectives
  unknown_rank,         ///< a message refers to a rank that does not exist
  unmatched_receive,    ///< a receive that no send matches: the run would stall
  unmatched_send,       ///< a send that no receive matches
  missing_attribute,    ///< a node lacks an attribute that its kind requires
};

[[nodiscard]] std::string_view name(ProblemKind kind);

struct Problem {
  ProblemKind kind;
  std::string where;  ///< "rank 3 node 17"
  std::string what;   ///< one sentence
};

struct Consistency {
  std::vector<Problem> problems;  ///< the first of each kind, at most kProblemsPerKind
  std::uint64_t count = 0;        ///< all problems, including those not listed
};

inline constexpr std::size_t kProblemsPerKind = 8;

/// Problems are in a fixed order: groups, nodes by rank, collectives by group, messages by
/// receiver.
[[nodiscard]] Consistency check_consistency(const graph::Workload& workload);

}  // namespace orrery::analysis
