// SPDX-License-Identifier: Apache-2.0
//
// Assembles STAGE's program: bodies, stages of the pipeline, the order of microbatches.
#include "orrery/workload/stage_compat/stage_compat.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "orrery/workload/stage_compat/stage_ops.h"

namespace orrery::workload {
namespace {

using stage_compat::OpList;
using stage_compat::StageSizes;
using stage_compat::Wide;

constexpr const char* kHint = "remove `compat: stage`";

/// A setting that STAGE does not support.
struct Refusal {
  bool refused;
  const char* where;
  const char* what;
};

Result<void> check_features(const Spec& spec) {
  const Model& m = spec.model;
  const Parallel& p = spec.parallel;
  const bool experts = m.moe.has_value();
  const Refusal refusals[] = {
      {m.kind != ModelKind::decoder, "model.kind", "STAGE supports only decoders"},
      {m.mla.has_value(), "model.mla", "STAGE has no latent attention"},
      {m.mtp_layers > 0, "model.mtp_layers", "STAGE has no multi-token prediction"},
      {!m.pattern.empty(), "model.pattern", "STAGE has no hybrid models"},
      {m.head_dim != 0 && m.head_dim * m.heads != m.hidden, "model.head_dim",
       "STAGE's head size is hidden / heads"},
      {experts && (m.moe->shared_experts != 0 || m.expert_layers() != m.layers), "model.moe",
       "STAGE has experts in every layer, and no shared experts"},
      {experts && m.moe->ffn != 0 && m.ffn != 0 && m.moe->ffn != m.ffn, "model.moe.ffn",
       "STAGE's experts have the inner size `ffn` of the model"},
      {p.ep > 1 && !p.ep_own_axis, "parallel.ep", "STAGE's `ep` is a separate axis"},
      {p.ep > 1 && !experts, "parallel.ep", "STAGE distributes experts only over `ep`"},
      {p.etp != 0 && p.etp != p.tp, "parallel.etp", "STAGE splits experts over `tp`"},
      {p.cp > 1 && p.cp_method != ContextMethod::all_gather, "parallel.cp_method",
       "STAGE gathers keys and values"},
      {p.sharding == Sharding::zero1 || p.sharding == Sharding::zero2, "parallel.sharding",
       "STAGE shards all weights of a layer or none"},
      {p.tp > 1 && !p.sp && (experts || is_gated(m.mlp)), "parallel.sp",
       "STAGE's blocks with experts or gated MLPs are sequence parallel"},
      {p.tp > 1 && !p.sp && p.cp > 1, "parallel.sp",
       "STAGE's output for tp and cp without sp is unknown"},
      {spec.schedule.chunks != 1 || !spec.schedule.stage_layers.empty(), "schedule",
       "STAGE's pipeline stages are of equal size"},
  };
  for (const Refusal& refusal : refusals) {
    if (refusal.refused) return fail(Errc::config_conflict, refusal.where, refusal.what, kHint);
  }
  return {};
}

StageSizes shape_of(const Spec& spec) {
  const Model& m = spec.model;
  const Parallel& p = spec.parallel;
  StageSizes s;
  s.hidden = m.hidden;
  s.ffn = m.ffn != 0 ? m.ffn : m.moe && m.moe->ffn != 0 ? m.moe->ffn : 4 * m.hidden;
  s.vocab = m.vocab;
  s.gated = is_gated(m.mlp) && !m.moe;
  s.grouped = s.gated || m.moe;
  s.kv = s.grouped && m.kv_heads != 0 ? m.hidden / m.heads * m.kv_heads : m.hidden;
  s.tp = p.tp;
  s.sp = p.sp || p.tp == 1;
  s.cp = p.cp;
  s.dp = p.dp;
  s.ep = p.ep;
  s.shards = p.sharding == Sharding::zero3 ? p.dp : 1;
  s.tokens = Wide{spec.batch.micro} * spec.batch.seq / p.cp;
  if (m.moe) {
    s.experts = m.moe->experts;
    s.top_k = m.moe->top_k;
  }
  return s;
}

/// Checks that all divisions in the operators have no remainder.
Result<void> check_divisions(const Spec& spec, const StageSizes& s) {
  struct Division {
    Wide whole;
    Wide parts;
    const char* what;
  };
  const Wide experts = s.experts != 0 ? s.experts : 1;
  const Division divisions[] = {
      {spec.batch.seq, s.cp, "tokens of a sequence over cp"},
      {spec.model.hidden, spec.model.heads, "hidden over heads"},
      {s.tokens * s.hidden, s.tp, "activations over tp"},
      {s.hidden, s.tp, "hidden over tp"},
      {s.kv, s.tp, "keys over tp"},
      {s.ffn, s.tp, "ffn over tp"},
      {s.vocab, s.sp ? 1 : s.tp, "vocab over tp"},
      {s.tokens * s.vocab, s.tp, "logits over tp"},
      {experts, s.ep, "experts over ep"},
      {s.hidden, s.ep, "hidden over ep"},
      {s.tokens * s.hidden, s.tp * s.ep, "activations over tp and ep"},
      {s.tokens * s.top_k, experts * s.ep, "tokens over experts and ep"},
      {s.tokens * s.top_k, s.tp, "tokens over tp"},
      {s.tokens * s.top_k / (experts * s.ep) * s.hidden, s.tp, "tokens of an expert over tp"},
      {s.layer_weights(), s.shards, "weights of a layer over dp"},
      {spec.model.layers, spec.parallel.pp, "layers over pp"},
  };
  for (const Division& division : divisions) {
    if (division.whole % division.parts != 0) {
      return fail(Errc::config_conflict, spec.name.empty() ? "spec" : spec.name,
                  fmt::format("STAGE would split {} unevenly: {} over {} ranks", division.what,
                              static_cast<std::int64_t>(division.whole),
                              static_cast<std::int64_t>(division.parts)),
                  kHint);
    }
  }
  return {};
}

/// The mesh. STAGE never merges dp and cp into one group. To give dp alone an axis, the inner one
/// of the two becomes dp_shard.
Mesh mesh_of(const Spec& spec, StageSizes& shape) {
  const Mesh plain(spec);
  const bool inner = plain.stride(Dim::dp) < plain.stride(Dim::cp);
  Spec split = spec;
  split.parallel.shard_size = inner ? spec.parallel.dp : spec.parallel.cp;
  shape.data = inner ? Axis::dp_shard : Axis::dp_replicate;
  return Mesh(split);
}

/// Indices of bodies and parts.
enum : std::uint32_t {
  kLayerForward,
  kLayerBackward,
  kLayerStep,
  kEmbeddingForward,
  kEmbeddingBackward,
  kHeadForward,
  kHeadBackward,
  kTableStep,
  kReceiveForward,
  kSendForward,
  kReceiveBackward,
  kSendBackward
};
enum : std::uint32_t { kForward, kBackward, kStep };

using Fill = void (*)(const StageSizes&, OpList&);

Result<Body> body_of(const char* name, const StageSizes& shape, Phase phase, Stream from,
                     Fill fill) {
  OpList list(phase);
  if (from != stream::none) list.wait(from);
  fill(shape, list);
  if (!list.fits()) {
    return fail(Errc::config_range, name, "an operation is too large to count",
                "use a smaller model, batch or sequence");
  }
  return Body{name, list.take()};
}

/// A message to or from a neighbor on pp.
Body message(const char* name, graph::NodeKind kind, Phase phase, Stream own, std::int32_t shift,
             std::uint32_t message_id, Wide size) {
  Op op;
  op.name = name;
  op.op_class = OpClass::communication;
  op.phase = phase;
  op.kind = kind;
  op.stream = own;
  op.axis = Axis::pp;
  op.peer_offset = shift;
  op.size = static_cast<std::int64_t>(size);
  if (kind == graph::NodeKind::send) op.waits[0] = stream::compute;
  op.message_id = message_id;
  return Body{std::string("pipeline.") + name, {op}};
}

Result<void> add_bodies(const StageSizes& s, bool pipeline, Program& program) {
  using graph::NodeKind;
  const Stream forward = pipeline ? stream::receive_forward(0) : stream::none;
  const Stream backward = pipeline ? stream::receive_backward(0) : stream::none;
  const Phase grad = Phase::input_grad;
  const struct {
    const char* name;
    Phase phase;
    Stream from;
    Fill fill;
  } bodies[] = {
      {"layer.forward", Phase::forward, forward, stage_compat::layer_forward},
      {"layer.backward", grad, backward, stage_compat::layer_backward},
      {"layer.step", Phase::step, stream::none, stage_compat::layer_step},
      {"embedding.forward", Phase::forward, stream::none, stage_compat::embedding_forward},
      {"embedding.backward", grad, stream::none, stage_compat::embedding_backward},
      {"head.forward", Phase::forward, stream::none, stage_compat::head_forward},
      {"head.backward", grad, stream::none, stage_compat::head_backward},
      {"table.step", Phase::step, stream::none, stage_compat::table_step}};
  for (const auto& body : bodies) {
    auto made = body_of(body.name, s, body.phase, body.from, body.fill);
    if (!made) return tl::unexpected(made.error());
    program.bodies.push_back(std::move(*made));
  }
  const Wide size = s.stream();
  program.bodies.push_back(
      message("receive", NodeKind::recv, Phase::forward, stream::receive_forward(0), -1, 1, size));
  program.bodies.push_back(
      message("send", NodeKind::send, Phase::forward, stream::send_forward(0), 1, 1, size));
  program.bodies.push_back(
      message("receive", NodeKind::recv, grad, stream::receive_backward(0), 1, 2, size));
  program.bodies.push_back(
      message("send", NodeKind::send, grad, stream::send_backward(0), -1, 2, size));
  return {};
}

Result<void> add_parts(const Spec& spec, const StageSizes& s, Program& program) {
  const Wide width = static_cast<Wide>(bytes_of(spec.precision.activations));
  const struct {
    const char* name;
    Wide weights;
    std::uint32_t forward;
  } parts[] = {{"embedding", s.table_weights(), kEmbeddingForward},
               {s.experts != 0 ? "moe layer" : "layer", s.layer_weights(), kLayerForward},
               {"head", s.table_weights(), kHeadForward}};
  for (const auto& part : parts) {
    Wide retained = 0;
    for (const Op& op : program.bodies[part.forward].ops) retained += op.bytes * width;
    if (retained > Wide{1} << 62) {
      return fail(Errc::config_range, part.name, "its results are too large to count",
                  "use a smaller model, batch or sequence");
    }
    Part made;
    made.name = part.name;
    made.is_layer = part.forward == kLayerForward;
    made.weights.dense = static_cast<std::int64_t>(part.weights);
    made.retained.push_back({"results", static_cast<std::int64_t>(retained)});
    made.split_backward_tensors =
        made.retained;  // STAGE does not specify the memory of weight halves
    made.boundary = static_cast<std::int64_t>(s.stream() * width);
    program.parts.push_back(std::move(made));
  }
  return {};
}

Role role_of_stage(const Program& program, std::uint32_t stage) {
  const auto stages = static_cast<std::uint32_t>(program.spec.parallel.pp);
  const auto layers = static_cast<std::uint32_t>(program.spec.model.layers) / stages;
  const auto first = static_cast<std::int32_t>(stage * layers);
  const auto last = static_cast<std::int32_t>(first + layers - 1);
  const bool begins = stage == 0, ends = stage + 1 == stages;
  std::vector<Segment> forward, backward, step;
  forward.push_back({begins ? kEmbeddingForward : kReceiveForward});
  forward.push_back({kLayerForward, layers, first, 1});
  forward.push_back({ends ? kHeadForward : kSendForward});
  backward.push_back({ends ? kHeadBackward : kReceiveBackward});
  backward.push_back({kLayerBackward, layers, last, -1});
  backward.push_back({begins ? kEmbeddingBackward : kSendBackward});
  step.push_back({kLayerStep, layers, first, 1});
  if (begins) step.push_back({kTableStep});
  if (ends) step.push_back({kTableStep});

  Role role;
  role.name = fmt::format("stage {}", stage);
  role.where.stage = static_cast<std::int32_t>(stage);
  role.ranks = program.mesh.world() / stages;
  role.chunks.emplace_back();
  if (begins) role.chunks[0].push_back({0});
  role.chunks[0].push_back({1, layers, first});
  if (ends) role.chunks[0].push_back({2});
  role.recipes = {std::move(forward), std::move(backward), std::move(step)};
  const auto microbatches = static_cast<std::uint32_t>(program.spec.microbatches());
  role.tasks = {{{{TaskKind::forward, 0, kForward, 0}}, microbatches, 1},
                {{{TaskKind::backward, 0, kBackward, 0}}, microbatches, 1},
                {{{TaskKind::step, 0, kStep, 0}}, 1, 0}};
  return role;
}

}  // namespace

Result<Program> assemble_stage(const Spec& spec) {
  if (auto done = check_features(spec); !done) return tl::unexpected(done.error());
  stage_compat::StageSizes shape = shape_of(spec);
  if (auto done = check_divisions(spec, shape); !done) return tl::unexpected(done.error());
  Program program;
  program.spec = spec;
  program.mesh = mesh_of(spec, shape);
  if (auto done = add_bodies(shape, spec.parallel.pp > 1, program); !done)
    return tl::unexpected(done.error());
  if (auto done = add_parts(spec, shape, program); !done) return tl::unexpected(done.error());
  for (std::uint32_t stage = 0; stage < spec.parallel.pp; ++stage)
    program.roles.push_back(role_of_stage(program, stage));
  return program;
}

std::string_view stage_class(const Op& op) {
  if (op.kind != graph::NodeKind::comp) return {};
  const std::string_view name = op.name;
  return name.substr(0, name.find('.'));
}

}  // namespace orrery::workload
