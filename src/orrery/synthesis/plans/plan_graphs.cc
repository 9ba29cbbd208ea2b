// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/plans/plan_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "orrery/graph/builder.h"
#include "orrery/synthesis/plans/plan_limits.h"
#include "orrery/synthesis/plans/plan_order.h"

namespace orrery::synthesis {
namespace {

using graph::NodeKind;
using Nodes = std::vector<std::uint64_t>;

/// The share of the buffer in a message; no chunks: one word.
struct Amount {
  std::uint32_t first = 0, count = 0;
};

class PlanLowering {
 public:
  PlanLowering(const Plan& plan, const PlanOrder& order)
      : plan_(plan),
        order_(order),
        pieces_(std::max(buffer_chunks(plan), 1u)),
        tag_(plan_limits::kPlanChannels),
        next_id_(plan.ranks.size(), 0),
        ends_(order.numbers.count()),
        amounts_(order.numbers.count()) {
    for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank)
      builders_.emplace_back(fmt::format("gpu {}", rank), strings_, graph::Repair::refuse);
  }

  Result<std::vector<graph::GraphRef>> run() {
    for (const std::uint32_t number : order_.order) add_step(number);
    std::vector<graph::GraphRef> graphs;
    Findings findings;
    for (graph::GraphBuilder& builder : builders_) {
      auto graph = std::move(builder).finish(findings);
      if (!graph) return tl::unexpected(graph.error());
      graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
    }
    return graphs;
  }

 private:
  std::uint64_t add(std::uint32_t rank, NodeKind kind, const std::string& name, const Nodes& deps,
                    const graph::PointToPoint& message = {}, std::uint16_t flags = 0) {
    graph::NodeSpec node;
    node.id = next_id_[rank]++;
    node.kind = kind;
    node.name = strings_->intern(name);
    node.deps = deps;
    node.message = message;
    node.flags = flags;
    builders_[rank].add(node);
    return node.id;
  }

  /// Adds one end of a message.
  std::uint64_t add_end(bool sends, std::uint32_t rank, std::uint32_t peer, std::uint32_t tag,
                        const Amount& amount, const std::string& name, const Nodes& deps) {
    graph::PointToPoint message;
    message.tag = tag;
    (sends ? message.dst : message.src) = static_cast<std::int32_t>(peer);
    std::uint16_t flags = graph::kHasTag | (sends ? graph::kHasDst : graph::kHasSrc);
    if (amount.count == 0) {
      message.size = Bytes(kSignalBytes);
      flags |= graph::kHasCommSize;
    } else {
      message.set_share(amount.first, amount.count, pieces_);
    }
    return add(rank, sends ? NodeKind::send : NodeKind::recv, name, deps, message, flags);
  }

  // The position of a step's chunks in the full buffer. Input and output places determine it;
  // scratch places do not.
  Amount amount_of(const PlanStep& step) const {
    for (const auto* spans : {&step.reads, &step.writes})
      for (const PlanSpan& span : *spans)
        if (span.buffer != PlanBuffer::scratch) return {position(span), step.count};
    for (const auto* spans : {&step.reads, &step.writes})
      for (const PlanSpan& span : *spans) return {span.first % pieces_, step.count};
    return {0, step.count};
  }
  std::uint32_t position(const PlanSpan& span) const {
    const auto& chunks = plan_.ranks[span.rank].chunks;
    const bool part =
        (plan_.collective == CollectiveType::all_gather && span.buffer == PlanBuffer::input) ||
        (plan_.collective == CollectiveType::reduce_scatter && span.buffer == PlanBuffer::output);
    const std::uint32_t first =
        part ? span.rank * chunks[static_cast<std::size_t>(span.buffer)] + span.first : span.first;
    return first % pieces_;
  }

  static void merge_nodes(Nodes& into, const Nodes& more) {
    into.insert(into.end(), more.begin(), more.end());
    std::sort(into.begin(), into.end());
    into.erase(std::unique(into.begin(), into.end()), into.end());
  }

  Nodes dependencies_of(std::uint32_t number, const StepPosition& at) {
    Nodes deps;
    for (std::uint32_t i = order_.before_offsets[number]; i < order_.before_offsets[number + 1];
         ++i) {
      const std::uint32_t before = order_.before[i];
      const bool here = order_.numbers.at(before).rank == at.rank;
      if (order_.why[i] == PlanEdge::message) continue;
      if (here) {
        merge_nodes(deps, ends_[before]);
      } else if (const auto there = arrivals_.find({before, at.rank, order_.why[i]});
                 there != arrivals_.end()) {
        merge_nodes(deps, there->second);
      }
    }
    return deps;
  }

