// SPDX-License-Identifier: Apache-2.0
//
// Inside compat stage: the pieces that stages are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload::stage_compat {

/// Products of a few sizes do not fit 64 bits.
__extension__ using Wide = __int128;

/// Sizes of a job under STAGE's names. All divisions that the ops need come out even.
struct StageSizes {
  Wide tokens = 0;  ///< of a microbatch, on one rank of cp and dp
  Wide hidden = 0;
  Wide ffn = 0;
  Wide vocab = 0;
  Wide kv = 0;  ///< all heads of keys together, and of values
  Wide tp = 1;
  Wide cp = 1;
  Wide ep = 1;
  Wide dp = 1;
  Wide shards = 1;   ///< ranks of dp that share out the weights of layers
  Wide experts = 0;  ///< 0: none
  Wide top_k = 0;
  bool sp = false;
  bool gated = false;
  bool grouped = false;  ///< keys and values have their own number of heads (not STAGE's GPT block)
  Axis data = Axis::dp;  ///< ranks of dp alone, not of cp × dp

  /// Elements of activations between blocks.
  [[nodiscard]] Wide stream() const { return tokens * hidden / (sp ? tp : 1); }
  /// Weights of a layer on a rank, before sharding.
  [[nodiscard]] Wide layer_weights() const;
  /// … of one embedding table: whole on every rank of tp unless sp is off.
  [[nodiscard]] Wide table_weights() const { return vocab * hidden / (sp ? 1 : tp); }
};

/// Puts ops one behind the other: computation in order, collectives behind what they send and
/// before what comes next.
class OpList {
 public:
  explicit OpList(Phase phase) : phase_(phase) {}

  void phase(Phase phase) { phase_ = phase; }
  /// The next op waits for this stream, too.
  void wait(Stream stream);
  /// A product of `count` multiply-accumulates; `out` elements of result.
  void product(const char* name, Wide count, Wide out);
  /// Any other operation.
  void other(const char* name, Wide count, Wide out);
  /// … that does one thing per element of its result.
  void each(const char* name, Wide elements) { other(name, elements, elements); }
  /// A collective. The next computation waits for it unless `detached`.
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

// One function per body; each appends to the list.
void layer_forward(const StageSizes& shape, OpList& list);
void layer_backward(const StageSizes& shape, OpList& list);
void layer_step(const StageSizes& shape, OpList& list);
void embedding_forward(const StageSizes& shape, OpList& list);
void embedding_backward(const StageSizes& shape, OpList& list);
void head_forward(const StageSizes& shape, OpList& list);
void head_backward(const StageSizes& shape, OpList& list);
void table_step(const StageSizes& shape, OpList& list);

// Parts of the above that have a file of their own.
void experts_forward(const StageSizes& shape, OpList& list);
void experts_backward(const StageSizes& shape, OpList& list);
/// The MLP on `tokens` tokens.
void mlp_forward(const StageSizes& shape, Wide tokens, OpList& list);
void mlp_backward(const StageSizes& shape, Wide tokens, OpList& list);

}  // namespace orrery::workload::stage_compat
