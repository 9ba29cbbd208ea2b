// SPDX-License-Identifier: Apache-2.0
//
// Reads Calculon's model and execution files (calculon-ai/calculon, calculon/llm/llm.py: names).
#include <algorithm>

#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace calculon {
namespace {

using config::Json;
using config::KeyReader;
using config::Named;

constexpr KeyRow kModelRows[] = {
    {"attn_heads", KeyUse::sets, "model.heads"},  {"attn_size", KeyUse::sets, "model.head_dim"},
    {"feedforward", KeyUse::sets, "model.ffn"},   {"hidden", KeyUse::sets, "model.hidden"},
    {"num_blocks", KeyUse::sets, "model.layers"}, {"seq_size", KeyUse::sets, "batch.seq"},
};

// Other words than these are refused.
constexpr Named<RecomputeKind> kRecompute[] = {{"none", RecomputeKind::none},
                                               {"attn_only", RecomputeKind::selective},
                                               {"full", RecomputeKind::full}};
constexpr Named<Dtype> kTypes[] = {{"float32", Dtype::fp32},
                                   {"float16", Dtype::fp16},
                                   {"bfloat16", Dtype::bf16},
                                   {"float8", Dtype::fp8}};
constexpr KeyWord kShards[] = {{"true", "zero1"}, {"false", "none"}};

constexpr KeyRow kRunRows[] = {
    {"activation_recompute", KeyUse::read, "recompute.kind: selective with attn_only"},
    {"activations_offload", KeyUse::not_modeled},
    {"attention_type", KeyUse::read, "model.kv_heads: 1 with multiquery"},
    {"batch_size", KeyUse::sets, "batch.global"},
    {"data_par", KeyUse::sets, "parallel.dp"},
    {"data_par_net"},
    {"data_par_overlap", KeyUse::sets, "parallel.overlap_gradients"},
    {"datatype", KeyUse::read, "precision.weights, precision.activations, precision.reduce"},
    {"fused_activation", KeyUse::sets, "kernels.fused"},
    {"microbatch_size", KeyUse::sets, "batch.micro"},
    {"num_procs"},
    {"optimizer_offload", KeyUse::not_modeled},
    {"optimizer_sharding", KeyUse::sets, "parallel.sharding", kShards},
    {"pipeline_interleaving", KeyUse::read, "schedule.chunks"},
    {"pipeline_par", KeyUse::sets, "parallel.pp"},
    {"pipeline_par_net"},
    {"seq_par_ag_redo", KeyUse::not_modeled, "true"},
    {"tensor_par", KeyUse::sets, "parallel.tp"},
    {"tensor_par_comm_type", KeyUse::read, "parallel.sp: unless it is ar"},
    {"tensor_par_net"},
    {"tensor_par_overlap", KeyUse::not_modeled, "none"},
    {"training"},
    {"weight_offload", KeyUse::not_modeled},
};

Result<void> import_model(Spec& spec, const Json& file, const std::string& where,
                          Findings& findings) {
  Spec made = spec;
  made.model = Model{};
  made.model.name = "calculon model";
  made.model.dropout = true;  // Calculon's layers always have dropout
  made.kernels.flash_attention = false;
  if (auto done = apply_keys({kModelRows}, file, where, made, findings); !done)
    return tl::unexpected(done.error());
  made.model.vocab = 51200;  // Calculon's models end after the last block; assume Megatron's table
  findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  spec = std::move(made);
  return {};
}

/// What the execution file leaves out.
void set_defaults(Spec& spec) {
  spec.parallel.tp = spec.parallel.pp = spec.parallel.dp = spec.batch.micro = 1;
  spec.batch.global = 0;
  spec.parallel.sharding = Sharding::none;
  spec.parallel.overlap_gradients = spec.kernels.fused = false;
}

Result<void> import_run(Spec& spec, const Json& file, const std::string& where,
                        Findings& findings) {
  Spec made = spec;
  set_defaults(made);
  KeyReader keys(file, where);
  if (auto done = apply_other_keys({kRunRows}, keys, file, "", made, findings); !done)
    return tl::unexpected(done.error());
  made.schedule.chunks = std::max<std::int64_t>(whole(keys, "pipeline_interleaving", 1), 1);
  if (made.schedule.chunks > 1) made.schedule.kind = ScheduleKind::interleaved;
  made.parallel.sp = keys.text("tensor_par_comm_type", "ar") != "ar" && made.parallel.tp > 1;
  made.recompute.kind =
      keys.choice<RecomputeKind>("activation_recompute", RecomputeKind::none, kRecompute);
  made.precision.weights = made.precision.activations = made.precision.reduce =
      keys.choice<Dtype>("datatype", Dtype::fp16, kTypes);
  if (keys.text("attention_type", "multihead") == "multiquery") made.model.kv_heads = 1;
  if (auto fine = finish(keys, findings); !fine) return fine;
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace calculon

const Importer kCalculonModelImporter{
    .name = "calculon_model",
    .tool = "Calculon",
    .files = "its model",
    .reads = "the model",
    .is_document =
        [](const config::Json& document) {
          return has(document, {"hidden", "attn_heads", "num_blocks"});
        },
    .import_document = calculon::import_model};
const Importer kCalculonRunImporter{.name = "calculon_run",
                                    .tool = "Calculon",
                                    .files = "its execution",
                                    .reads = "plan, recomputation, precision",
                                    .is_document =
                                        [](const config::Json& document) {
                                          return has(document, {"tensor_par", "pipeline_par"});
                                        },
                                    .import_document = calculon::import_run};
constinit const ImporterTable kCalculonModelTable{&kCalculonModelImporter, {calculon::kModelRows}};
constinit const ImporterTable kCalculonRunTable{&kCalculonRunImporter, {calculon::kRunRows}};

}  // namespace orrery::workload
