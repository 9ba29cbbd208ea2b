// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/run/time_accounting.h"

#include <limits>
#include <utility>

namespace orrery::sim {

using graph::NodeId;
using graph::NodeKind;

namespace {
constexpr std::size_t kFewSpans = 256;
}

void TimeAccounting::account(std::uint32_t rank, std::int64_t until) {
  RankState& state = run_.shared.states[rank];
  RankResult& result = run_.shared.results[rank];
  const Time passed(until - state.since);
  if (passed == Time{}) return;
  if (state.awaited > 0) keep_span(rank, until);
  state.since = until;
  if (state.computing > 0) result.compute += passed;
  if (state.computing > 0 && (state.communicating > 0 || state.accessing > 0))
    result.overlapped += passed;
  if (state.communicating > 0) result.comm += passed;
  if (state.accessing > 0) result.memory += passed;
  if (state.computing > 0) return;
  if (state.communicating > 0) {
    result.comm_only += passed;
  } else if (state.accessing > 0) {
    result.memory_only += passed;
  } else {
    result.idle += passed;
  }
}

void TimeAccounting::add_time(CollectiveTotal& total, std::uint32_t rank, std::int64_t time) const {
  const auto times = static_cast<std::int64_t>(run_.weight(rank));
  const bool fits = time <= std::numeric_limits<std::int64_t>::max() / times;
  total.time = saturating_sum(total.time,
                              Time(fits ? time * times : std::numeric_limits<std::int64_t>::max()));
}

const Communicator& TimeAccounting::meant_by(std::uint32_t rank, NodeId node) {
  const bool named = run_.graph_of(rank).collective(node).group != StringId::empty;
  const std::uint32_t found = named ? meaning(rank, node) : Communicators::kUnknown;
  return run_.communicators[found >= Communicators::kOutside ? 0 : found];
}

// Full buffer of a collective. Over some dimensions, only members that differ in them count.
Bytes TimeAccounting::buffer_of(const graph::Graph& graph, NodeId node,
                                const Communicator& group) const {
  const graph::Collective& collective = graph.collective(node);
  std::uint64_t members = group.members;
  if (graph.has(node, graph::kHasDims) && !group.listed) {
    members = 1;
    for (std::size_t d = 0; d < run_.fabric.dim_count() && d < 32; ++d) {
      if ((collective.dims_mask >> d & 1u) != 0)
        members *= static_cast<std::uint64_t>(run_.fabric.dim(d).size);
    }
  }
  return graph::full_buffer(collective.type, collective.size, members);
}

void TimeAccounting::sent(std::uint32_t rank, NodeId node, std::uint64_t bytes) {
  const graph::CollectiveType type = run_.graph_of(rank).collective(node).type;
  totals_cache_.of(totals_, type, meant_by(rank, node).members).sent += bytes * run_.weight(rank);
  if (run_.observer != nullptr) run_.observer->sent(rank, node, bytes);
}

void TimeAccounting::sent_message(std::uint32_t rank, std::uint64_t bytes) {
  totals_cache_.of(totals_, NodeKind::send).sent += bytes * run_.weight(rank);
}

void TimeAccounting::receive_begins(std::uint32_t rank, std::int64_t begin) {
  communicates_since(rank, begin);
  ++run_.shared.states[rank].communicating;
}

void TimeAccounting::receive_ends(std::uint32_t rank, std::int64_t began) {
  account(rank);
  --run_.shared.states[rank].communicating;
  add_time(totals_cache_.of(totals_, NodeKind::recv), rank, run_.now() - began);
}

namespace {

/// A node without any of these attributes always counts as computation of its rank.
constexpr unsigned kNotPlain = graph::kIsCpu | graph::kIsCopy | graph::kIsComm | graph::kIsWait;

}  // namespace

void TimeAccounting::count_node(std::uint32_t rank, NodeId node, int step) {
  RankState& state = run_.shared.states[rank];
  const graph::Graph& graph = run_.graph_of(rank);
  const NodeKind kind = graph.kind(node);
  switch (kind) {
    case NodeKind::comp:
      if (!graph.has_any(node, kNotPlain) || run_.computes(rank, node)) {
        state.computing += step;
      } else if (run_.copies(rank, node)) {
        state.accessing += step;
      } else if (run_.communicates(rank, node)) {
        state.communicating += step;
      }
      return;
    case NodeKind::mem_load:
    case NodeKind::mem_store:
      state.accessing += step;
      return;
    case NodeKind::recv:  // counts while its message is in flight: see receive_begins
      if (run_.platform.replay_only || run_.options.replay) state.communicating += step;
      break;
    case NodeKind::send:
    case NodeKind::coll:
      state.communicating += step;
      break;
    default:
      return;
  }
  const Communicator* const group = kind == NodeKind::coll ? &meant_by(rank, node) : nullptr;
  CollectiveTotal& total =
      group != nullptr ? totals_cache_.of(totals_, graph.collective(node).type, group->members)
                       : totals_cache_.of(totals_, kind);
  if (step > 0) {
    total.operations += run_.weight(rank);
    const Bytes size =
        group != nullptr ? buffer_of(graph, node, *group) : graph.point_to_point(node).size;
    total.bytes += static_cast<std::uint64_t>(size.count()) * run_.weight(rank);
    return;
  }
  if (kind != NodeKind::recv || run_.platform.replay_only || run_.options.replay)
    add_time(total, rank, run_.now() - run_.times_of(rank, node).start);
}

// The rank communicates from `begin` on (the caller counts it): corrects the time that has been
// accounted since then.
void TimeAccounting::communicates_since(std::uint32_t rank, std::int64_t begin) {
  const RankState& state = run_.shared.states[rank];
  if (begin >= state.since) return account(rank, begin);
  RankResult& result = run_.shared.results[rank];
  for (std::uint32_t at = state.span; at != kNone && spans_[at].end > begin;
       at = spans_[at].before) {
    if (spans_[at].begin < begin) {
      AccountedSpan earlier = spans_[at];
      earlier.end = spans_[at].begin = begin;
      spans_[at].before = static_cast<std::uint32_t>(spans_.size());
      spans_.push_back(earlier);
    }
    AccountedSpan& span = spans_[at];
    if (std::exchange(span.communicating, true)) continue;
    const Time passed(span.end - span.begin);
    result.comm += passed;
    if (span.computing) {
      if (!span.accessing) result.overlapped += passed;
      continue;
    }
    result.comm_only += passed;
    (span.accessing ? result.memory_only : result.idle) -= passed;
  }
}

// Stores the span of a rank that expects messages from other parts, before it is accounted until
// `end`.
void TimeAccounting::keep_span(std::uint32_t rank, std::int64_t end) {
  RankState& state = run_.shared.states[rank];
  const auto number = static_cast<std::uint32_t>(spans_.size());
  spans_.push_back({state.since, end, rank, state.span, state.computing > 0,
                    state.communicating > 0, state.accessing > 0});
  state.span = number;
}

// Removes spans that no unknown message can affect: such a message is sent no earlier than the next
// event of any part. The spans of a rank are linked, newest first, so that the removed ones are at
// the end.
void TimeAccounting::forget_spans(std::int64_t time) {
  if (spans_.size() <= 2 * spans_retained_ + kFewSpans) return;
  std::vector<std::uint32_t> place(spans_.size(), kNone);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> newest;  // (rank, index of its newest span)
  std::uint32_t retained = 0;
  for (std::uint32_t i = 0; i < spans_.size(); ++i) {
    if (spans_[i].end > time) place[i] = retained++;
    if (run_.shared.states[spans_[i].rank].span == i) newest.emplace_back(spans_[i].rank, place[i]);
  }
  for (const auto& [rank, span] : newest) run_.shared.states[rank].span = span;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (place[i] == kNone) continue;
    AccountedSpan span = spans_[i];
    if (span.before != kNone) span.before = place[span.before];
    spans_[place[i]] = span;
  }
  spans_.resize(retained);
  spans_retained_ = retained;
}

void TimeAccounting::absorb(const TimeAccounting& other) {
  for (const auto& [key, theirs] : other.totals_) {
    CollectiveTotal& total = totals_[key];
    total.operations += theirs.operations;
    total.bytes += theirs.bytes;
    total.sent += theirs.sent;
    total.time = saturating_sum(total.time, theirs.time);
  }
}

}  // namespace orrery::sim
