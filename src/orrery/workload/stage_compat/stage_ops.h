// SPDX-License-Identifier: Apache-2.0
//
// The ops of STAGE's stages. Private to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload::stage_compat {

/// Products of several sizes may exceed 64 bits.
__extension__ using Wide = __int128;

/// Sizes of a job. All divisions that the ops need have no remainder.
struct StageSizes {
  Wide tokens = 0;  ///< tokens of a microbatch on one rank of cp and dp
  Wide hidden = 0;
  Wide ffn = 0;
  Wide vocab = 0;
  Wide kv = 0;  ///< total size of all key heads; the same for values
  Wide tp = 1;
  Wide cp = 1;
  Wide ep = 1;
  Wide dp = 1;
  Wide shards = 1;   ///< ranks of dp over which layer weights are sharded
  Wide experts = 0;  ///< 0: none
  Wide top_k = 0;
  bool sp = false;
  bool gated = false;
  bool grouped = false;  ///< keys and values have a separate number of heads (not in STAGE's GPT
                         ///< block)
  Axis data = Axis::dp;  ///< the data-parallel axis: dp only, not cp × dp

  /// Elements of activations between blocks.
  [[nodiscard]] Wide stream() const { return tokens * hidden / (sp ? tp : 1); }
  /// Weights of a layer on one rank, before sharding.
  [[nodiscard]] Wide layer_weights() const;
  /// Weights of one embedding table on one rank. With sp every tp rank holds the full table.
  [[nodiscard]] Wide table_weights() const { return vocab * hidden / (sp ? 1 : tp); }
};

/// Appends ops in order. A collective waits for the computation before it, and the next computation
/// waits for the collective.
class OpList {
 public:
  explicit OpList(Phase phase) : phase_(phase) {}

  void phase(Phase phase) { phase_ = phase; }
  /// Makes the next op also wait for `stream`.
  void wait(Stream stream);
  /// Appends a matrix product of `count` multiply-accumulates with `out` result elements.
  void product(const char* name, Wide count, Wide out);
  /// Appends another operation of `count` FLOPs with `out` result elements.
  void other(const char* name, Wide count, Wide out);
  /// Appends an operation of one FLOP per result element.
  void each(const char* name, Wide elements) { other(name, elements, elements); }
  /// Appends a collective. The next computation waits for it unless `detached`.
  void collective(const char* name, graph::CollectiveType type, Axis axis, Stream stream, Wide size,
                  bool detached = false);

  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] std::vector<Op> take() { return std::move(ops_); }

 private:
  void compute(Op op, Wide out);
  std::int64_t narrow(Wide value);

  std::vector<Op> ops_;
  std::vector<Stream> pending_;
  Phase phase_;
  bool fits_ = true;
};

// One function per body; each appends its ops to the list.
void layer_forward(const StageSizes& shape, OpList& list);
void layer_backward(const StageSizes& shape, OpList& list);
void layer_step(const StageSizes& shape, OpList& list);
void embedding_forward(const StageSizes& shape, OpList& list);
void embedding_backward(const StageSizes& shape, OpList& list);
void head_forward(const StageSizes& shape, OpList& list);
void head_backward(const StageSizes& shape, OpList& list);
void table_step(const StageSizes& shape, OpList& list);

// Parts of the above that are in stage_experts.cc.
void experts_forward(const StageSizes& shape, OpList& list);
void experts_backward(const StageSizes& shape, OpList& list);
/// The MLP on `tokens` tokens.
void mlp_forward(const StageSizes& shape, Wide tokens, OpList& list);
void mlp_backward(const StageSizes& shape, Wide tokens, OpList& list);

}  // namespace orrery::workload::stage_compat
