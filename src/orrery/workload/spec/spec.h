// SPDX-License-Identifier: Apache-2.0
//
// The specification of a training job: model, parallelism, schedule, precision, optimizer,
// recompute, batch. Files, flags and all importers produce one; `check_spec` validates it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/workload/schedule/schedules.h"
#include "orrery/workload/spec/kernels_spec.h"
#include "orrery/workload/spec/model.h"
#include "orrery/workload/spec/offload.h"
#include "orrery/workload/spec/precision.h"

namespace orrery::workload {

/// What is sharded over data-parallel ranks.
enum class Sharding : std::uint8_t {
  none,   ///< DDP: all-reduce of gradients in buckets
  zero1,  ///< the optimizer state: reduce-scatter of gradients, all-gather of weights
  zero2,  ///< also gradients: reduce-scatter when a bucket is ready
  zero3,  ///< also weights: FSDP, all-gather per layer, forward and backward
};
/// Context parallelism: how attention accesses the tokens of other ranks.
enum class ContextMethod : std::uint8_t {
  all_gather,  ///< one all-gather of all keys and values
  ring,        ///< keys and values move along a ring of ranks
  ulysses,     ///< all-to-all from shards of tokens to shards of heads, and back
};

/// Implementation of the token exchange with experts.
enum class Dispatcher : std::uint8_t {
  all_to_all,          ///< the collective library
  deepep,              ///< DeepEP's normal kernels
  deepep_low_latency,  ///< DeepEP's low-latency kernels
  hybridep,            ///< HybridEP's kernels
  in_network,          ///< switches, if the cluster has such; else the collective library
};

/// How tensor-parallel communication overlaps the matrix products before and after it (sp only).
enum class TensorOverlap : std::uint8_t {
  none,       ///< no overlap: gather, then the product, then the reduction
  ring,       ///< gather and reduction overlap the product, in one piece per rank
  pipelined,  ///< the gather as with `ring`, the reduction in four pieces
};

/// How the job is split over ranks. World size = tp × cp × dp × pp (× ep with `ep_own_axis`).
struct Parallel {
  std::int64_t tp = 1;
  bool sp = false;  ///< sequence parallel: norms and residuals are sharded over tp
  std::optional<TensorOverlap> tp_overlap;  ///< empty: by `framework`, see model_parallel_policy.h
  std::int64_t cp = 1;
  ContextMethod cp_method = ContextMethod::ring;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;       ///< ranks over which the experts of a layer are distributed
  std::int64_t etp = 0;      ///< tensor parallel in experts: 1 or tp; 0: tp
  bool ep_own_axis = false;  ///< ep multiplies the world size, and its ranks hold the same tokens;
                             ///< false: ep uses ranks of tp × cp × dp
  std::optional<Dispatcher> dispatcher;  ///< empty: by `framework`, see model_parallel_policy.h
  Sharding sharding = Sharding::none;
  std::int64_t shard_size = 0;  ///< HSDP: ranks over which one copy is sharded; 0: dp × cp
  std::int64_t prefetch = 1;    ///< zero3: number of layers gathered in advance
  // Defaults of the following keys: by `framework`, see data_parallel_policy.h.
  std::optional<std::int64_t> prefetch_backward;  ///< `prefetch` in backward passes; empty:
                                                  ///< `prefetch`
  std::optional<Bytes> bucket;                    ///< size of gradient buckets in bytes
  std::optional<bool> overlap_gradients;  ///< gradients are reduced during the last backward pass
  std::optional<bool> overlap_weights;    ///< zero1, zero2: weights are gathered during the next
                                          ///< step's first forward passes
  std::optional<bool> overlap_experts;    ///< passes of two microbatches run together, see
                                          ///< model_parallel_policy.h
  std::optional<bool> keep_gathered;      ///< zero3: weights stay gathered from forward to backward
  std::optional<bool> reduce_once;        ///< zero2, zero3: gradients are reduced only in the last
                                          ///< backward pass
  std::string order = "tp-cp-ep-dp-pp";   ///< order of the axes in rank numbers, innermost first

