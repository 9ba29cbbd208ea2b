// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/findings.h"

#include <iterator>

#include "orrery/core/check.h"

namespace orrery {

namespace {

using enum Severity;

// In the order of FindingCode.
constexpr FindingInfo kInfos[] = {
    {"duplicate_id_dropped", data_loss, "a node id appears twice; only the first node was kept"},
    {"dangling_dep_dropped", repaired,
     "a dependency names a node that does not exist; it was dropped"},
    {"self_edge_dropped", repaired, "a node depends on itself; that edge was dropped"},
    {"cycle_broken", repaired,
     "nodes depend on each other in a circle; the edge that closes it was dropped"},
    {"truncated_tail_dropped", data_loss, "the file ends inside a record; that record was dropped"},
    {"corrupt_record_dropped", data_loss, "a record could not be decoded; it was dropped"},
    {"value_clamped", repaired, "a number out of range was clamped to the nearest one allowed"},
    {"unknown_field_kept", info, "a field this program does not know; kept when writing, not used"},
    {"duplicate_dep_merged", info, "the same dependency is listed more than once; counted once"},
    {"attr_coerced", info,
     "an attribute was stored as another scalar kind than usual; its value was used"},
    {"empty_record", info,
     "a record of length zero; read as a node with every value at its default"},
    {"legacy_schema", info, "the file uses an older Chakra schema; it was read as such"},
    {"metadata_group_ignored", info,
     "a METADATA node does not hold process groups; it was ignored"},
    {"attr_ignored", info,
     "an attribute whose value makes no sense for its name, or that is not used; it was "
     "ignored"},
    {"key_ignored", info, "a configuration key that the reference simulator ignores too"},
    {"key_without_effect", info, "an option that the reference simulator reads and never uses"},
    {"default_assumed", info,
     "a key that the reference leaves uninitialised; its usual value was assumed"},
    {"remainder_chunk_full", info,
     "a collective's last chunk is smaller than the others; ASTRA rules simulate it at "
     "full size"},
    {"group_falls_back_to_ring", info,
     "a sub-group on a multi-dimensional system runs as one logical ring under ASTRA rules"},
    {"dims_not_crossed", info,
     "a message between ranks that differ in several dimensions is charged for the first "
     "one only"},
    {"zero_duration_compute", info,
     "a compute node without a duration; it takes no time (1 ns under ASTRA rules)"},
    {"collective_without_traffic", info, "a collective whose type moves no bytes in this model"},
    {"unmatched_send", error, "a message was sent that nobody received"},
    {"masked_collective", info, "a collective with no dimension to run on; it completes at once"},
    {"collective_approximated", info,
     "a collective without an algorithm of its own; charged as the one with the same traffic"},
    {"collective_replayed", info,
     "a collective that does not say its type or size; it takes its recorded duration"},
    {"chunk_order_resolved", repaired,
     "ranks ran different chunks in one dimension and waited for each other; chunks a "
     "peer had begun were started"},
    {"missing_chunk_raised", info,
     "a collective smaller than its number of ranks; raised to one byte per rank"},
};

}  // namespace

FindingInfo describe(FindingCode code) {
  const auto number = static_cast<std::size_t>(code);
  ORRERY_CHECK(number < std::size(kInfos));
  return kInfos[number];
}

std::optional<FindingCode> finding_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kInfos); ++i) {
    if (kInfos[i].name == name) return static_cast<FindingCode>(i);
  }
  return std::nullopt;
}

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::repaired:
      return "repaired";
    case Severity::data_loss:
      return "data-loss";
    case Severity::error:
      return "error";
  }
  return "error";
}

void Findings::add(FindingCode code, std::string_view place, std::uint64_t count) {
  Finding& finding = findings_[code];
  finding.code = code;
  finding.count += count;
  if (!place.empty() && finding.places.size() < kPlaces) finding.places.emplace_back(place);
}

void Findings::merge(const Findings& other) {
  for (const auto& [code, theirs] : other.findings_) {
    add(code, {}, theirs.count);
    for (const std::string& place : theirs.places) add(code, place, 0);
  }
}

std::uint64_t Findings::count(FindingCode code) const {
  const auto found = findings_.find(code);
  return found == findings_.end() ? 0 : found->second.count;
}

std::vector<Finding> Findings::list() const {
  std::vector<Finding> all;
  all.reserve(findings_.size());
  for (const auto& entry : findings_) all.push_back(entry.second);
  return all;
}

}  // namespace orrery
