// SPDX-License-Identifier: Apache-2.0
//
// One specification of a training job: model, parallelism, schedule, precision, optimizer,
// recompute, batch. Files, flags and every importer end here; `check_spec` says whether it can be.
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

/// What data-parallel ranks share out among themselves.
enum class Sharding : std::uint8_t {
  none,   ///< DDP: all-reduce of gradients in buckets
  zero1,  ///< optimizer state: reduce-scatter of gradients, all-gather of weights
  zero2,  ///< … and gradients: reduce-scatter as each bucket is ready
  zero3,  ///< … and weights: FSDP, all-gather per layer, forward and backward
};
/// Context parallelism: how attention sees the tokens of other ranks.
enum class ContextMethod : std::uint8_t {
  all_gather,  ///< keys and values of everybody, at once
  ring,        ///< keys and values travel from neighbour to neighbour
  ulysses,     ///< all-to-all: heads for tokens, and back
};

/// Who carries tokens to experts and back.
enum class Dispatcher : std::uint8_t {
  all_to_all,          ///< the collective library
  deepep,              ///< DeepEP's normal kernels
  deepep_low_latency,  ///< DeepEP's low-latency kernels
  in_network,          ///< switches, where the cluster has such; else the collective library
};

/// How tensor-parallel communication goes with the products before and after it (sp only).
enum class TensorOverlap : std::uint8_t {
  none,       ///< a product waits until all is gathered, and is reduced when all is there
  ring,       ///< both go piece by piece, one piece for each rank
  pipelined,  ///< gathered as with `ring`, reduced in four pieces
};

/// How the job is cut. World size = tp × cp × dp × pp (× ep when `ep_axis` is own).
struct Parallel {
  std::int64_t tp = 1;
  bool sp = false;  ///< sequence parallel: norms and residuals are sharded over tp
  std::optional<TensorOverlap>
      tp_overlap;  ///< empty: tensor_parallel_policy.h says what frameworks do
  std::int64_t cp = 1;
  ContextMethod cp_method = ContextMethod::ring;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;       ///< ranks an expert layer's experts are spread over
  std::int64_t etp = 0;      ///< tensor parallel inside experts; 0 = tp (allowed: 1, tp)
  bool ep_own_axis = false;  ///< ep multiplies the world (its ranks hold the same tokens) instead
                             ///< of being folded into tp × cp × dp
  Dispatcher dispatcher = Dispatcher::all_to_all;
  Sharding sharding = Sharding::none;
  std::int64_t shard_size = 0;  ///< HSDP: ranks that share one copy; 0 = all of dp × cp
  std::int64_t prefetch = 1;    ///< zero3: layers gathered ahead
  // Where nothing is said of these, data_parallel_policy.h says what the framework does.
  std::optional<std::int64_t> prefetch_backward;  ///< … in backward passes
  std::optional<Bytes> bucket;            ///< gradients are reduced when so many bytes are ready
  std::optional<bool> overlap_gradients;  ///< reduce while the last backward still runs
  std::optional<bool> overlap_weights;    ///< zero1, zero2: gather while the next forward runs
  std::optional<bool> keep_gathered;      ///< zero3: weights stay whole from forward to backward
  std::optional<bool> reduce_once;        ///< zero2, zero3: in the last backward pass only
  std::string order = "tp-cp-ep-dp-pp";   ///< which ranks are neighbours, innermost first