  static constexpr auto fields = std::tuple{
      config::field("tp", &Parallel::tp, "tensor parallel", config::between(1, 1 << 24)),
      config::field("sp", &Parallel::sp,
                    "sequence parallel: norms and residuals are split over `tp`"),
      config::field("tp_overlap", &Parallel::tp_overlap,
                    "how gathers before, and reductions after, a matrix product overlap with it, "
                    "piece by piece; needs `sp`")
          .by_default(
              "by `framework`: `pipelined` without a framework and with megatron, else `none`"),
      config::field("cp", &Parallel::cp, "context parallel", config::between(1, 1 << 24)),
      config::field("cp_method", &Parallel::cp_method,
                    "how attention accesses the tokens of other ranks"),
      config::field("pp", &Parallel::pp, "pipeline stages", config::between(1, 1 << 24)),
      config::field("dp", &Parallel::dp, "data parallel", config::between(1, 1 << 24))
          .by_default("the remaining devices of the cluster, else `1`"),
      config::field("ep", &Parallel::ep, "expert parallel", config::between(1, 1 << 24)),
      config::field("etp", &Parallel::etp, "tensor parallel in experts: 1 or `tp`",
                    config::between(0, 1 << 24))
          .by_default("`tp`"),
      config::field("ep_own_axis", &Parallel::ep_own_axis,
                    "`ep` multiplies the number of ranks instead of using ranks of tp x cp x dp"),
      config::field("dispatcher", &Parallel::dispatcher,
                    "implementation of the token exchange with experts")
          .by_default("by `framework`, `kernels.release` and device "
                      "([below](#dispatcher-by-release-and-device)), else `all_to_all`"),
      config::field("sharding", &Parallel::sharding, "what is sharded over data-parallel ranks"),
      config::field("shard_size", &Parallel::shard_size,
                    "ranks over which one copy is sharded (HSDP), out of dp x cp",
                    config::between(0, 1 << 24))
          .by_default("all"),
      config::field("prefetch", &Parallel::prefetch, "zero3: number of layers gathered in advance",
                    config::between(0, 8)),
      config::field("prefetch_backward", &Parallel::prefetch_backward,
                    "the same for backward passes", config::between(0, 8))
          .by_default("`prefetch`"),
      config::field("bucket", &Parallel::bucket, "gradients are reduced in buckets of this size")
          .by_default("by `framework` ([below](#parallel-by-framework))"),
      config::field("overlap_gradients", &Parallel::overlap_gradients,
                    "gradients are reduced during the last backward pass")
          .by_default("by `framework`"),
      config::field("overlap_weights", &Parallel::overlap_weights,
                    "zero1, zero2: new weights are gathered during the first forward passes of the "
                    "next step, not after the optimizer")
          .by_default("by `framework`"),
      config::field("overlap_experts", &Parallel::overlap_experts,
                    "the forward pass of one microbatch runs together with the backward pass of "
                    "another, and the computation of each hides the token exchange of the other")
          .by_default("by `framework` and `kernels.release`: megatron since 26.06 with MXFP8 "
                      "`true`, else `false`"),
      config::field("keep_gathered", &Parallel::keep_gathered,
                    "zero3: weights stay gathered from the forward to the backward pass")
          .by_default("by `framework`"),
      config::field("reduce_once", &Parallel::reduce_once,
                    "zero2, zero3: gradients are reduced only in the last backward pass of a step, "
                    "and gathered weights stay gathered until then")
          .by_default("by `framework`"),
      config::field("order", &Parallel::order,
                    "order of the axes in rank numbers, innermost first")};

  [[nodiscard]] std::int64_t expert_tp() const { return etp != 0 ? etp : tp; }
  [[nodiscard]] std::int64_t world() const { return tp * cp * dp * pp * (ep_own_axis ? ep : 1); }
};

/// The order in which a rank runs its microbatches.
struct Schedule {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::int64_t chunks = 1;  ///< parts of the model per rank (virtual stages); zb_v and dual_pipe: 2
  std::vector<std::int64_t> stage_layers;  ///< layers of each virtual stage; empty: even, see
                                           ///< layer_partition.h
  std::string file;                        ///< kind file: path of the file with the order
  bool blocking_sends = false;             ///< computation waits until its sent messages have
                                           ///< arrived
  std::optional<bool> scatter_sends;       ///< empty: by `framework`, see scatters_sends
  bool overlap = true;                     ///< false: communication and computation never overlap

