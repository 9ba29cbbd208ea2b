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

/// A communication of the run.
struct SimulatedDelay {
  std::int64_t bytes = 0;     ///< whole buffers
  std::uint32_t members = 1;  ///< of its group
  Time time{};
  bool taken = false;

  /// As a plan states them: of an all-gather the part of one rank.
  [[nodiscard]] std::int64_t stated(CommKind kind) const {
    return kind == CommKind::all_gather ? bytes / std::max<std::int64_t>(members, 1) : bytes;
  }
};

/// Those of one rank by kind, in the order in which they began.
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
      const std::uint32_t collective = run.collective_of(rank, *span);
      kind = profile::comm_kind_named(run.collectives[collective].type);
      delays.members = run.groups[run.collectives[collective].group].size;
    }
    all[static_cast<std::size_t>(kind)].push_back(delays);
  }
  return all;
}

bool move_as_many(const Exchange& exchange, const SimulatedDelay& delays) {
  return delays.stated(exchange.kind) == exchange.bytes;
}

/// Where no other moves exactly as many.
bool may_do(const Exchange& exchange, const SimulatedDelay& delays) {
  return exchange.bytes < 0 ||
         (exchange.kind == CommKind::all_to_all && delays.stated(exchange.kind) > exchange.bytes);
}

/// Gives every exchange without a delay the first of its kind that is left and fits.
template <class Fits>
void match(ReplayPlan& plan, ByKind& all, Fits&& fits) {
  std::map<std::pair<CommKind, std::int64_t>, std::size_t> next;  // all before are taken or unfit
  for (Exchange& exchange : plan.exchanges) {
    if (exchange.delay) continue;
    auto& delays = all[static_cast<std::size_t>(exchange.kind)];
    std::size_t& at = next[{exchange.kind, exchange.bytes}];
    while (at < delays.size() && (delays[at].taken || !fits(exchange, delays[at]))) ++at;
    if (at == delays.size()) continue;
    delays[at].taken = true;
    exchange.delay = delays[at].time;
  }
}

std::string words_of(const Exchange& exchange) {
  std::string words(profile::name(exchange.kind));
  if (exchange.bytes > 0) words += " of " + format_bytes(Bytes(exchange.bytes));
  return words;
}

/// "2 of 32 KiB, 1 of 64 KiB": what the run has of a kind and is left.
std::string what_is_left(const std::vector<SimulatedDelay>& delays, CommKind kind) {
  std::map<std::int64_t, std::size_t> left;
  for (const SimulatedDelay& one : delays) left[one.stated(kind)] += one.taken ? 0 : 1;
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
        fmt::format("it has ranks 0 to {}, and rank {} is replayed", run.ranks.size() - 1, rank),
        "--rank N, or simulate the recording that is replayed");
  if (run.spans != result::SpanChoice::all)
    return fail(Errc::usage, "--run", "not every node's times are in it",
                "simulate with '--spans all'");
  ByKind all = communications_of(run, rank);
  DelayReport report;
  for (const auto& delays : all) report.run += delays.size();
  match(plan, all, move_as_many);
  match(plan, all, may_do);
  for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
    Exchange& exchange = plan.exchanges[i];
    if (!exchange.delay && exchange.kind == CommKind::coalesced) exchange.delay = Time{};
    if (exchange.delay) {
      ++report.delays;
      continue;
    }
    return fail(
        Errc::input_mismatch, "--run",
        fmt::format("rank {} begins {} as communication {} of {}, and of that kind the run "
                    "has {} left",
                    rank, words_of(exchange), i + 1, plan.exchanges.size(),
                    what_is_left(all[static_cast<std::size_t>(exchange.kind)], exchange.kind)),
        "simulate the recording that is replayed: orrery convert TRACE… -o et, then orrery "
        "run … -o FILE");
  }
  return report;
}

}  // namespace orrery::bench
