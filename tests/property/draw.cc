// SPDX-License-Identifier: Apache-2.0
#include "draw.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <vector>

#include "orrery/graph/transform/durations.h"
#include "orrery/workload/spec/lora_targets.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::property {

using namespace workload;

namespace {

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }

 private:
  Random& random_;
};

void draw_experts(Draw& draw, Model& model) {
  Moe moe;
  moe.experts = draw.of<std::int64_t>({4, 8});
  moe.top_k = draw.of<std::int64_t>({1, 2});
  moe.ffn = draw.of<std::int64_t>({0, 32});
  moe.shared_experts = draw.of<std::int64_t>({0, 0, 1});
  moe.first_dense = draw.of<std::int64_t>({0, 0, 1});
  moe.every = draw.of<std::int64_t>({1, 1, 2});
  moe.router_bias = draw.one_in(3);
  model.moe = moe;
}

Model draw_model(Draw& draw) {
  Model model;
  model.name = "drawn";
  model.kind = draw.of({ModelKind::decoder, ModelKind::decoder, ModelKind::decoder,
                        ModelKind::encoder, ModelKind::encoder_decoder, ModelKind::vit});
  model.layers = draw.between(1, 8);
  model.heads = draw.of<std::int64_t>({4, 8});
  model.head_dim = draw.of<std::int64_t>({0, 8});
  model.hidden = model.heads * draw.of<std::int64_t>({8, 16});
  model.kv_heads = draw.of<std::int64_t>({0, 4});
  model.ffn = draw.of<std::int64_t>({0, 64, 96});
  model.vocab = 64 * draw.between(1, 4);
  model.mlp = draw.of({Mlp::gelu, Mlp::swiglu, Mlp::relu, Mlp::geglu});
  model.norm = draw.of({Norm::layernorm, Norm::rmsnorm});
  model.positions = draw.of({Positions::learned, Positions::rope, Positions::none});
  model.qkv_bias = draw.one_in(2);
  model.out_bias = draw.one_in(2);
  model.mlp_bias = draw.one_in(2);
  model.tied_embeddings = draw.one_in(2);
  model.dropout = draw.one_in(3);
  model.max_positions = 64;
  if (model.kind == ModelKind::decoder) {
    model.qk_norm = draw.one_in(4);
    model.post_norms = draw.one_in(6);
    model.parallel_block = !model.post_norms && draw.one_in(6);
    model.window = draw.of<std::int64_t>({0, 0, 8});
    model.full_every = draw.of<std::int64_t>({0, 2});
    if (draw.one_in(3)) draw_experts(draw, model);
    if (draw.one_in(6)) model.mla = Mla{draw.of<std::int64_t>({0, 16}), 16, 8, 4, 8};
  }
  if (model.kind == ModelKind::encoder_decoder) model.encoder_layers = draw.between(1, 4);
  if (model.kind == ModelKind::vit) {
    model.vision = Vision{};
    model.vision->image = 32;
    model.vision->patch = 8;
    model.vision->class_token = draw.one_in(2);
    model.vision->classes = 64;
  }
  return model;
}

/// A third of the decoders have modules of multi-token prediction, or are hybrids.
void draw_layers(Draw& draw, Model& model) {
  if (model.kind != ModelKind::decoder) return;
  if (draw.one_in(6)) {
    model.mtp_layers = draw.between(1, 2);
  } else if (draw.one_in(5)) {
    for (std::int64_t i = 0; i < model.layers; ++i)
      model.pattern += draw.of({'M', 'M', '*', '-', model.moe ? 'E' : '-'});
    if (model.layers_of(LayerSymbol::mamba) > 0) model.mamba = Mamba{8, 8, 8, 4, 4, 8};
    if (model.moe) model.moe->first_dense = 0, model.moe->every = 1;
  }
}