  static constexpr auto fields = std::tuple{
      config::field("kind", &Schedule::kind, "order of forward and backward passes"),
      config::field("chunks", &Schedule::chunks, "model chunks per rank", config::between(1, 48)),
      config::field("stage_layers", &Schedule::stage_layers, "layers of each (virtual) stage",
                    config::between(0, 65536)),
      config::field("file", &Schedule::file, "file with the order of passes, for kind `file`"),
      config::field("blocking_sends", &Schedule::blocking_sends,
                    "computation waits until its sent messages have arrived"),
      config::field("scatter_sends", &Schedule::scatter_sends,
                    "without `sp`, each tp rank sends a share of the activations to the next "
                    "stage, whose ranks gather them")
          .by_default("by `framework`: megatron and megatron_2021 `true`, all others `false`"),
      config::field("overlap", &Schedule::overlap,
                    "communication overlaps computation where no dependency prevents it")};
};

enum class OptimizerKind : std::uint8_t { adam, adamw, sgd, sgd_momentum, muon };

struct Optimizer {
  OptimizerKind kind = OptimizerKind::adamw;
  bool gradient_norm = true;  ///< all-reduces one number over all ranks that share the model

  static constexpr auto fields =
      std::tuple{config::field("kind", &Optimizer::kind, "algorithm of the weight update"),
                 config::field("gradient_norm", &Optimizer::gradient_norm,
                               "gradients are clipped by their global norm")};
};

enum class RecomputeKind : std::uint8_t {
  none,
  selective,      ///< recomputes the attention core (Korthikanti et al., section 5)
  full,           ///< stores only the input of each layer
  ops,            ///< recomputes the operators in Recompute::ops
  torchtitan_op,  ///< torchtitan's mode `selective` with option `op`: see
                  ///< Tape::choose_stored_results
};

/// What the backward pass recomputes instead of reading stored activations.
struct Recompute {
  RecomputeKind kind = RecomputeKind::none;
  std::vector<std::string> ops;    ///< kind ops: the operators, see recompute_words
                                   ///< (recompute_policy.h)
  std::optional<bool> early_stop;  ///< empty: by `framework`, see recompute_policy.h
  std::int64_t every = 1;  ///< kind full: only every n-th layer is recomputed, layers n − 1,
                           ///< 2n − 1 … (torchtitan's `selective_ac_option = "n"`)

  static constexpr auto fields =
      std::tuple{config::field("kind", &Recompute::kind,
                               "what is recomputed; `torchtitan_op`: all of a layer except fused "
                               "attention, every second matrix product, reduce-scatter and "
                               "all-to-all"),
                 config::field("every", &Recompute::every,
                               "kind `full`: every n-th layer is recomputed, the others are stored",
                               config::between(1, 65536)),
                 config::field("early_stop", &Recompute::early_stop,
                               "kinds `full` and `torchtitan_op`: only what the backward pass "
                               "needs")
                     .by_default("by `framework`: `true` with pytorch, torchtitan and "
                                 "torchtitan_compiled, else `false`"),
                 config::field("ops", &Recompute::ops,
                               "for kind `ops`: operators (norm, qkv, attention, out, mlp_up, "
                               "activation, mlp_down, router, experts) or Megatron-Core's modules "
                               "(core_attn, layernorm, mlp, moe_act, mla_up_proj)")};
};

/// Training data per step.
struct Batch {
  std::int64_t global = 0;      ///< sequences (images, samples) per step; 0: micro × dp ×
                                ///< Spec::default_microbatches
  std::int64_t micro = 1;       ///< sequences per microbatch and rank
  std::int64_t seq = 2048;      ///< tokens per sequence (vision models ignore it)
  std::int64_t source_seq = 0;  ///< encoder-decoder: tokens of the source sequence; 0: seq
  std::int64_t accumulated = 0;  ///< not a key: microbatches per rank that a file states, until
                                 ///< `resolve_defaults` makes `global` of them; 0: not stated