  static constexpr auto fields = std::tuple{
      config::field("tp", &Parallel::tp, "tensor parallel", config::between(1, 1 << 24)),
      config::field("sp", &Parallel::sp,
                    "sequence parallel: norms and residuals are cut over `tp`"),
      config::field("tp_overlap", &Parallel::tp_overlap,
                    "what is gathered before a product, or reduced behind it, goes piece by piece "
                    "beside it; with `sp`")
          .by_default("by `framework`: `pipelined` without one and with megatron, else `none`"),
      config::field("cp", &Parallel::cp, "context parallel", config::between(1, 1 << 24)),
      config::field("cp_method", &Parallel::cp_method, "how attention sees other ranks' tokens"),
      config::field("pp", &Parallel::pp, "pipeline stages", config::between(1, 1 << 24)),
      config::field("dp", &Parallel::dp, "data parallel", config::between(1, 1 << 24))
          .by_default("what the cluster leaves, else `1`"),
      config::field("ep", &Parallel::ep, "expert parallel", config::between(1, 1 << 24)),
      config::field("etp", &Parallel::etp, "tensor parallel inside experts: 1 or `tp`",
                    config::between(0, 1 << 24))
          .by_default("`tp`"),
      config::field("ep_own_axis", &Parallel::ep_own_axis,
                    "`ep` multiplies the world instead of being folded into tp x cp x dp"),
      config::field("dispatcher", &Parallel::dispatcher, "who carries tokens to experts and back"),
      config::field("sharding", &Parallel::sharding, "what data-parallel ranks share out"),
      config::field("shard_size", &Parallel::shard_size,
                    "ranks that hold one copy together (HSDP), of dp x cp",
                    config::between(0, 1 << 24))
          .by_default("all"),
      config::field("prefetch", &Parallel::prefetch, "zero3: layers gathered ahead",
                    config::between(0, 8)),
      config::field("prefetch_backward", &Parallel::prefetch_backward, "… in backward passes",
                    config::between(0, 8))
          .by_default("`prefetch`"),
      config::field("bucket", &Parallel::bucket, "gradients are reduced in pieces of this size")
          .by_default("by `framework` ([below](#parallel-by-framework))"),
      config::field("overlap_gradients", &Parallel::overlap_gradients,
                    "gradients are reduced while the last backward still runs")
          .by_default("by `framework`"),
      config::field("overlap_weights", &Parallel::overlap_weights,
                    "zero1, zero2: new weights are gathered while the next step's first forward "
                    "passes run, not after the optimizer")
          .by_default("by `framework`"),
      config::field("keep_gathered", &Parallel::keep_gathered,
                    "zero3: weights stay whole from forward to backward")
          .by_default("by `framework`"),
      config::field("reduce_once", &Parallel::reduce_once,
                    "zero2, zero3: gradients are summed up in a step's last backward pass only, "
                    "and weights that stay whole do so until then")
          .by_default("by `framework`"),
      config::field("order", &Parallel::order, "which ranks are neighbours, innermost first")};

  [[nodiscard]] std::int64_t expert_tp() const { return etp != 0 ? etp : tp; }
  [[nodiscard]] std::int64_t world() const { return tp * cp * dp * pp * (ep_own_axis ? ep : 1); }
};

/// In which order a rank runs its microbatches.
struct Schedule {
  ScheduleKind kind = ScheduleKind::one_f_one_b;
  std::int64_t chunks = 1;  ///< parts of the model per rank (virtual stages); zb_v and dual_pipe: 2
  std::vector<std::int64_t> stage_layers;  ///< layers of each virtual stage; empty: even, the
                                           ///< middle stages take what is left over
  std::string file;                        ///< kind file: path of the order
  bool blocking_sends = false;             ///< computation waits until what it sent has arrived
  std::optional<bool> scatter_sends;       ///< see tensor_parallel_policy.h
  bool overlap = true;  ///< false: communication and computation take turns everywhere

  static constexpr auto fields = std::tuple{
      config::field("kind", &Schedule::kind, "order of forward and backward passes"),
      config::field("chunks", &Schedule::chunks, "parts of the model per rank",
                    config::between(1, 48)),
      config::field("stage_layers", &Schedule::stage_layers, "layers of each (virtual) stage",
                    config::between(0, 65536)),
      config::field("file", &Schedule::file, "a file with the order of passes, for kind `file`"),
      config::field("blocking_sends", &Schedule::blocking_sends,
                    "computation waits until what it sent has arrived"),
      config::field("scatter_sends", &Schedule::scatter_sends,
                    "without `sp`, each rank of tp sends its share of what goes to the next stage, "
                    "whose ranks gather it")
          .by_default("by `framework`: megatron and megatron_2021 `true`, all others `false`"),
      config::field("overlap", &Schedule::overlap,
                    "communication runs beside computation where nothing waits for it")};
};

enum class OptimizerKind : std::uint8_t { adam, adamw, sgd, sgd_momentum, muon };

struct Optimizer {
  OptimizerKind kind = OptimizerKind::adamw;
  bool gradient_norm = true;  ///< one all-reduce of a number over all ranks that share the model

  static constexpr auto fields =
      std::tuple{config::field("kind", &Optimizer::kind, "how weights are updated"),
                 config::field("gradient_norm", &Optimizer::gradient_norm,
                               "gradients are clipped by their norm over all ranks")};
};

enum class RecomputeKind : std::uint8_t {
  none,
  selective,  ///< the attention core (Korthikanti et al., section 5)
  full,       ///< a layer keeps its input only
  ops,        ///< those listed
};

/// What the backward pass computes again instead of keeping it.
struct Recompute {
  RecomputeKind kind = RecomputeKind::none;
  std::vector<std::string> ops;  ///< kind ops: any of "norm", "qkv", "attention", "out", "mlp_up",
                                 ///< "activation", "mlp_down", "router", "experts"
  std::optional<bool> early_stop;  ///< see recompute_policy.h