/// A quarter of the jobs have products in fp8, some of these also weights.
void draw_precision(Draw& draw, Precision& precision) {
  precision.reduce = draw.of({Dtype::fp32, Dtype::bf16});
  if (!draw.one_in(4)) return;
  precision.products = Dtype::fp8;
  precision.scaling = draw.of({Scaling::delayed, Scaling::tensor, Scaling::blockwise, Scaling::mx,
                               Scaling::rowwise, Scaling::rowwise_with_gw_hp});
  if (draw.one_in(3)) precision.weights = Dtype::fp8;
}

/// A third of the jobs train adapters: beside all matrices, or beside some.
void draw_adapters(Draw& draw, Spec& spec) {
  if (!draw.one_in(3)) return;
  spec.lora = Lora{draw.of<std::int64_t>({1, 4, 6}), {}};
  if (draw.one_in(2)) return;
  for (const std::string_view word : adaptable_matrices(spec.model))
    if (draw.one_in(2)) spec.lora->targets.emplace_back(word);
}

void draw_plan(Draw& draw, Spec& spec) {
  Parallel& plan = spec.parallel;
  plan.tp = draw.of<std::int64_t>({1, 1, 2, 4});
  plan.sp = plan.tp > 1 && draw.one_in(2);
  plan.cp = draw.of<std::int64_t>({1, 1, 1, 2, 4});
  plan.cp_method =
      draw.of({ContextMethod::ring, ContextMethod::all_gather, ContextMethod::ulysses});
  plan.pp = draw.of<std::int64_t>({1, 2, 2, 4});
  plan.dp = draw.of<std::int64_t>({1, 2, 4, 3});
  if (spec.model.moe) {
    plan.ep = draw.of<std::int64_t>({1, 2, 4});
    plan.etp = draw.of<std::int64_t>({0, 1});
    plan.ep_own_axis = draw.one_in(4);
  }
  plan.sharding = draw.of({Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3});
  plan.shard_size = draw.of<std::int64_t>({0, 0, 2});
  plan.prefetch = draw.between(0, 3);
  plan.bucket = Bytes(draw.of<std::int64_t>({1, 4096, 25 << 20}));
  plan.overlap_gradients = draw.one_in(2);
  plan.keep_gathered = draw.one_in(2);
  plan.order = draw.of<std::string>(
      {"tp-cp-ep-dp-pp", "tp-cp-ep-dp-pp", "tp-pp-cp-ep-dp", "pp-dp-ep-cp-tp", "dp-tp-cp-ep-pp"});
}

/// What is said of data parallelism, and what is left to a framework.
void draw_policy(Draw& draw, Spec& spec) {
  Parallel& plan = spec.parallel;
  spec.kernels.framework =
      draw.of({Framework::none, Framework::none, Framework::pytorch, Framework::torchtitan,
               Framework::torchtitan_compiled, Framework::deepspeed, Framework::megatron,
               Framework::megatron_2021});
  if (spec.model.moe && draw.one_in(2)) {
    Kernels& kernels = spec.kernels;
    if (draw.one_in(2)) kernels.expert_launches = draw.one_in(2);
    if (draw.one_in(2)) kernels.expert_syncs = draw.one_in(2);
  }
  if (draw.one_in(4)) plan.bucket.reset();
  if (draw.one_in(4)) plan.overlap_gradients.reset();
  if (draw.one_in(4)) plan.keep_gathered.reset();
  if (draw.one_in(2)) plan.overlap_weights = draw.one_in(2);
  if (draw.one_in(2)) plan.reduce_once = draw.one_in(2);
  if (draw.one_in(4)) plan.prefetch_backward = draw.between(0, 3);
}

