// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/communication_delays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/text/units.h"

namespace orrery::bench {
namespace {

using profile::CommKind;
using profile::kCommKinds;
using result::Run;
using result::Span;
using result::SpanKind;

/// A communication of the run, with its duration.
struct SimulatedDelay {
  std::int64_t bytes = 0;     ///< complete buffer
  std::uint32_t members = 1;  ///< of its group
  Time time{};
  bool used = false;

  /// Bytes as a plan states them: for an all-gather, the part of one rank.
  [[nodiscard]] std::int64_t plan_bytes(CommKind kind) const {
    return kind == CommKind::all_gather ? bytes / std::max<std::int64_t>(members, 1) : bytes;
  }
};

/// The communications of one rank by kind, in the order in which they began.
using ByKind = std::array<std::vector<SimulatedDelay>, kCommKinds>;

ByKind communications_of(const Run& run, std::uint32_t rank) {
  std::vector<const Span*> spans;
  for (const Span& span : run.timeline(rank).spans) {
    if (span.kind == SpanKind::collective || span.kind == SpanKind::send ||
        span.kind == SpanKind::receive)
      spans.push_back(&span);
  }
  std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) {
    return std::pair(a->start, a->node) < std::pair(b->start, b->node);
  });
  ByKind all;
  for (const Span* span : spans) {
    SimulatedDelay delays{span->bytes.count(), 1, span->end - span->start, false};
    CommKind kind = span->kind == SpanKind::send ? CommKind::send : CommKind::recv;
    if (span->kind == SpanKind::collective) {
      const result::Collective& collective = *run.stored_collective_of(rank, *span);
      kind = profile::comm_kind_of_name(collective.type);
      delays.members = run.groups[collective.group].size;
    }
    all[static_cast<std::size_t>(kind)].push_back(delays);
  }
  return all;
}

bool has_equal_bytes(const Exchange& exchange, const SimulatedDelay& delays) {
  return delays.plan_bytes(kind_of(exchange)) == exchange.bytes;
}

/// Whether it may be used if none has exactly the same bytes.
bool is_acceptable(const Exchange& exchange, const SimulatedDelay& delays) {
  return exchange.bytes < 0 ||
         (kind_of(exchange) == CommKind::all_to_all && delays.bytes > exchange.bytes);
}

/// Assigns to each exchange without a delay the first unused one of its kind that fits.
template <class Fits>
void assign_delays(ReplayPlan& plan, ByKind& all, Fits&& fits) {
  // All earlier ones are used or do not fit.
  std::map<std::pair<CommKind, std::int64_t>, std::size_t> next;
  for (Exchange& exchange : plan.exchanges) {
    if (exchange.delay_ns >= 0) continue;
    const CommKind kind = kind_of(exchange);
    auto& delays = all[static_cast<std::size_t>(kind)];
    std::size_t& at = next[{kind, exchange.bytes}];
    while (at < delays.size() && (delays[at].used || !fits(exchange, delays[at]))) ++at;
    if (at == delays.size()) continue;
    delays[at].used = true;
    exchange.delay_ns = delays[at].time.count() / kPsPerNs;
  }
}

std::string description_of(const Exchange& exchange) {
  std::string words(exchange.kind);
  if (exchange.bytes > 0) words += " of " + format_bytes(Bytes(exchange.bytes));
  return words;
}

/// "2 of 32 KiB, 1 of 64 KiB": the unused communications of a kind.
std::string unused_text(const std::vector<SimulatedDelay>& delays, CommKind kind) {
  std::map<std::int64_t, std::size_t> left;
  for (const SimulatedDelay& one : delays) left[one.plan_bytes(kind)] += one.used ? 0 : 1;
  std::string words;
  std::size_t shown = 0;
  for (const auto& [bytes, count] : left) {
    if (count == 0 || ++shown > 4) continue;
    words +=
        fmt::format("{}{} of {}", words.empty() ? "" : ", ", count, format_bytes(Bytes(bytes)));
  }
  return words.empty() ? "none" : words;
}

}  // namespace

Result<DelayReport> set_delays(ReplayPlan& plan, const Run& run, std::uint32_t rank) {
  if (rank >= run.ranks.size())
    return fail(
        Errc::usage, "--run",
        fmt::format("has ranks 0 to {}, but rank {} is replayed", run.ranks.size() - 1, rank),
        "use --replay-rank N, or simulate the replayed recording");
  if (run.spans != result::SpanChoice::all)
    return fail(Errc::usage, "--run", "does not contain the times of all nodes",
                "simulate with '--spans all'");
  ByKind all = communications_of(run, rank);
  DelayReport report;
  for (const auto& delays : all) report.run += delays.size();
  assign_delays(plan, all, has_equal_bytes);
  assign_delays(plan, all, is_acceptable);
  for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
    Exchange& exchange = plan.exchanges[i];
    const CommKind kind = kind_of(exchange);
    if (exchange.delay_ns < 0 && kind == CommKind::coalesced) exchange.delay_ns = 0;
    if (exchange.delay_ns >= 0) {
      ++report.delays;
      continue;
    }
    return fail(
        Errc::input_mismatch, "--run",
        fmt::format("rank {} begins {} as communication {} of {}, but the run has only these left "
                    "of that kind: {}",
                    rank, description_of(exchange), i + 1, plan.exchanges.size(),
                    unused_text(all[static_cast<std::size_t>(kind)], kind)),
        "simulate the replayed recording: orrery trace convert TRACE… -o et, then orrery run … -o "
        "FILE");
  }
  return report;
}

}  // namespace orrery::bench