  void add_step(std::uint32_t number) {
    const StepPosition at = order_.numbers.at(number);
    const PlanBlock& block = plan_.ranks[at.rank].blocks[at.block];
    const PlanStep& step = block.steps[at.step];
    const std::string name =
        fmt::format("block {} step {} {}", at.block, at.step, synthesis::name(step.type));
    amounts_[number] = amount_of(step);
    Nodes now = dependencies_of(number, at);
    if (step.receives) {
      // Both ends must state the same share.
      const Amount& amount = amounts_[order_.sender_of[number]];
      now = {add_end(false, at.rank, *block.from, block.channel, amount, name, now)};
    }
    read_remote(step, at, name, amounts_[number], now);
    if (computes(step, at.rank)) now = {add(at.rank, NodeKind::comp, name, now)};
    Nodes ends;
    if (step.sends)
      ends.push_back(add_end(true, at.rank, *block.to, block.channel, amounts_[number], name, now));
    write_remote(number, step, at, name, now, ends);
    ends_[number] = ends.empty() ? now : ends;
    post(number, step, at, name);
  }

  /// Whether the step adds, or copies within the rank.
  static bool computes(const PlanStep& step, std::uint32_t rank) {
    const std::size_t sources = step.reads.size() + (step.receives ? 1 : 0);
    if (sources > 1) return true;
    const auto own = [&](const PlanSpan& span) { return span.rank == rank; };
    return !step.reads.empty() && own(step.reads.front()) &&
           std::any_of(step.writes.begin(), step.writes.end(), own);
  }

  void read_remote(const PlanStep& step, const StepPosition& at, const std::string& name,
                   const Amount& amount, Nodes& now) {
    Nodes received;
    for (const PlanSpan& span : step.reads) {
      if (span.rank == at.rank) continue;
      const std::uint32_t request_tag = tag_++, answer_tag = tag_++;
      add_end(true, at.rank, span.rank, request_tag, {}, name, now);
      const std::uint64_t requested = add_end(false, span.rank, at.rank, request_tag, {}, name, {});
      add_end(true, span.rank, at.rank, answer_tag, amount, name, {requested});
      received.push_back(add_end(false, at.rank, span.rank, answer_tag, amount, name, now));
    }
    if (!received.empty()) now = received;
  }

  void write_remote(std::uint32_t number, const PlanStep& step, const StepPosition& at,
                    const std::string& name, const Nodes& now, Nodes& ends) {
    for (const PlanSpan& span : step.writes) {
      if (span.rank == at.rank) continue;
      const std::uint32_t tag = tag_++;
      ends.push_back(add_end(true, at.rank, span.rank, tag, amounts_[number], name, now));
      const std::uint64_t there =
          add_end(false, span.rank, at.rank, tag, amounts_[number], name, {});
      arrivals_[{number, span.rank, PlanEdge::packet}].push_back(there);
    }
  }

  void post(std::uint32_t number, const PlanStep& step, const StepPosition& at,
            const std::string& name) {
    for (const std::uint32_t counter : step.posts) {
      const std::uint32_t to = plan_.counters[counter].rank;
      if (to == at.rank) continue;
      Nodes& there = arrivals_[{number, to, PlanEdge::counter}];
      const auto along = arrivals_.find({number, to, PlanEdge::packet});
      if (along != arrivals_.end()) {
        merge_nodes(there, along->second);
        continue;
      }
      const std::uint32_t tag = tag_++;
      add_end(true, at.rank, to, tag, {}, name, ends_[number]);
      there.push_back(add_end(false, to, at.rank, tag, {}, name, {}));
    }
  }

  const Plan& plan_;
  const PlanOrder& order_;
  std::uint32_t pieces_;
  std::uint32_t tag_;  ///< the next tag that is not a channel number
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  std::vector<graph::GraphBuilder> builders_;
  std::vector<std::uint64_t> next_id_;
  std::vector<Nodes> ends_;  ///< last nodes of each step
  std::vector<Amount> amounts_;
  /// Data of a step that arrive at another rank: the nodes there that receive them.
  std::map<std::tuple<std::uint32_t, std::uint32_t, PlanEdge>, Nodes> arrivals_;
};

}  // namespace

Result<std::vector<graph::GraphRef>> lower_plan(const Plan& plan) {
  const PlanOrder order = make_plan_order(plan);
  if (!order.errors.empty()) {
    const PlanError& first = order.errors.front();
    return fail(Errc::input_unsupported, to_text(plan, first.at),
                fmt::format("the plan cannot run: {} ({})", first.what, name(first.fault)),
                "`orrery collective check` lists the errors");
  }
  return PlanLowering(plan, order).run();
}

}  // namespace orrery::synthesis
