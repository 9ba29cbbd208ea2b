// SPDX-License-Identifier: Apache-2.0
//
// Reads vTrain's configuration (JSON).
#include <array>

#include "orrery/job_formats/importers/importer_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;
using config::Named;

namespace {

Result<void> import_vtrain(Spec& spec, const Json& file, const std::string& where,
                           Findings& findings) {
  constexpr std::array kSchedules = {Named<ScheduleKind>{"1f1b", ScheduleKind::one_f_one_b},
                                     Named<ScheduleKind>{"gpipe", ScheduleKind::gpipe}};
  KeyReader keys(file, where);
  Model model;
  model.name = "vTrain model";
  model.layers = whole(keys, "num_layers", 1);
  model.hidden = whole(keys, "hidden_size", 1024);
  model.heads = whole(keys, "num_attention_heads", 16);
  model.vocab = whole(keys, "vocab_size", 51200);
  if (!keys.has("vocab_size"))
    findings.add(FindingCode::default_assumed, where + ": vocab = 51200");
  spec.batch.seq = whole(keys, "max_length", spec.batch.seq);
  spec.parallel.tp = whole(keys, "tensor_parallel_size", 1);
  spec.parallel.dp = whole(keys, "data_parallel_size", 1);
  spec.parallel.pp = whole(keys, "pipeline_parallel_size", 1);
  spec.batch.global = whole(keys, "global_batch_size", 0);
  spec.batch.micro = whole(keys, "micro_batch_size", 1);
  spec.parallel.overlap_gradients = keys.flag("use_gradient_bucket");
  if (keys.flag("use_checkpoint")) spec.recompute.kind = RecomputeKind::full;
  spec.schedule.kind =
      keys.choice<ScheduleKind>("pipeline_scheduling", ScheduleKind::one_f_one_b, kSchedules);
  spec.precision.weights = spec.precision.activations = Dtype::fp16;
  // Properties of the cluster and of its profiles.
  ignore_keys(keys, {"gpu_name", "inter_node_bandwidth", "intra_node_bandwidth", "node_size",
                     "trace_path", "model_arch", "num_gpus"});
  const std::int64_t world =
      product({spec.parallel.tp, spec.parallel.cp, spec.parallel.dp, spec.parallel.pp});
  const std::int64_t gpus = whole(keys, "num_gpus", world);
  if (auto fine = finish(keys, findings); !fine) return fine;
  spec.model = std::move(model);
  // vTrain's files may contain a larger number (3,360 for 16 x 2 x 105); the plan determines it.
  if (gpus != world) findings.add(FindingCode::key_without_effect, where + ":/num_gpus");
  return {};
}

}  // namespace

const Importer kVtrainImporter{
    .name = "vtrain",
    .tool = "vTrain",
    .files = "its configuration",
    .reads = "model, plan, schedule",
    .is_document =
        [](const Json& document) {
          return has(document, {"num_gpus", "tensor_parallel_size", "max_length"});
        },
    .import_document = import_vtrain};

}  // namespace orrery::workload
