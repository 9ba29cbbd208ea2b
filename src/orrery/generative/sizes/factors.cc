// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/factors.h"

#include <algorithm>

namespace orrery::generative {
namespace {

using workload::Axis;

constexpr std::array<std::string_view, kFactors> kNames = {"1",
                                                           "tokens",
                                                           "sharded_tokens",
                                                           "sequences",
                                                           "sequence_length",
                                                           "hidden",
                                                           "query_width",
                                                           "kv_width",
                                                           "qkv_width",
                                                           "heads",
                                                           "kv_heads",
                                                           "head_size",
                                                           "ffn",
                                                           "vocabulary",
                                                           "experts",
                                                           "chosen_experts",
                                                           "expert_ffn",
                                                           "tp",
                                                           "tp_peers",
                                                           "cp",
                                                           "dp",
                                                           "shards",
                                                           "ep",
                                                           "expert_tp",
                                                           "expert_dp",
                                                           "stages",
                                                           "stage",
                                                           "chunk",
                                                           "layers",
                                                           "layer_weights",
                                                           "expert_layer_weights",
                                                           "experts_weights",
                                                           "embedding_weights",
                                                           "head_weights",
                                                           "stage_weights",
                                                           "stage_experts_weights",
                                                           "replicated_weights",
                                                           "layer_shard",
                                                           "expert_layer_shard",
                                                           "experts_shard",
                                                           "embedding_shard",
                                                           "head_shard",
                                                           "stage_shard",
                                                           "stage_experts_shard",
                                                           "parts_shard",
                                                           "parts_experts_shard",
                                                           "replicated_shard"};

std::int64_t rounded_up(std::int64_t value, std::int64_t parts) {
  return (value + parts - 1) / parts;
}

class Values {
 public:
  std::int64_t& operator[](Factor factor) { return values_[static_cast<std::size_t>(factor)]; }
  [[nodiscard]] const FactorValues& all() const { return values_; }

 private:
  FactorValues values_{};
};

void add_model(const workload::Spec& spec, Values& values) {
  const workload::Model& model = spec.model;
  const workload::Parallel& plan = spec.parallel;
  const std::int64_t heads = std::max<std::int64_t>(1, model.heads);
  const std::int64_t head_size = model.head_dim != 0 ? model.head_dim : model.hidden / heads;
  const std::int64_t kv_heads = model.kv_heads != 0 ? model.kv_heads : model.heads;
  const std::int64_t ffn = model.ffn != 0 ? model.ffn : 4 * model.hidden;
  const std::int64_t tokens = spec.batch.micro * spec.batch.seq / plan.cp;
  values[Factor::one] = 1;
  values[Factor::tokens] = tokens;
  values[Factor::sharded_tokens] = plan.sp ? tokens / plan.tp : tokens;
  values[Factor::sequences] = spec.batch.micro;
  values[Factor::sequence_length] = spec.batch.seq;
  values[Factor::hidden] = model.hidden;
  values[Factor::query_width] = model.heads * head_size;
  values[Factor::kv_width] = kv_heads * head_size;
  values[Factor::qkv_width] = (model.heads + 2 * kv_heads) * head_size;
  values[Factor::heads] = model.heads;
  values[Factor::kv_heads] = kv_heads;
  values[Factor::head_size] = head_size;
  values[Factor::ffn] = ffn;
  values[Factor::vocabulary] = model.vocab;
  if (model.moe) {
    values[Factor::experts] = model.moe->experts;
    values[Factor::chosen_experts] = model.moe->top_k;
    values[Factor::expert_ffn] = model.moe->ffn != 0 ? model.moe->ffn : ffn;
  }
}

void add_mesh(const workload::Program& program, Values& values) {
  const workload::Parallel& plan = program.spec.parallel;
  values[Factor::tp] = plan.tp;
  values[Factor::tp_peers] = plan.tp - 1;
  values[Factor::cp] = plan.cp;
  values[Factor::dp] = plan.dp;
  values[Factor::shards] = program.mesh.extent(Axis::dp_shard);
  values[Factor::ep] = program.mesh.extent(Axis::ep);
  values[Factor::expert_tp] = plan.expert_tp();
  values[Factor::expert_dp] = program.mesh.extent(Axis::edp);
  values[Factor::stages] = plan.pp;
}

void add_weights(const workload::Program& program, const workload::Role& role, Values& values) {
  const std::int64_t shards = values[Factor::shards];
  const std::int64_t copies = values[Factor::expert_dp];
  for (const auto& chunk : role.chunks) {
    for (const workload::PartRun& run : chunk) {
      const workload::Weights weights = program.parts[run.part].trained();
      const std::int64_t rest = weights.total() - weights.expert;
      values[Factor::stage_weights] += run.count * rest;
      values[Factor::stage_experts_weights] += run.count * weights.expert;
      values[Factor::replicated_weights] += run.count * weights.replicated;
      values[Factor::parts_shard] += run.count * rounded_up(rest, shards);
      values[Factor::parts_experts_shard] += run.count * rounded_up(weights.expert, copies);
    }
  }
  for (const workload::Part& part : program.parts) {
    const workload::Weights weights = part.trained();
    const std::int64_t rest = weights.total() - weights.expert;
    if (part.is_layer && weights.expert != 0) {
      values[Factor::expert_layer_weights] = rest;
      values[Factor::experts_weights] = weights.expert;
    } else if (part.is_layer) {
      values[Factor::layer_weights] = rest;
    } else if (part.name == "embedding") {
      values[Factor::embedding_weights] = rest;
    } else if (part.name == "head") {
      values[Factor::head_weights] = rest;
    }
  }
  const auto shard = [&](Factor to, Factor of, std::int64_t ranks) {
    values[to] = rounded_up(values[of], ranks);
  };
  shard(Factor::layer_shard, Factor::layer_weights, shards);
  shard(Factor::expert_layer_shard, Factor::expert_layer_weights, shards);
  shard(Factor::experts_shard, Factor::experts_weights, copies);
  shard(Factor::embedding_shard, Factor::embedding_weights, shards);
  shard(Factor::head_shard, Factor::head_weights, shards);
  shard(Factor::stage_shard, Factor::stage_weights, shards);
  shard(Factor::stage_experts_shard, Factor::stage_experts_weights, copies);
  shard(Factor::replicated_shard, Factor::replicated_weights, shards);
}

}  // namespace

std::string_view factor_name(Factor factor) { return kNames[static_cast<std::size_t>(factor)]; }

FactorValues factors_of(const workload::Program& program, std::uint32_t role, std::uint32_t chunk) {
  Values values;
  const workload::Role& of = program.roles[role];
  add_model(program.spec, values);
  add_mesh(program, values);
  add_weights(program, of, values);
  values[Factor::stage] = of.where.stage;
  values[Factor::chunk] = chunk;
  if (chunk < of.chunks.size()) {
    for (const workload::PartRun& run : of.chunks[chunk])
      if (program.parts[run.part].is_layer) values[Factor::layers] += run.count;
  }
  return values.all();
}

}  // namespace orrery::generative
