// SPDX-License-Identifier: Apache-2.0
//
// Reads Calculon's model and execution files (calculon-ai/calculon, calculon/llm/llm.py: names).
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace calculon {
namespace {

using config::Json;
using config::KeyReader;

constexpr KeyRow kModelRows[] = {
    {"attn_heads", KeyUse::sets, "model.heads"},  {"attn_size", KeyUse::sets, "model.head_dim"},
    {"feedforward", KeyUse::sets, "model.ffn"},   {"hidden", KeyUse::sets, "model.hidden"},
    {"num_blocks", KeyUse::sets, "model.layers"}, {"seq_size", KeyUse::sets, "batch.seq"},
};

constexpr KeyWord kRecompute[] = {{"none", "none"}, {"attn_only", "selective"}, {"full", "full"}};
constexpr KeyWord kTypes[] = {
    {"float32", "fp32"}, {"float16", "fp16"}, {"bfloat16", "bf16"}, {"float8", "fp8"}};
constexpr KeyWord kSequence[] = {{"ar", "false"}, {"rs_ag", "true"}, {"p2p_rs_ag", "true"}};
constexpr KeyWord kAttention[] = {{"multihead", ""}, {"multiquery", "1"}};
constexpr KeyWord kShards[] = {{"true", "zero1"}, {"false", "none"}};

constexpr KeyRow kRunRows[] = {
    {"activation_recompute", KeyUse::sets, "recompute.kind", kRecompute},
    {"activations_offload", KeyUse::not_modeled},
    {"attention_type", KeyUse::sets, "model.kv_heads", kAttention},
    {"batch_size", KeyUse::sets, "batch.global"},
    {"data_par", KeyUse::sets, "parallel.dp"},
    {"data_par_net"},
    {"data_par_overlap", KeyUse::sets, "parallel.overlap_gradients"},
    {"datatype", KeyUse::sets, "precision.weights precision.activations precision.reduce", kTypes},
    {"fused_activation", KeyUse::sets, "kernels.fused"},
    {"microbatch_size", KeyUse::sets, "batch.micro"},
    {"num_procs"},
    {"optimizer_offload", KeyUse::not_modeled},
    {"optimizer_sharding", KeyUse::sets, "parallel.sharding", kShards},
    {"pipeline_interleaving", KeyUse::sets, "schedule.chunks"},
    {"pipeline_par", KeyUse::sets, "parallel.pp"},
    {"pipeline_par_net"},
    {"seq_par_ag_redo", KeyUse::not_modeled, "true"},
    {"tensor_par", KeyUse::sets, "parallel.tp"},
    {"tensor_par_comm_type", KeyUse::sets, "parallel.sp", kSequence},
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
  spec.parallel.sp = false;
  spec.schedule.chunks = 1;
  spec.recompute.kind = RecomputeKind::none;
  spec.precision.weights = spec.precision.activations = spec.precision.reduce = Dtype::fp16;
}

Result<void> import_run(Spec& spec, const Json& file, const std::string& where,
                        Findings& findings) {
  Spec made = spec;
  set_defaults(made);
  KeyReader keys(file, where);
  if (auto done = apply_other_keys({kRunRows}, keys, file, "", made, findings); !done)
    return tl::unexpected(done.error());
  if (made.schedule.chunks > 1) made.schedule.kind = ScheduleKind::interleaved;
  made.parallel.sp = made.parallel.sp && made.parallel.tp > 1;
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