  static constexpr auto fields =
      std::tuple{config::field("kind", &Recompute::kind, "what is computed again"),
                 config::field("early_stop", &Recompute::early_stop,
                               "kind `full`: only as far as the backward pass needs")
                     .by_default("by `framework`: `true` with pytorch, torchtitan and "
                                 "torchtitan_compiled, else `false`"),
                 config::field("ops", &Recompute::ops, "for kind `ops`: which operators")};
};

/// How much is trained on in one step.
struct Batch {
  std::int64_t global = 0;      ///< sequences (pictures, samples) per step; 0 = micro × dp ×
                                ///< Spec::usual_microbatches
  std::int64_t micro = 1;       ///< … per microbatch and rank
  std::int64_t seq = 2048;      ///< tokens per sequence (vision: not looked at)
  std::int64_t source_seq = 0;  ///< encoder-decoder: tokens of the source; 0 = seq

  static constexpr auto fields = std::tuple{
      config::field("global", &Batch::global, "sequences per step", config::between(0, 1 << 30))
          .by_default("`micro` x `dp`; with stages `pp` x 8 / `chunks` of these"),
      config::field("micro", &Batch::micro, "sequences per microbatch",
                    config::between(1, 1 << 24)),
      config::field("seq", &Batch::seq, "tokens of a sequence", config::between(1, 1 << 26))
          .by_default("what the catalogue's model was trained on, else `2048`"),
      config::field("source_seq", &Batch::source_seq, "encoder-decoder: tokens of the source",
                    config::between(0, 1 << 26))
          .by_default("`seq`")};
};

/// Low-rank adapters beside frozen matrices (Hu et al., ICLR 2022): x·W + x·A·B with A of in × rank
/// and B of rank × out. A and B are all that is trained; see layers/adapters.h and lora_targets.h.
struct Lora {
  std::int64_t rank = 16;
  std::vector<std::string>
      targets;  ///< words of `adaptable_matrices` (lora_targets.h); empty: every matrix

  static constexpr auto fields = std::tuple{
      config::field("rank", &Lora::rank, "columns of A, rows of B", config::between(1, 65536)),
      config::field("targets", &Lora::targets, "the matrices with adapters (below)")
          .by_default("every matrix, each with its own")};
};

enum class Compat : std::uint8_t { none, stage };

/// The whole job.
struct Spec {
  std::string schema;  ///< "$schema", for editors; not used
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
  std::optional<Lora> lora;  ///< its adapters are trained, the model's own weights are frozen
  Compat compat = Compat::none;

  static constexpr auto fields = std::tuple{
      config::field("$schema", &Spec::schema, "for editors; not used"),
      config::field("version", &Spec::version, "of this format", config::between(1, 1)),
      config::field("name", &Spec::name, "what to call the job in results"),
      config::field("model", &Spec::model, "what is trained").required(),
      config::field("parallel", &Spec::parallel, "how it is cut"),
      config::field("schedule", &Spec::schedule, "the order of microbatches"),
      config::field("batch", &Spec::batch, "how much is trained on in a step"),
      config::field("precision", &Spec::precision, "types of what is kept and sent"),
      config::field("optimizer", &Spec::optimizer, "how weights are updated"),
      config::field("recompute", &Spec::recompute, "what the backward pass computes again"),
      config::field("offload", &Spec::offload, "what lies in remote memory"),
      config::field("kernels", &Spec::kernels, "kernels that change what is computed and kept"),
      config::field("lora", &Spec::lora, "low-rank adapters are trained, the model is frozen"),
      config::field("compat", &Spec::compat,
                    "`stage`: count as that generator does, mistakes too")};

  /// Microbatches of each rank where no global batch is given: one without stages (or where a file
  /// has their order). Stages get so many that each passes eight chunks or more: with 1F1B and
  /// interleaved 1F1B they then wait for less than a ninth of the step. In defaults.cc.
  [[nodiscard]] std::int64_t usual_microbatches() const;
  [[nodiscard]] std::int64_t global_batch() const {
    return batch.global != 0 ? batch.global : batch.micro * parallel.dp * usual_microbatches();
  }
  /// Microbatches each rank runs in a step.
  [[nodiscard]] std::int64_t microbatches() const {
    return global_batch() / (batch.micro * parallel.dp);
  }
  [[nodiscard]] std::int64_t source_seq() const {
    return batch.source_seq != 0 ? batch.source_seq : batch.seq;
  }
};

/// A specification from YAML or JSON text. `model.is` is looked up in the catalogue first, then the
/// other keys override it. Unknown keys are errors. Nothing else is checked: see `check_spec`.
/// Errc: config_*.
[[nodiscard]] Result<Spec> parse_spec(std::string_view text, const std::string& where);
/// The same; what the text leaves open stays open where it is in `spec` (defaults.h).
[[nodiscard]] Result<Spec> parse_spec_over(const Spec& spec, std::string_view text,
                                           const std::string& where);

