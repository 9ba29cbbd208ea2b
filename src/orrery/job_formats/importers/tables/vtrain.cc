// SPDX-License-Identifier: Apache-2.0
//
// Reads vTrain's configuration (VIA-Research/vTrain, config/).
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace vtrain {
namespace {

using config::Json;
using config::KeyReader;

constexpr KeyWord kSchedules[] = {{"1f1b", "1f1b"}, {"gpipe", "gpipe"}};
constexpr KeyWord kFullIf[] = {{"true", "full"}, {"false", ""}};

constexpr KeyRow kRows[] = {
    {"data_parallel_size", KeyUse::sets, "parallel.dp"},
    {"global_batch_size", KeyUse::sets, "batch.global"},
    {"gpu_name"},
    {"hidden_size", KeyUse::sets, "model.hidden"},
    {"inter_node_bandwidth"},
    {"intra_node_bandwidth"},
    {"max_length", KeyUse::sets, "batch.seq"},
    {"micro_batch_size", KeyUse::sets, "batch.micro"},
    {"model_arch"},
    {"node_size"},
    {"num_attention_heads", KeyUse::sets, "model.heads"},
    {"num_gpus", KeyUse::read, "nothing: the plan determines it; a finding if it differs"},
    {"num_layers", KeyUse::sets, "model.layers"},
    {"pipeline_parallel_size", KeyUse::sets, "parallel.pp"},
    {"pipeline_scheduling", KeyUse::sets, "schedule.kind", kSchedules},
    {"tensor_parallel_size", KeyUse::sets, "parallel.tp"},
    {"trace_path"},
    {"use_checkpoint", KeyUse::sets, "recompute.kind", kFullIf},
    {"use_gradient_bucket", KeyUse::sets, "parallel.overlap_gradients"},
    {"vocab_size", KeyUse::sets, "model.vocab"},
};

/// What the file leaves out.
void set_defaults(Spec& spec) {
  spec.model = Model{};
  spec.model.name = "vTrain model";
  spec.model.vocab = 51200;
  spec.parallel.tp = spec.parallel.pp = spec.parallel.dp = spec.batch.micro = 1;
  spec.batch.global = 0;
  spec.parallel.overlap_gradients = false;
  spec.schedule.kind = ScheduleKind::one_f_one_b;
  spec.precision.weights = spec.precision.activations = Dtype::fp16;
}

Result<void> import_vtrain(Spec& spec, const Json& file, const std::string& where,
                           Findings& findings) {
  Spec made = spec;
  set_defaults(made);
  if (!file.contains("vocab_size"))
    findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  KeyReader keys(file, where);
  if (auto done = apply_other_keys({kRows}, keys, file, "", made, findings); !done)
    return tl::unexpected(done.error());
  const Parallel& plan = made.parallel;
  const std::int64_t world = product({plan.tp, plan.cp, plan.dp, plan.pp});
  const std::int64_t gpus = whole(keys, "num_gpus", world);
  if (auto fine = finish(keys, findings); !fine) return fine;
  // vTrain's files may contain a larger number (3,360 for 16 x 2 x 105); the plan determines it.
  if (gpus != world) findings.add(FindingCode::key_without_effect, where + ":/num_gpus");
  spec = std::move(made);
  return {};
}

}  // namespace
}  // namespace vtrain

const Importer kVtrainImporter{
    .name = "vtrain",
    .tool = "vTrain",
    .files = "its configuration",
    .reads = "model, plan, schedule",
    .is_document =
        [](const config::Json& document) {
          return has(document, {"num_gpus", "tensor_parallel_size", "max_length"});
        },
    .import_document = vtrain::import_vtrain};
constinit const ImporterTable kVtrainTable{&kVtrainImporter, {vtrain::kRows}};

}  // namespace orrery::workload