  static constexpr auto fields = std::tuple{
      config::field("global", &Batch::global, "sequences per step", config::between(0, 1 << 30))
          .by_default("`micro` x `dp`; with stages `pp` x 8 / `chunks` of these"),
      config::field("micro", &Batch::micro, "sequences per microbatch",
                    config::between(1, 1 << 24)),
      config::field("seq", &Batch::seq, "tokens of a sequence", config::between(1, 1 << 26))
          .by_default("the training length of the catalog's model, else `2048`"),
      config::field("source_seq", &Batch::source_seq,
                    "encoder-decoder: tokens of a source sequence", config::between(0, 1 << 26))
          .by_default("`seq`")};
};

/// Low-rank adapters of frozen matrices (Hu et al., ICLR 2022): x·W + x·A·B with A of in × rank
/// and B of rank × out. Only A and B are trained; see layers/adapters.h and lora_targets.h.
struct Lora {
  std::int64_t rank = 16;
  std::vector<std::string> targets;  ///< names from `adaptable_matrices` (lora_targets.h); empty:
                                     ///< every matrix

  static constexpr auto fields = std::tuple{
      config::field("rank", &Lora::rank, "columns of A, rows of B", config::between(1, 65536)),
      config::field("targets", &Lora::targets, "the matrices with adapters (below)")
          .by_default("every matrix, each with its own adapter")};
};

enum class Compat : std::uint8_t { none, stage };

/// A training job.
/// The machine of a job, as far as defaults depend on it.
struct TargetMachine {
  std::string device;       ///< name in the catalog; empty: unknown
  std::int64_t domain = 0;  ///< devices of one NVLink domain, or of another scale-up network; 0:
                            ///< unknown

  friend bool operator==(const TargetMachine&, const TargetMachine&) = default;
};

struct Spec {
  std::string schema;  ///< "$schema", for editors; ignored
  std::int64_t version = 1;
  std::string name;
  Model model;
  Parallel parallel;
  Schedule schedule;
  Batch batch;
  Precision precision;
  Optimizer optimizer;
  Recompute recompute;
  Offload offload;
  Kernels kernels;
  std::optional<Lora> lora;  ///< adapters are trained, the model's weights are frozen
  Compat compat = Compat::none;
  TargetMachine machine;  ///< not a key: the cluster's, if there is one

  static constexpr auto fields = std::tuple{
      config::field("$schema", &Spec::schema, "for editors; ignored"),
      config::field("version", &Spec::version, "version of this format", config::between(1, 1)),
      config::field("name", &Spec::name, "name of the job in results"),
      config::field("model", &Spec::model, "the model").required(),
      config::field("parallel", &Spec::parallel, "how the job is split over ranks"),
      config::field("schedule", &Spec::schedule, "order of the microbatches"),
      config::field("batch", &Spec::batch, "training data per step"),
      config::field("precision", &Spec::precision, "number formats of stored and sent data"),
      config::field("optimizer", &Spec::optimizer, "the optimizer"),
      config::field("recompute", &Spec::recompute, "what the backward pass recomputes"),
      config::field("offload", &Spec::offload, "what is stored in remote memory"),
      config::field("kernels", &Spec::kernels,
                    "kernels that change computation and stored activations"),
      config::field("lora", &Spec::lora, "low-rank adapters are trained, the model is frozen"),
      config::field("compat", &Spec::compat,
                    "`stage`: count like the STAGE generator, including its errors")};

