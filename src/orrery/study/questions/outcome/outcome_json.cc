// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orrery/model/compute/step_overhead.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/report/json/digest_json.h"
#include "orrery/report/json/envelope.h"
#include "orrery/study/collectives/chunk_choice_json.h"
#include "orrery/study/questions/outcome/model_labels.h"
#include "orrery/study/questions/outcome/outcome.h"

namespace orrery::study {

using report::JsonWriter;

namespace {

/// What is added to kernels that a model tells alone; null: none does.
void write_in_step(JsonWriter& json, const platform::Platform& platform) {
  json.key("in_step");
  if (!predicts_kernels(platform)) {
    json.null();
    return;
  }
  const platform::Device& device = platform.device;
  json.begin_object()
      .nanoseconds("gap", model::launch_gap_of(device, model::silicon_of(device)))
      .key("factors")
      .begin_array();
  for (const platform::StepEffects::Factor& factor : device.in_step.factors)
    json.begin_object()
        .field("bits", factor.bits)
        .field("factor", factor.factor)
        .field("low_error", factor.lower)
        .field("high_error", factor.upper)
        .end_object();
  json.end_array().key("overlapping_collectives");
  const bool by_library = platform.collectives.library == platform::CollectiveLibrary::nccl;
  const auto& overlap = device.in_step.overlap;
  if (overlap) {
    json.begin_object()
        .field("source", "stated")
        .field("gemm_factor", overlap->products)
        .field("other_factor", overlap->others)
        .end_object();
  } else if (by_library) {
    json.begin_object().field("source", "assumed").end_object();
  } else {
    json.null();
  }
  json.key("collective_slowdown");
  const auto& collectives = device.in_step.collectives;
  if (by_library)
    json.begin_object()
        .field("source", collectives ? "stated" : "assumed")
        .field("factor", collectives.value_or(1))
        .end_object();
  else
    json.null();
  json.end_object();
}

void write_models(JsonWriter& json, const Outcome& outcome) {
  const platform::Platform& platform = outcome.platform();
  json.field("rules", name(platform.rules)).field("network_model", name(platform.network));
  json.field("compute_model", compute_label(platform));
  write_in_step(json, platform);
  const std::string library = library_label(outcome.inputs.cluster->library.get());
  json.field("collective_model", library.empty() ? "ideal" : library);
  json.key("platform")
      .begin_object()
      .field("name", outcome.cluster_name)
      .field("devices", platform.npu_count());
  json.field("device", platform.device.name).key("dimensions").begin_array();
  for (const platform::Dimension& dim : platform.dims) {
    json.begin_object().field("block", name(dim.block)).field("size", dim.size);
    json.field("bandwidth_bytes_per_s", dim.bandwidth.count())
        .field("latency_ns", dim.latency_ns)
        .end_object();
  }
  json.end_array().end_object();
  const graph::Workload& workload = outcome.workload();
  std::uint64_t nodes = 0;
  for (const std::uint32_t index : workload.graph_of_rank) nodes += workload.graphs[index]->size();
  json.key("workload")
      .begin_object()
      .field("name", outcome.workload_name)
      .field("ranks", workload.rank_count());
  json.field("distinct_ranks", workload.graphs.size()).field("nodes", nodes).end_object();
}

void write_ranks(JsonWriter& json, const Outcome& outcome) {
  json.key("per_rank").begin_array();
  for (std::size_t rank = 0; rank < outcome.result.ranks.size(); ++rank) {
    const sim::RankResult& one = outcome.result.ranks[rank];
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

void write_collectives(JsonWriter& json, const Outcome& outcome) {
  json.key("collectives").begin_array();
  for (const sim::CollectiveTotal& total : outcome.result.collectives) {
    json.begin_object().field("type", total.type).field("group_size", total.group_size);
    json.field("operations", total.operations)
        .field("bytes", total.bytes)
        .field("sent_bytes", total.sent)
        .nanoseconds("time", total.time)
        .end_object();
  }
  json.end_array();
}

void write_node(JsonWriter& json, const graph::Workload& workload, std::uint32_t rank,
                graph::NodeId node) {
  const graph::Graph& graph = workload.graph(rank);
  json.field("rank", rank).field("node", graph.id(node)).field("name", graph.name(node));
  json.field("kind", name(graph.kind(node)));
}

void write_stall(JsonWriter& json, const Outcome& outcome) {
  json.key("stall");
  if (!outcome.result.stall) {
    json.null();
    return;
  }
  const sim::StallReport& stall = *outcome.result.stall;
  json.begin_object().nanoseconds("at", stall.at).field("unfinished_ranks", stall.unfinished_ranks);
  json.key("unfinished_nodes").begin_array();
  for (const sim::StalledNode& stalled : stall.nodes) {
    json.begin_object();
    write_node(json, outcome.workload(), stalled.rank, stalled.node);
    json.field("reason", stalled.why).end_object();
  }
  json.end_array().key("wait_cycle").begin_array();
  for (const std::string& rank : stall.circle) json.value(rank);
  json.end_array().end_object();
}

void write_memory(JsonWriter& json, const Outcome& outcome) {
  json.key("remote_memory").begin_object().key("levels").begin_array();
  for (const sim::MemoryLevel& level : outcome.result.memory) {
    json.begin_object().field("name", level.name);
    json.field("loaded_bytes", level.loaded).field("stored_bytes", level.stored);
    json.field("busy_share", level.in_use(outcome.result.end)).end_object();
  }
  json.end_array().end_object();
}

void write_work(JsonWriter& json, const Outcome& outcome) {
  const sim::Savings& savings = outcome.result.savings;
  json.key("savings").begin_object().field("representative_ranks", savings.representatives);
  json.key("not_folded");
  savings.unfolded_reason.empty() ? json.null() : json.value(savings.unfolded_reason);
  json.field("phases_closed_form", savings.phases_by_closed_form);
  json.field("phases_by_messages", savings.phases_by_messages);
  json.field("iterations_skipped", savings.iterations_skipped);
  json.field("parallel_parts", savings.parts).end_object().key("verified_fold");
  if (!outcome.verified) {
    json.null();
    return;
  }
  const auto& [difference, folded] = *outcome.verified;
  json.begin_object().field("equal", !difference.has_value()).key("difference");
  difference ? json.value(*difference) : json.null();
  json.field("representative_ranks", folded.representatives).end_object();
}

}  // namespace

namespace {

void write_effects(JsonWriter& json, const Outcome& outcome) {
  json.key("disabled_effects").begin_array();
  for (const std::string& name : outcome.question.without) json.value(name);
  json.end_array().key("effects").begin_array();
  for (const EffectCost& one : outcome.effects)
    json.begin_object()
        .field("effect", one.name)
        .nanoseconds("step_without", one.without)
        .end_object();
  json.end_array();
}

}  // namespace

namespace {

void write_chosen(JsonWriter& json, const Outcome& outcome) {
  if (outcome.chosen.empty()) return;
  json.key("algorithms").begin_array();
  for (const AlgorithmChoice& one : outcome.chosen) {
    json.begin_object().field("type", graph::name(one.type)).field("bytes", one.whole.count());
    json.field("group_size", one.members)
        .field("groups", one.groups)
        .key("ranks_per_dimension")
        .begin_array();
    for (const std::uint32_t span : one.span) json.value(span);
    json.end_array().field("algorithm", one.algorithm).nanoseconds("time", one.time);
    if (!one.next.empty())
      json.field("next_algorithm", one.next)
          .nanoseconds("next_time", one.next_time)
          .field("next_has_more_latency", one.more_latency)
          .field("next_bytes_take_longer", one.more_bytes);
    json.end_object();
  }
  json.end_array();
}

void write_chunks(JsonWriter& json, const Outcome& outcome) {
  if (outcome.result.chunk_choices.empty()) return;
  json.key("chunk_choices").begin_array();
  for (const sim::ChunkChoice& one : outcome.result.chunk_choices) write_chunk_choice(json, one);
  json.end_array();
}

}  // namespace

void write_result(JsonWriter& json, const Outcome& outcome) {
  json.begin_object();
  json.nanoseconds("step", outcome.result.end);
  write_models(json, outcome);
  json.field("messages", outcome.result.messages).field("events", outcome.result.events);
  report::write_digest(json, digest(outcome));
  write_ranks(json, outcome);
  write_collectives(json, outcome);
  write_memory(json, outcome);
  write_stall(json, outcome);
  write_work(json, outcome);
  write_effects(json, outcome);
  write_chosen(json, outcome);
  write_chunks(json, outcome);
  json.end_object();
}

std::string outcome_json(const Outcome& outcome, std::string_view command) {
  return report::envelope(command, outcome.findings,
                          [&](report::JsonWriter& json) { write_result(json, outcome); });
}

}  // namespace orrery::study
