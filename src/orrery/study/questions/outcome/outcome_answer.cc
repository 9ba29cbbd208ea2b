// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/outcome_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/report/answer/digest_answer.h"
#include "orrery/report/answer/number_text.h"
#include "orrery/report/answer/packets_answer.h"
#include "orrery/study/collectives/chunk_choice_answer.h"
#include "orrery/study/questions/outcome/models_answer.h"
#include "orrery/study/questions/outcome/savings_text.h"

namespace orrery::study {

using report::Columns;
using report::JsonWriter;
using report::Value;

namespace {

void write_ranks(JsonWriter& json, const sim::RankResults& ranks) {
  json.key("per_rank").begin_array();
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const sim::RankResult& one = ranks[rank];
    json.begin_object().field("rank", rank);
    if (one.finish) {
      json.nanoseconds("finish", *one.finish).nanoseconds("exposed_comm", one.exposed_comm);
    } else {
      json.key("finish_ns").null().key("exposed_comm_ns").null();
    }
    json.nanoseconds("compute", one.compute)
        .nanoseconds("comm", one.comm)
        .nanoseconds("memory", one.memory);
    json.nanoseconds("comm_only", one.comm_only).nanoseconds("memory_only", one.memory_only);
    json.nanoseconds("idle", one.idle).field("sent_bytes", one.sent_bytes);
    if (one.peak_memory) json.field("peak_memory_bytes", one.peak_memory->count());
    json.end_object();
  }
  json.end_array();
}

void state_collectives(report::Answer& answer, const Outcome& outcome) {
  using Total = sim::CollectiveTotal;
  Columns<Total> columns;
  columns.field("type", &Total::type)
      .field("group_size", &Total::group_size)
      .field("operations", &Total::operations)
      .field("bytes", &Total::bytes)
      .field("sent_bytes", &Total::sent)
      .field("time_ns", &Total::time);
  answer.table("collectives", outcome.result.collectives, columns);
}

/// Traffic of remote memories by level, and its exposed time.
void state_remote_memory(report::Answer& answer, const Outcome& outcome) {
  const auto bytes = [](std::uint64_t count) { return Bytes(static_cast<std::int64_t>(count)); };
  Columns<sim::MemoryLevel> columns;
  columns.add("memory", "name", &sim::MemoryLevel::name)
      .add("loaded", "loaded_bytes", [=](const auto& level) { return bytes(level.loaded); })
      .add("stored", "stored_bytes", [=](const auto& level) { return bytes(level.stored); })
      .add("in use", "busy_share",
           [&](const auto& level) { return report::Share{level.in_use(outcome.result.end)}; });
  answer.object("remote_memory", [&] { answer.table("levels", outcome.result.memory, columns); });
  if (outcome.result.memory.empty()) return;
  Time all{}, exposed{};
  for (const sim::RankResult& rank : outcome.result.ranks) {
    all += rank.memory;
    exposed += rank.memory_only;
  }
  const auto ranks = static_cast<std::int64_t>(outcome.result.ranks.size());
  answer.note(fmt::format("accesses take {} per rank on average: {} exposed",
                          format_time(Time(all.count() / ranks)),
                          format_time(Time(exposed.count() / ranks))));
}

void state_stalled_node(report::Answer& answer, const graph::Graph& graph,
                        const sim::StalledNode& stalled, bool shown) {
  const std::string name(graph.name(stalled.node));
  const std::string label =
      name.empty() ? "" : fmt::format(" ({})", report::fit(printable(name), 40));
  if (shown)
    answer.line(
        fmt::format("rank {}", stalled.rank),
        fmt::format("node {}{}: {}", graph.id(stalled.node), label, printable(stalled.why)));
  answer.field("rank", stalled.rank).field("node", graph.id(stalled.node)).field("name", name);
  answer.field("kind", graph::name(graph.kind(stalled.node))).field("reason", stalled.why);
}

void state_stall(report::Answer& answer, const Outcome& outcome) {
  const sim::StallReport& stall = *outcome.result.stall;
  const std::string ranks = report::plural(outcome.result.ranks.size(), "rank");
  answer.line(answer.style().bad("stalled"),
              fmt::format("after {}: {} of {} never finish", format_time(stall.at),
                          report::count(stall.unfinished_ranks), ranks));
  answer.field("at_ns", stall.at).field("unfinished_ranks", stall.unfinished_ranks);
  std::string cycle;
  for (const std::string& rank : stall.circle)
    cycle += (cycle.empty() ? "" : " → ") + printable(rank);
  if (!cycle.empty()) answer.line("cycle", cycle);
  if (!stall.network.empty()) {
    answer.line("network", printable(stall.network));
    answer.field("network_stall", stall.network);
  }
  constexpr std::size_t kShown = 8;
  std::size_t nodes = 0;
  answer.each("unfinished_nodes", stall.nodes,
              [&](report::Answer& node, const sim::StalledNode& stalled) {
                const graph::Graph& graph = outcome.workload().graph(stalled.rank);
                state_stalled_node(node, graph, stalled, ++nodes <= kShown);
              });
  if (nodes > kShown) answer.line("", fmt::format("and {} more (--json)", nodes - kShown));
  answer.list("wait_cycle", stall.circle);
}

/// What the simulator saved, and whether the unfolded run agrees.
void state_work(report::Answer& answer, const Outcome& outcome) {
  const sim::Savings& savings = outcome.result.savings;
  const std::size_t ranks = outcome.result.ranks.size();
  const std::string saved = savings_text(savings, ranks);
  if (!saved.empty()) answer.line("simulated", saved);
  answer.object("savings", [&] {
    const std::string reason = unfolded_text(savings, ranks);
    answer.field("representative_ranks", savings.representatives);
    answer.field("not_folded", reason.empty() ? Value() : reason);
    answer.field("phases_closed_form", savings.phases_by_closed_form);
    answer.field("phases_by_messages", savings.phases_by_messages);
    answer.field("iterations_skipped", savings.iterations_skipped);
    answer.field("parallel_parts", savings.parts);
  });
  answer.object_or_null("verified_fold", outcome.verified.has_value(), [&] {
    const auto& [difference, folded] = *outcome.verified;
    const std::string text = verification_text(*outcome.verified, ranks);
    answer.line("verified", difference ? answer.style().bad(text) : text);
    answer.field("equal", !difference.has_value()).field("difference", difference);
    answer.field("representative_ranks", folded.representatives);
  });
}

/// The cost of each effect. Text omits effects that do not change the step.
void state_effects(report::Answer& answer, const Outcome& outcome) {
  const Time end = outcome.result.end;
  std::vector<EffectCost> costs = outcome.effects;
  if (!answer.is_json()) {
    if (costs.empty()) return;
    std::erase_if(costs, [&](const auto& one) { return one.without == end; });
  }
  Columns<EffectCost> columns;
  columns.add("effect", "effect", &EffectCost::name)
      .add("step without it", "step_without_ns", &EffectCost::without)
      .show(
          "adds", [=](const auto& one) { return report::signed_time(end - one.without); },
          report::Align::right)
      .show(
          "", [=](const auto& one) { return report::relative_change(one.without, end); },
          report::Align::right);
  answer.table("effects", costs, columns, {.if_empty = "no effect changes the step"});
}

/// The algorithm chosen for a kind of collective, and why the next one is slower.
std::string choice_text(const AlgorithmChoice& one) {
  std::string text = fmt::format("{} among {}", format_bytes(one.whole), one.members);
  if (one.groups > 1) text += fmt::format(" ({} groups at once)", one.groups);
  text += ": ";
  if (one.algorithm.empty()) {
    text += "as in the cluster file; no algorithm could be compared";
  } else {
    text += fmt::format("{}, {}", one.brief(one.algorithm), format_time(one.time));
  }
  if (one.next.empty()) return text;
  const std::string_view why =
      one.more_bytes ? one.more_latency ? "bytes and latency" : "bytes" : "latency";
  return text + fmt::format("; {} {} due to {}", one.brief(one.next),
                            report::relative_change(one.time, one.next_time), why);
}

void state_choice(report::Answer& answer, const AlgorithmChoice& one) {
  answer.line(graph::name(one.type), choice_text(one));
  answer.field("type", graph::name(one.type)).field("bytes", one.whole);
  answer.field("group_size", one.members).field("groups", one.groups);
  answer.list("ranks_per_dimension", one.span);
  answer.field("algorithm", one.algorithm).field("time_ns", one.time);
  if (one.next.empty()) return;
  answer.field("next_algorithm", one.next).field("next_time_ns", one.next_time);
  answer.field("next_has_more_latency", one.more_latency);
  answer.field("next_bytes_take_longer", one.more_bytes);
}

/// Algorithms and chunks that were chosen for kinds of collectives.
void state_choices(report::Answer& answer, const Outcome& outcome) {
  answer.end_section();
  if (!outcome.chosen.empty()) answer.each("algorithms", outcome.chosen, state_choice);
  answer.end_section();
  const std::vector<sim::ChunkChoice>& chunks = outcome.result.chunk_choices;
  if (!chunks.empty()) answer.each("chunk_choices", chunks, state_chunk_choice);
}

}  // namespace

void state_run(report::Answer& answer, const Outcome& outcome, bool all) {
  const bool stalled = outcome.result.stall.has_value();
  answer.field("step_ns", outcome.result.end);
  state_models(answer, outcome);
  answer.field("messages", outcome.result.messages).field("events", outcome.result.events);
  if (!stalled || answer.is_json()) state_digest(answer, digest(outcome), all);
  report::state_packets(answer, outcome.result.packets);
  answer.members([&](JsonWriter& json) { write_ranks(json, outcome.result.ranks); });
  state_collectives(answer, outcome);
  answer.object_or_null("stall", stalled, [&] { state_stall(answer, outcome); });
  state_work(answer, outcome);
  const std::vector<std::string>& without = outcome.question.without;
  if (!stalled && !without.empty())
    answer.line("without", fmt::format("{}", fmt::join(without, ", ")));
  answer.list("disabled_effects", without);
  answer.findings(outcome.findings);
  if (stalled && !answer.is_json()) return;
  state_remote_memory(answer, outcome);
  state_choices(answer, outcome);
  state_effects(answer, outcome);
}

std::string outcome_json(const Outcome& outcome) {
  return report::answer_json("run", [&](report::Answer& answer) { state_run(answer, outcome); });
}

}  // namespace orrery::study