/// Whether anything was said of the model: a new specification has none.
[[nodiscard]] bool has_model(const Spec& spec);

/// The specification as YAML or JSON; reading it back gives the same one. Resolved: every key is
/// there, the model's figures too.
[[nodiscard]] std::string to_yaml(const Spec& spec);
[[nodiscard]] std::string to_json(const Spec& spec);
[[nodiscard]] std::string spec_schema();     ///< JSON Schema
[[nodiscard]] std::string spec_reference();  ///< docs/reference/workload.md

/// Sets one value by its path, as flags do: set(spec, "parallel.tp", "8"). `model` = a catalogue
/// name replaces the model. Errc: config_*.
[[nodiscard]] Result<void> set(Spec& spec, std::string_view path, std::string_view value);

/// Nothing in it breaks a rule; the error names the rule in its hint ("rule heads-by-tp: …"). Every
/// rule is listed in docs/reference/workload.md. Errc: config_conflict, config_range,
/// limit_exceeded.
[[nodiscard]] Result<void> check_spec(const Spec& spec);

/// The rules `check_spec` knows: name and sentence, in the order they are checked.
struct Rule {
  std::string_view name;
  std::string_view sentence;
};
[[nodiscard]] std::vector<Rule> rules();

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::Sharding> {
  static constexpr std::array names = {
      EnumName<workload::Sharding>{"none", workload::Sharding::none},
      EnumName<workload::Sharding>{"zero1", workload::Sharding::zero1},
      EnumName<workload::Sharding>{"zero2", workload::Sharding::zero2},
      EnumName<workload::Sharding>{"zero3", workload::Sharding::zero3}};
};
template <>
struct EnumNames<workload::TensorOverlap> {
  static constexpr std::array names = {
      EnumName<workload::TensorOverlap>{"none", workload::TensorOverlap::none},
      EnumName<workload::TensorOverlap>{"ring", workload::TensorOverlap::ring},
      EnumName<workload::TensorOverlap>{"pipelined", workload::TensorOverlap::pipelined}};
};
template <>
struct EnumNames<workload::ContextMethod> {
  static constexpr std::array names = {
      EnumName<workload::ContextMethod>{"all_gather", workload::ContextMethod::all_gather},
      EnumName<workload::ContextMethod>{"ring", workload::ContextMethod::ring},
      EnumName<workload::ContextMethod>{"ulysses", workload::ContextMethod::ulysses}};
};
template <>
struct EnumNames<workload::Dispatcher> {
  static constexpr std::array names = {
      EnumName<workload::Dispatcher>{"all_to_all", workload::Dispatcher::all_to_all},
      EnumName<workload::Dispatcher>{"deepep", workload::Dispatcher::deepep},
      EnumName<workload::Dispatcher>{"deepep_low_latency",
                                     workload::Dispatcher::deepep_low_latency},
      EnumName<workload::Dispatcher>{"in_network", workload::Dispatcher::in_network}};
};
template <>
struct EnumNames<workload::ScheduleKind> {
  static constexpr std::array names = [] {
    std::array<EnumName<workload::ScheduleKind>, workload::kScheduleNames.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = {workload::kScheduleNames[i], static_cast<workload::ScheduleKind>(i)};
    return made;
  }();
};
template <>
struct EnumNames<workload::OptimizerKind> {
  static constexpr std::array names = {
      EnumName<workload::OptimizerKind>{"adam", workload::OptimizerKind::adam},
      EnumName<workload::OptimizerKind>{"adamw", workload::OptimizerKind::adamw},
      EnumName<workload::OptimizerKind>{"sgd", workload::OptimizerKind::sgd},
      EnumName<workload::OptimizerKind>{"sgd_momentum", workload::OptimizerKind::sgd_momentum},
      EnumName<workload::OptimizerKind>{"muon", workload::OptimizerKind::muon}};
};
template <>
struct EnumNames<workload::RecomputeKind> {
  static constexpr std::array names = {
      EnumName<workload::RecomputeKind>{"none", workload::RecomputeKind::none},
      EnumName<workload::RecomputeKind>{"selective", workload::RecomputeKind::selective},
      EnumName<workload::RecomputeKind>{"full", workload::RecomputeKind::full},
      EnumName<workload::RecomputeKind>{"ops", workload::RecomputeKind::ops}};
};
template <>
struct EnumNames<workload::Compat> {
  static constexpr std::array names = {
      EnumName<workload::Compat>{"none", workload::Compat::none},
      EnumName<workload::Compat>{"stage", workload::Compat::stage}};
};
}  // namespace orrery::config
