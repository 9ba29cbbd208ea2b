// SPDX-License-Identifier: Apache-2.0
//
// The forward pass of a step, from the layers, kernels and collectives of training jobs.
//
// The layers are those that workload::lower returns for one sequence with as many tokens as the
// step. A server changes them as follows:
// - attention reads the cache (StepParts::decode, StepParts::chunk) and a copy writes it;
// - the sum of a layer and its residual is part of the next norm (vLLM, model_executor/layers/
//   layernorm.py, fused_add_rms_norm);
// - shared experts are added to the routed ones before the sum over tensor-parallel ranks;
// - the head computes logits of the sequences that generate a token, without a loss;
// - a step with few tokens reads only the experts that a token chose: of E experts,
//   E (1 − (1 − k / E)^tokens) on average.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/serving/measured/all_reduce_times.h"
#include "orrery/serving/measured/expert_times.h"
#include "orrery/serving/step_cost.h"
#include "orrery/workload/operators/lowered_model.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::serving {

/// What times are computed from.
struct PassInputs {
  workload::Spec spec;  ///< model, parallelism and number formats; its batch is ignored
  std::vector<model::NamedKernelModel> kernels;
  model::Silicon silicon;
  /// Time by which a kernel of a CUDA graph begins before the one before it has ended, compared
  /// with kernels that were measured alone. It shortens a kernel by at most half.
  Time overlap{};
  /// Tokens of the largest pass that a CUDA graph has. Layers are captured up to this size,
  /// attention of steps without prompts too; logits and sampling are not (vLLM's
  /// FULL_AND_PIECEWISE).
  std::int64_t captured = 0;
  /// Steps with prompts are captured up to this size, too (vLLM), or only steps without prompts
  /// (SGLang, TensorRT-LLM).
  bool captured_prompts = true;
  /// Time in which the host launches a kernel or collective that no CUDA graph has.
  Time launch{};
  /// Each device of a tensor-parallel group has some of the experts, not a part of each. All have
  /// the same tokens, so collectives are those of tensor parallelism (vLLM, model_executor/layers/
  /// fused_moe/layer.py, without data parallelism).
  bool experts_over_tp = false;
  std::shared_ptr<const model::LibraryTimes> library;  ///< null: no collectives
  std::int64_t node = 8;                               ///< devices of a node
  model::SizeCurve all_reduce;  ///< of the engine's own all-reduce over tp; empty: the library's
  ExpertTimes experts;          ///< of the engine; empty: the kernels of training jobs
  /// Products of latent attention are in bf16, whatever the format of the others.
  bool plain_latent_products = false;
  /// Rows of queries that the attention kernel computes for each sequence of a step with prompts,
  /// also for those that decode. 0: prompts and decodes have separate kernels, or the kernel packs
  /// their heads.
  std::int64_t mixed_rows = 0;
  bool fp8_cache = false;  ///< the cache stores keys and values in 8 bits
};

/// The part of a pass on one device.
struct PassCount {
  std::int64_t kernels = 0, collectives = 0;
  double kernel_seconds = 0, collective_seconds = 0;

  [[nodiscard]] double seconds() const { return kernel_seconds + collective_seconds; }
};

/// Times of passes on one device of an instance. Thread-safe.
class ForwardPass {
 public:
  /// Errc: input_unsupported (layers that are not served), config_*, usage (no kernel model).
  [[nodiscard]] static Result<std::shared_ptr<const ForwardPass>> make(PassInputs inputs);

  /// Embedding and layers without attention.
  [[nodiscard]] PassCount layers(std::int64_t tokens) const {
    return layers(tokens, tokens <= inputs_.captured);
  }
  /// The same in a step that no CUDA graph has.
  [[nodiscard]] PassCount eager_layers(std::int64_t tokens) const { return layers(tokens, false); }
  /// Time in which the host launches a step that no CUDA graph has, in seconds.
  [[nodiscard]] double launch_seconds() const;
  /// Logits of `samples` sequences, and their sampling.
  [[nodiscard]] PassCount head(std::int64_t samples) const;
  /// Attention of all layers: one query of each sequence to `keys` keys.
  [[nodiscard]] double decode(std::int64_t sequences, std::int64_t keys) const;
  /// The same in a step that also computes prompts.
  [[nodiscard]] double mixed_decode(std::int64_t sequences, std::int64_t keys) const;
  /// Attention of all layers: `queries` causal queries after `past` keys.
  [[nodiscard]] double chunk(std::int64_t queries, std::int64_t past) const;

  /// Weights of one device by the formats of products, in bytes.
  [[nodiscard]] std::int64_t weight_bytes() const { return weight_bytes_; }
  /// Keys and values of one token on one device, in bytes. Layers with a window count only if all
  /// layers have one.
  [[nodiscard]] std::int64_t token_bytes() const { return token_bytes_; }
  /// Keys and values of one sequence in the other layers with a window, in bytes.
  [[nodiscard]] std::int64_t window_bytes() const { return window_bytes_; }
  /// Largest activations of a pass over `tokens` tokens on one device, with `samples` rows of
  /// logits, in bytes.
  [[nodiscard]] std::int64_t activation_bytes(std::int64_t tokens, std::int64_t samples) const;

  /// The parts as functions. They share this object.
  [[nodiscard]] static StepParts parts(std::shared_ptr<const ForwardPass> pass);

 private:
  struct AttentionKind {
    std::int64_t window = 0, layers = 0;
  };
  explicit ForwardPass(PassInputs inputs) : inputs_(std::move(inputs)) {}
  [[nodiscard]] Result<void> prepare();
  /// A part of a pass, and what it adds to.
  struct Part {
    std::int64_t tokens = 0;
    bool captured = false;
    PassCount count;
  };
  [[nodiscard]] PassCount layers(std::int64_t tokens, bool captured) const;
  [[nodiscard]] workload::Spec spec_of(std::int64_t tokens) const;
  [[nodiscard]] workload::LoweredModel lowered(std::int64_t tokens) const;
  [[nodiscard]] double kernel_seconds(const graph::Kernel& kernel, bool captured) const;
  void add_kernel(const graph::Kernel& kernel, double times, Part& part) const;
  void distribute_experts(graph::Kernel& kernel) const;
  void add_experts(double times, Part& part) const;
  [[nodiscard]] double collective_seconds(const workload::Op& op, std::int64_t ranks) const;
  void add_op(const workload::Op& op, double times, Part& part) const;
  void add_layer(const workload::LoweredPart& layer, double times, Part& part) const;
  [[nodiscard]] double attention(std::int64_t batch, std::int64_t queries, std::int64_t keys,
                                 bool captured) const;

  PassInputs inputs_;
  std::vector<AttentionKind> attention_;
  std::int64_t weight_bytes_ = 0, token_bytes_ = 0, window_bytes_ = 0;
};

}  // namespace orrery::serving
