// SPDX-License-Identifier: Apache-2.0
//
// Calculon's model and execution files.
#include <algorithm>
#include <array>

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

Result<void> import_calculon_model(Spec& spec, const Json& file, const std::string& where,
                                   Findings& findings) {
  KeyReader keys(file, where);
  Model model;
  model.name = "calculon model";
  model.hidden = whole(keys, "hidden", 1024);
  model.ffn = whole(keys, "feedforward", 0);
  model.heads = whole(keys, "attn_heads", 16);
  model.head_dim = whole(keys, "attn_size", 0);
  model.layers = whole(keys, "num_blocks", 1);
  model.dropout = true;  // Calculon's layers always have dropout
  spec.batch.seq = whole(keys, "seq_size", spec.batch.seq);
  spec.kernels.flash_attention = false;
  if (auto fine = finish(keys, findings); !fine) return fine;
  model.vocab = 51200;  // Calculon's models end after the last block; assume Megatron's table
  findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  spec.model = std::move(model);
  return {};
}

Result<void> import_calculon_run(Spec& spec, const Json& file, const std::string& where,
                                 Findings& findings) {
  constexpr std::array kRecompute = {Named<RecomputeKind>{"none", RecomputeKind::none},
                                     Named<RecomputeKind>{"attn_only", RecomputeKind::selective},
                                     Named<RecomputeKind>{"full", RecomputeKind::full}};
  constexpr std::array kTypes = {
      Named<Dtype>{"float32", Dtype::fp32}, Named<Dtype>{"float16", Dtype::fp16},
      Named<Dtype>{"bfloat16", Dtype::bf16}, Named<Dtype>{"float8", Dtype::fp8}};
  KeyReader keys(file, where);
  spec.parallel.tp = whole(keys, "tensor_par", 1);
  spec.parallel.pp = whole(keys, "pipeline_par", 1);
  spec.parallel.dp = whole(keys, "data_par", 1);
  spec.batch.global = whole(keys, "batch_size", 0);
  spec.batch.micro = whole(keys, "microbatch_size", 1);
  spec.schedule.chunks = std::max<std::int64_t>(whole(keys, "pipeline_interleaving", 1), 1);
  if (spec.schedule.chunks > 1) spec.schedule.kind = ScheduleKind::interleaved;
  spec.parallel.sharding = keys.flag("optimizer_sharding") ? Sharding::zero1 : Sharding::none;
  spec.parallel.overlap_gradients = keys.flag("data_par_overlap");
  spec.parallel.sp = spec.parallel.tp > 1 && keys.text("tensor_par_comm_type", "ar") != "ar";
  spec.kernels.fused = keys.flag("fused_activation");
  spec.recompute.kind =
      keys.choice<RecomputeKind>("activation_recompute", RecomputeKind::none, kRecompute);
  const Dtype type = keys.choice<Dtype>("datatype", Dtype::fp16, kTypes);
  spec.precision.weights = spec.precision.activations = spec.precision.reduce = type;
  if (keys.text("attention_type", "multihead") == "multiquery") spec.model.kv_heads = 1;
  for (const char* const offload : {"weight_offload", "activations_offload", "optimizer_offload"}) {
    if (keys.flag(offload)) findings.add(FindingCode::key_without_effect, keys.place(offload));
  }
  ignore_keys(keys,
              {"num_procs", "tensor_par_net", "pipeline_par_net", "data_par_net", "training"});
  report_unmodeled(keys, file, {{"tensor_par_overlap", "none"}, {"seq_par_ag_redo", true}},
                   findings);
  return finish(keys, findings);
}

}  // namespace

const Importer kCalculonModelImporter{
    .name = "calculon_model",
    .tool = "Calculon",
    .files = "its model",
    .reads = "the model",
    .is_document =
        [](const Json& document) {
          return has(document, {"hidden", "attn_heads", "num_blocks"});
        },
    .import_document = import_calculon_model};

const Importer kCalculonRunImporter{.name = "calculon_run",
                                    .tool = "Calculon",
                                    .files = "its execution",
                                    .reads = "plan, recomputation, precision",
                                    .is_document =
                                        [](const Json& document) {
                                          return has(document, {"tensor_par", "pipeline_par"});
                                        },
                                    .import_document = import_calculon_run};

}  // namespace orrery::workload
