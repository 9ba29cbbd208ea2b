// SPDX-License-Identifier: Apache-2.0
//
// What the tables in spec.h and model.h say, for editors and for people.
#include <fmt/format.h>

#include "orrery/config/parameters.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::workload {
namespace {

using config::OrderedJson;

template <class Section>
std::string part(std::string_view title) {
  return fmt::format("\n## {}\n\n{}", title, config::reference_table<Section>());
}

constexpr std::string_view kHead =
    "# The workload specification\n\n"
    "<!-- Generated from src/orrery/workload/spec/spec.h, model.h and rules/*.cc. To renew it, run "
    "the "
    "workload tests with ORRERY_UPDATE_DOCS=1. -->\n\n"
    "One YAML or JSON document says what is trained and how: model, parallelism, schedule, batch, "
    "precision, optimizer, recomputation. Every flag of `orrery generate` sets one of these keys. "
    "Quantities are text with a unit: MB is 10^6 bytes, MiB is 2^20. An unknown key is an error, "
    "and so is a job that breaks one of the [rules](#rules).\n\n"
    "```yaml\nmodel: llama-3.1-70b\nparallel: {tp: 8, sp: true, pp: 4, dp: 16, sharding: zero1}\n"
    "schedule: {kind: interleaved, chunks: 4}\nbatch: {global: 1024, micro: 1, seq: 8192}\n"
    "recompute: {kind: selective}\n```\n\n"
    "A job has tp x cp x dp x pp ranks; with `ep_own_axis`, ep times as many.\n";

constexpr std::string_view kModel =
    "\n`model: llama-3.1-70b` is short for `model: {is: llama-3.1-70b}`. Names are in [models by "
    "name](models.md). Keys beside `is` override its figures one by one, and `moe: null` takes the "
    "experts away. What a family does not have is not looked at.\n";

/// As data_parallel_policy.h, which has the sources.
constexpr std::string_view kDataParallel =
    "\n### parallel, by framework\n\n"
    "What data parallelism does where nobody says it is what `kernels.framework` does:\n\n"
    "| framework | `bucket` | `overlap_gradients` | `overlap_weights` | `keep_gathered`, "
    "`reduce_once` |\n|---|---|---|---|---|\n"
    "| `none` | 25 MiB, to the end of a layer | true | false | false |\n"
    "| `pytorch` (DDP) | 25 MiB, the first 1 MiB | true | false | false |\n"
    "| `torchtitan`, `torchtitan_compiled` | 100 MiB | true | false | with stages |\n"
    "| `deepspeed` | 5e8 gradients | zero3 | false | false |\n"
    "| `megatron` | 40 million gradients, or a million for each of dp x cp ranks where that is "
    "more, "
    "in the first stage's first chunk only | true | with `overlap_gradients` | false |\n"
    "| `megatron_2021` | all | false | false | false |\n\n"
    "Buckets are those of DDP, zero1 and zero2; zero3 gathers and reduces layer by layer. A "
    "tensor's "
    "gradients stay together. New weights (`overlap_weights`) come in the buckets of their "
    "gradients, "
    "each while the one before is used.\n";

constexpr std::string_view kLora =
    "\nAn adapter is two matrices, `rank` wide, beside one of the model's; they are trained, all "
    "else "
    "is frozen. `targets` names what they stand beside: `q`, `k`, `v` (queries, keys, values, an "
    "adapter each) or `qkv` (one for the three together); `out`; `gate`, `up` (halves of a gated "
    "MLP's first matrix) or `mlp_up` (one for all of it); `mlp_down`. Latent attention has "
    "`q_down`, "
    "`q_up` (or `q`), `kv_down`, `kv_up`. The MLP's words mean shared experts, too; routed experts "
    "have no adapters.\n";

/// Each found by running or reading STAGE (astra-sim/stage at 9ec6c02).
constexpr std::string_view kStage =
    "\n## compat: stage\n\n"
    "With `compat: stage` operations, messages and their sizes are those of the STAGE generator, "
    "for comparison with studies that used it. Then, and only then, this applies:\n\n"
    "- A product counts multiply-accumulates, half of its FLOPs.\n"
    "- Attention grows linearly with the sequence: the products of queries with keys and of scores "
    "with values are left out.\n"
    "- The input table is a product with one-hot vectors: vocabulary x hidden for every token, "
    "forward and backward.\n"
    "- Work of experts is divided by ep twice.\n"
    "- `recompute` changes nothing.\n"
    "- Models without a gated MLP get GPT's block whatever `kv_heads` says.\n"
    "- Sizes of messages are elements, and readers take them for bytes.\n"
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
      "\n## Rules\n\nChecked in this order; an error names the first that is broken.\n\n"
      "| rule | what holds |\n|---|---|\n";
  for (const Rule& rule : rules()) text += fmt::format("| `{}` | {} |\n", rule.name, rule.sentence);
  return text + std::string(kStage);
}

}  // namespace orrery::workload