void draw_schedule(Draw& draw, Spec& spec) {
  const auto last = static_cast<std::int64_t>(kSchedules.size()) - 1;
  const ScheduleEntry& schedule = *kSchedules[static_cast<std::size_t>(draw.between(0, last))];
  spec.schedule.kind = schedule.kind;
  if (schedule.chunks == ChunkCount::several) spec.schedule.chunks = draw.between(2, 3);
  if (schedule.chunks == ChunkCount::two) spec.schedule.chunks = 2;
  spec.schedule.blocking_sends = draw.one_in(4);
  spec.schedule.overlap = !draw.one_in(4);
  spec.batch.micro = draw.between(1, 2);
  spec.batch.seq = draw.of<std::int64_t>({16, 32});
  spec.batch.global = spec.batch.micro * spec.parallel.dp * draw.between(1, 8);
  spec.recompute.kind = draw.of({RecomputeKind::none, RecomputeKind::selective, RecomputeKind::full,
                                 RecomputeKind::ops, RecomputeKind::torchtitan_op});
  if (spec.recompute.kind == RecomputeKind::full)
    spec.recompute.every = draw.of<std::int64_t>({1, 1, 2, 3});
  if (spec.recompute.kind == RecomputeKind::ops) spec.recompute.ops = {"norm", "mlp_up"};
  spec.kernels.flash_attention = draw.one_in(2);
  if (spec.kernels.flash_attention && draw.one_in(4)) spec.precision.attention = Dtype::fp8;
  spec.kernels.fused = draw.one_in(2);
  spec.optimizer.kind = draw.of({OptimizerKind::adamw, OptimizerKind::sgd, OptimizerKind::muon});
  spec.optimizer.gradient_norm = draw.one_in(2);
  draw_precision(draw, spec.precision);
  if (spec.model.moe && draw.one_in(2)) {
    spec.kernels.fused_experts = draw.one_in(2);
    spec.model.moe->expert_bias = draw.one_in(2);
    spec.model.moe->clamp = draw.one_in(2);
    spec.kernels.sort_copies = draw.one_in(2);
    spec.parallel.dispatcher =
        draw.of({Dispatcher::all_to_all, Dispatcher::deepep, Dispatcher::deepep_low_latency,
                 Dispatcher::hybridep, Dispatcher::in_network});
    if (can_overlap_experts(spec)) spec.parallel.overlap_experts = true;
  }
}

}  // namespace

Spec draw_legal(Random& random, std::int64_t world) {
  Draw draw(random);
  for (;;) {
    Spec spec;
    spec.model = draw_model(draw);
    draw_layers(draw, spec.model);
    draw_adapters(draw, spec);
    draw_plan(draw, spec);
    draw_schedule(draw, spec);
    draw_policy(draw, spec);
    if (spec.parallel.world() <= world && check_spec(spec)) return spec;
  }
}

Spec on_one_rank(Spec spec) {
  Parallel plan;
  plan.order = spec.parallel.order;
  spec.batch.global = spec.global_batch();
  spec.parallel = plan;
  spec.schedule = Schedule{};
  return spec;
}

platform::Platform cluster(std::uint64_t ranks, double bandwidth, double latency_ns) {
  platform::Platform machine;
  machine.dims.push_back({platform::Block::switched, static_cast<std::int64_t>(ranks),
                          Bandwidth(bandwidth), latency_ns});
  machine.device.name = "test";
  machine.device.peak = FlopRate(1e12);
  machine.device.memory = Bandwidth(1e11);
  machine.device.compute = TimeSource::automatic;
  const platform::CollectivePlan ring{{{platform::Algorithm::ring, -1}}, {}};
  const platform::CollectivePlan direct{{{platform::Algorithm::direct, -1}}, {}};
  machine.collectives.all_reduce = machine.collectives.all_gather =
      machine.collectives.reduce_scatter = ring;
  machine.collectives.all_to_all = direct;
  return machine;
}

graph::Workload recording_of(const graph::Workload& job, Random& random) {
  graph::Workload made = job;
  made.graphs.clear();
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const graph::Graph& graph = job.graph(rank);
    std::vector<Time> durations = graph::durations_of(graph);
    for (graph::NodeId n = 0; n < graph.size(); ++n)
      if (graph.kind(n) == graph::NodeKind::comp) durations[n] = us(1 + random() % 100);
    made.graph_of_rank[rank] = rank;
    made.graphs.push_back(std::make_shared<const graph::Graph>(graph.with_durations(durations)));
  }
  return made;
}

std::string describe(const Spec& spec) { return to_yaml(spec); }

}  // namespace orrery::property
