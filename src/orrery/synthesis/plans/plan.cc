// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orrery::synthesis {
namespace {

constexpr std::array<std::string_view, kStepTypes> kNames{
    "s",     "r",         "rcs",     "rrs",     "rrc",     "rrcs",        "cpy",
    "re",    "nop",       "put",     "pws",     "pwsf",    "get",         "res",
    "rre",   "rres",      "ppkt",    "rppkt",   "cpkt",    "tpkt",        "upkt",
    "repkt", "respkt",    "recpkt",  "recspkt", "glres",   "gstore",      "signal",
    "wait",  "rlxsignal", "rlxwait", "flush",   "barrier", "sem_acquire", "sem_release"};

constexpr std::size_t kMsccl = 9;

/// Names of MSCCL++ in addition to those of the table.
constexpr std::array<std::pair<std::string_view, StepType>, 9> kOtherNames{{
    {"copy", StepType::copy},
    {"rs", StepType::reduce_send},
    {"rpkt", StepType::reduce_packet},
    {"rspkt", StepType::reduce_send_packet},
    {"rsignal", StepType::relaxed_signal},
    {"rwait", StepType::relaxed_wait},
    {"rrc", StepType::read_reduce},
    {"rrcs", StepType::read_reduce_send},
    {"cpy", StepType::copy},
}};

/// Collectives of plans, and their names in files.
constexpr std::array<std::pair<CollectiveType, std::string_view>, 6> kCollectives{{
    {CollectiveType::all_reduce, "allreduce"},
    {CollectiveType::all_gather, "allgather"},
    {CollectiveType::reduce_scatter, "reduce_scatter"},
    {CollectiveType::all_to_all, "alltoall"},
    {CollectiveType::broadcast, "broadcast"},
    {CollectiveType::reduce, "reduce"},
}};

/// Normalizes names: "Reduce_Scatter" and "reducescatter" are equal.
std::string plain(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

}  // namespace

std::string_view plan_name(CollectiveType type) {
  for (const auto& [one, word] : kCollectives)
    if (one == type) return word;
  return {};
}

CollectiveType plan_collective(std::string_view name) {
  const std::string wanted = plain(name);
  for (const auto& [type, word] : kCollectives)
    if (plain(word) == wanted) return type;
  return CollectiveType::unknown;
}

CollectiveType workload_type(CollectiveType type) {
  return type == CollectiveType::unknown ? CollectiveType::all_reduce : type;
}

std::string_view name(PlanBuffer buffer) {
  switch (buffer) {
    case PlanBuffer::input:
      return "input";
    case PlanBuffer::output:
      return "output";
    case PlanBuffer::scratch:
      break;
  }
  return "scratch";
}

std::string_view name(StepType type) { return kNames[static_cast<std::size_t>(type)]; }

std::optional<StepType> msccl_step(std::string_view name) {
  const auto end = kNames.begin() + kMsccl;
  const auto found = std::find(kNames.begin(), end, name);
  if (found == end) return std::nullopt;
  return static_cast<StepType>(found - kNames.begin());
}

std::optional<StepType> mscclpp_step(std::string_view name) {
  for (const auto& [other, type] : kOtherNames)
    if (other == name) return type;
  const auto found = std::find(kNames.begin() + kMsccl - 2, kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<StepType>(found - kNames.begin());
}

std::uint32_t buffer_chunks(const Plan& plan) {
  std::uint32_t maximum = 0;
  const auto ranks = static_cast<std::uint32_t>(plan.ranks.size());
  for (const PlanRank& rank : plan.ranks) {
    const std::uint32_t in = rank.chunks[0], out = rank.chunks[1];
    maximum = std::max({maximum, in, out});
    // In place, a file may omit the other buffer.
    if (plan.collective == CollectiveType::all_gather && out == 0)
      maximum = std::max(maximum, in * ranks);
    if (plan.collective == CollectiveType::reduce_scatter && in == 0)
      maximum = std::max(maximum, out * ranks);
  }
  return maximum;
}

std::uint64_t step_count(const Plan& plan) {
  std::uint64_t count = 0;
  for (const PlanRank& rank : plan.ranks)
    for (const PlanBlock& block : rank.blocks) count += block.steps.size();
  return count;
}

std::uint64_t block_count(const Plan& plan) {
  std::uint64_t count = 0;
  for (const PlanRank& rank : plan.ranks) count += rank.blocks.size();
  return count;
}

const PlanStep& step_at(const Plan& plan, StepPosition at) {
  return plan.ranks[at.rank].blocks[at.block].steps[at.step];
}

std::vector<std::uint64_t> chunks_sent(const Plan& plan) {
  std::vector<std::uint64_t> sent(plan.ranks.size());
  for_each_step(plan, [&](const StepPosition& at, const PlanBlock&, const PlanStep& step) {
    if (step.sends) sent[at.rank] += step.count;
    for (const PlanSpan& span : step.writes)
      if (span.rank != at.rank) sent[at.rank] += span.count;
    for (const PlanSpan& span : step.reads)
      if (span.rank != at.rank && span.rank < sent.size()) sent[span.rank] += span.count;
  });
  return sent;
}

std::string to_text(const Plan& plan, const StepPosition& at) {
  return fmt::format("gpu {}, block {}, step {} ({})", at.rank, at.block, at.step,
                     name(step_at(plan, at).type));
}

std::string to_text(const PlanSpan& span) {
  if (span.count == 1)
    return fmt::format("{}[{}] of gpu {}", name(span.buffer), span.first, span.rank);
  return fmt::format("{}[{}-{}] of gpu {}", name(span.buffer), span.first,
                     std::uint64_t{span.first} + span.count - 1, span.rank);
}

}  // namespace orrery::synthesis
