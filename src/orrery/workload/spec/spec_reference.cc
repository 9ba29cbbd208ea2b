// SPDX-License-Identifier: Apache-2.0
//
// Writes the reference page and the schema from the tables in spec.h and model.h.
#include <fmt/format.h>

#include "orrery/config/parameters.h"
#include "orrery/workload/spec/model_parallel_policy.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {
namespace {

using config::OrderedJson;

template <class Section>
std::string part(std::string_view title) {
  return fmt::format("\n## {}\n\n{}", title, config::reference_table<Section>());
}

constexpr std::string_view kHead =
    "# The workload specification\n"
    "\n"
    "<!-- Generated from src/orrery/workload/spec/spec.h, model.h and rules/*.cc. To renew it, run "
    "the workload tests with ORRERY_UPDATE_DOCS=1. -->\n"
    "\n"
    "One YAML or JSON document specifies a training job: model, parallelism, schedule, batch, "
    "precision, optimizer, recomputation. Every flag of `orrery job generate` sets one of these "
    "keys. "
    "Quantities are text with a unit: MB is 10^6 bytes, MiB is 2^20. An unknown key is an error, "
    "and so is a job that violates a [rule](#rules).\n"
    "\n"
    "```yaml\n"
    "model: llama-3.1-70b\n"
    "parallel: {tp: 8, sp: true, pp: 4, dp: 16, sharding: zero1}\n"
    "schedule: {kind: interleaved, chunks: 4}\n"
    "batch: {global: 1024, micro: 1, seq: 8192}\n"
    "recompute: {kind: selective}\n"
    "```\n"
    "\n"
    "A job has tp x cp x dp x pp ranks; with `ep_own_axis`, ep times as many.\n";

constexpr std::string_view kModel =
    "\n"
    "`model: llama-3.1-70b` is short for `model: {is: llama-3.1-70b}`. Names are in [models by "
    "name](models.md). Keys next to `is` override individual values, and `moe: null` removes the "
    "experts. Keys that do not apply to a family are ignored.\n";

/// The defaults of data_parallel_policy.h, which has the sources.
constexpr std::string_view kDataParallel =
    "\n"
    "### parallel, by framework\n"
    "\n"
    "Defaults of data parallelism depend on `kernels.framework`:\n"
    "\n"
    "| framework | `bucket` | `overlap_gradients` | `overlap_weights` | `keep_gathered`, "
    "`reduce_once` |\n"
    "|---|---|---|---|---|\n"
    "| `none` | 25 MiB, to the end of a layer | true | false | false |\n"
    "| `pytorch` (DDP) | 25 MiB, the first 1 MiB | true | false | false |\n"
    "| `torchtitan`, `torchtitan_compiled` | 100 MiB | true | false | with stages |\n"
    "| `deepspeed` | 5e8 gradients | zero3 | false | false |\n"
    "| `megatron` | 40 million gradients, or a million for each of dp x cp ranks if that is more; "
    "in the first chunk of the first stage only | true | with `overlap_gradients` | false |\n"
    "| `megatron_2021` | all | false | false | false |\n"
    "\n"
    "Buckets apply to DDP, zero1 and zero2; zero3 gathers and reduces layer by layer. The "
    "gradients of a tensor are never split over buckets. With `overlap_weights`, new weights are "
    "gathered in the buckets of their gradients, each bucket while the previous one is used.\n";

/// The defaults of model_parallel_policy.h, which has the sources.
std::string dispatcher_part() {
  std::string text =
      "\n"
      "### dispatcher, by release and device\n"
      "\n"
      "With `framework: megatron`, the default of `dispatcher` follows the configurations of "
      "Megatron-Bridge. On the devices of the cluster, since the release (`kernels.release`):\n"
      "\n"
      "| devices with names that start with | since | ranks of ep in one NVLink domain | in "
      "several |\n"
      "|---|---|---|---|\n";
  for (const DispatcherDefault& one : kDispatcherDefaults)
    text +=
        fmt::format("| `{}` | {:02}.{:02} | `{}` | `{}` |\n", one.device, one.since.year,
                    one.since.month, config::enum_name(one.within), config::enum_name(one.between));
  return text +
         "\n"
         "Otherwise, and without a cluster, it is `all_to_all`. Configurations of single models "
         "differ: state the dispatcher if you know it. Those of GPT-OSS in 16 bits have "
         "`all_to_all` on every device, except `hybridep` on B300, and those of Qwen3 235B have "
         "`all_to_all` on H100.\n";
}

constexpr std::string_view kLora =
    "\n"
    "An adapter consists of two matrices of width `rank`, parallel to a matrix of the model. "
    "Adapters are trained, all other weights are frozen. `targets` lists the matrices with "
    "adapters: `q`, `k`, `v` (queries, keys, values, an adapter each) or `qkv` (one for the three "
    "together); `out`; `gate`, `up` (halves of a gated MLP's first matrix) or `mlp_up` (one for "
    "all of it); `mlp_down`. Latent attention has `q_down`, `q_up` (or `q`), `kv_down`, `kv_up`. "
    "The names of the MLP's matrices also apply to shared experts; routed experts have no "
    "adapters.\n";

/// Each found by running or reading STAGE (astra-sim/stage at 9ec6c02).
constexpr std::string_view kStage =
    "\n"
    "## compat: stage\n"
    "\n"
    "With `compat: stage`, operations, messages and their sizes are those of the STAGE generator, "
    "for comparison with studies that used it. The following applies only with `compat: stage`:\n"
    "\n"
    "- A matrix product counts multiply-accumulates, half of its FLOPs.\n"
    "- Attention grows linearly with the sequence: the products of queries with keys and of scores "
    "with values are omitted.\n"
    "- The input table is a product with one-hot vectors: vocabulary x hidden for every token, "
    "forward and backward.\n"
    "- Work of experts is divided by ep twice.\n"
    "- `recompute` has no effect.\n"
    "- Models without a gated MLP get GPT's block whatever `kv_heads` says.\n"
    "- Sizes of messages are numbers of elements, but readers interpret them as bytes.\n"
    "- No schedule orders the microbatches of a pipeline.\n"
    "- Tables and head are never sharded: their gradients are all-reduced over tp and dp.\n";

}  // namespace

std::string spec_schema() {
  OrderedJson schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"title", "Orrery workload"}};
  schema.update(config::schema_of(config::Kind<Spec>{}, {}));
  return schema.dump(2) + "\n";
}

std::string spec_reference() {
  std::string text(kHead);
  text += part<Spec>("Top level");
  text += part<Model>("model");
  text += kModel;
  text += part<Moe>("model.moe");
  text += part<Mla>("model.mla");
  text += part<Vision>("model.vision");
  text += part<Dlrm>("model.dlrm");
  text += part<EmbeddingTables>("model.dlrm.tables");
  text += part<Parallel>("parallel");
  text += kDataParallel;
  text += dispatcher_part();
  text += part<Schedule>("schedule");
  text += part<Batch>("batch");
  text += part<Precision>("precision");
  text += part<Optimizer>("optimizer");
  text += part<Recompute>("recompute");
  text += part<Offload>("offload");
  text += part<Kernels>("kernels");
  text += part<Lora>("lora");
  text += kLora;
  text +=
      "\n"
      "## Rules\n"
      "\n"
      "Rules are checked in this order; an error names the first violated rule.\n"
      "\n"
      "| rule | condition |\n"
      "|---|---|\n";
  for (const Rule& rule : rules()) text += fmt::format("| `{}` | {} |\n", rule.name, rule.sentence);
  return text + std::string(kStage);
}

}  // namespace orrery::workload