  /// Microbatches per rank if no global batch is given. 1 if pp = 1, with kind file or with compat
  /// stage. Otherwise pp × ceil(8 / chunks): the bubble of 1F1B and interleaved 1F1B is then less
  /// than a ninth of the step. In defaults.cc.
  [[nodiscard]] std::int64_t default_microbatches() const;
  [[nodiscard]] std::int64_t global_batch() const {
    return batch.global != 0 ? batch.global : batch.micro * parallel.dp * default_microbatches();
  }
  /// Microbatches that each rank runs per step.
  [[nodiscard]] std::int64_t microbatches() const {
    return global_batch() / (batch.micro * parallel.dp);
  }
  [[nodiscard]] std::int64_t source_seq() const {
    return batch.source_seq != 0 ? batch.source_seq : batch.seq;
  }
};

/// Parses a specification from YAML or JSON text. `model.is` is looked up in the catalog first,
/// then the other keys override its values. Unknown keys are errors. `check_spec` validates all
/// else. Errc: config_*.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text, const std::string& where);
/// As parse_spec, but keys that the text omits keep their value 0 if it is 0 in `spec`
/// (defaults.h).
[[nodiscard]] Result<Spec> parse_spec_over(const Spec& spec, std::string_view text,
                                           const std::string& where);

/// Whether the model differs from the default one; false for a new specification.
[[nodiscard]] bool has_model(const Spec& spec);

/// The specification as YAML or JSON; parsing it returns the same specification. The text contains
/// every key, also those of the model.
[[nodiscard]] std::string to_yaml(const Spec& spec);
[[nodiscard]] std::string to_json(const Spec& spec);
[[nodiscard]] std::string spec_schema();     ///< JSON Schema
[[nodiscard]] std::string spec_reference();  ///< docs/reference/workload.md

/// Sets one value by its path, as flags do: set(spec, "parallel.tp", "8"). A catalog name as
/// `model` replaces the model. Errc: config_*.
[[nodiscard]] Result<void> set(Spec& spec, std::string_view path, std::string_view value);

/// Returns an error if the specification breaks a rule. The hint names the rule ("rule heads-by-tp:
/// …"). docs/reference/workload.md lists all rules. Errc: config_conflict, config_range,
/// limit_exceeded.
[[nodiscard]] Result<void> check_spec(const Spec& spec);

/// A rule of `check_spec`. `rules` returns them in the order in which they are checked.
struct Rule {
  std::string_view name;
  std::string_view sentence;
};
[[nodiscard]] std::vector<Rule> rules();

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::Sharding> {
  using enum workload::Sharding;
  using Word = EnumName<workload::Sharding>;
  static constexpr std::array names = {Word{"none", none}, Word{"zero1", zero1},
                                       Word{"zero2", zero2}, Word{"zero3", zero3},
                                       Word{"fsdp", zero3}};  // PyTorch's name
};
template <>
struct EnumNames<workload::TensorOverlap> {
  static constexpr auto names =
      names_in_order<workload::TensorOverlap::pipelined>("none", "ring", "pipelined");
};
template <>
struct EnumNames<workload::ContextMethod> {
  static constexpr auto names =
      names_in_order<workload::ContextMethod::ulysses>("all_gather", "ring", "ulysses");
};
template <>
struct EnumNames<workload::Dispatcher> {
  static constexpr auto names = names_in_order<workload::Dispatcher::in_network>(
      "all_to_all", "deepep", "deepep_low_latency", "hybridep", "in_network");
};
template <>
struct EnumNames<workload::ScheduleKind> {
  static constexpr auto names = std::apply(
      [](auto... words) { return names_in_order<workload::ScheduleKind::file>(words...); },
      workload::kScheduleNames);
};
template <>
struct EnumNames<workload::OptimizerKind> {
  static constexpr auto names =
      names_in_order<workload::OptimizerKind::muon>("adam", "adamw", "sgd", "sgd_momentum", "muon");
};
template <>
struct EnumNames<workload::RecomputeKind> {
  static constexpr auto names = names_in_order<workload::RecomputeKind::torchtitan_op>(
      "none", "selective", "full", "ops", "torchtitan_op");
};
template <>
struct EnumNames<workload::Compat> {
  static constexpr auto names = names_in_order<workload::Compat::stage>("none", "stage");
};
}  // namespace orrery::config
