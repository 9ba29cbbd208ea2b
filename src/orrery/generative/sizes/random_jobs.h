// SPDX-License-Identifier: Apache-2.0
//
// Random jobs to learn from: dense decoders with and without each kind of parallelism.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "orrery/core/random.h"

namespace orrery::generative {

/// A job that depends on `seed` only. Equal seeds give equal jobs.
inline std::string random_job_text(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto pick = [&](const auto& choices) {
    return choices[mix_bits(mix_bits(seed) + ++drawn) % choices.size()];
  };
  const auto chance = [&](double p) {
    return uniform_double(mix_bits(mix_bits(seed) + ++drawn)) < p;
  };
  using Choices = std::array<std::int64_t, 4>;
  const std::int64_t tp = pick(Choices{1, 2, 4, 8}), pp = pick(Choices{1, 1, 2, 4});
  const std::int64_t dp = pick(Choices{1, 2, 4, 8}), micro = pick(Choices{1, 2, 4, 1});
  const std::int64_t heads = pick(Choices{16, 24, 32, 40}), head = pick(Choices{64, 80, 96, 128});
  const std::int64_t layers = pp * pick(Choices{1, 2, 3, 5});
  const std::int64_t microbatches = pp * pick(Choices{1, 2, 3, 4});
  const bool llama = chance(0.6);
  const std::string sharding =
      pick(std::array<const char*, 4>{"none", "none", "zero1", pp == 1 ? "zero3" : "zero1"});
  return fmt::format(
      "model: {{kind: decoder, layers: {}, hidden: {}, heads: {}, kv_heads: {}, head_dim: {}, ffn: "
      "{}, vocab: {}, mlp: {}, norm: {}, positions: {}, qkv_bias: {}, out_bias: {}, mlp_bias: {}, "
      "tied_embeddings: false}}\n"
      "parallel: {{tp: {}, pp: {}, dp: {}, sp: {}, sharding: {}}}\n"
      "batch: {{micro: {}, seq: {}, global: {}}}\n"
      "schedule: {{kind: {}}}\nrecompute: {{kind: {}}}\n",
      layers, heads * head, heads, llama ? 8 : heads, head, 256 * pick(Choices{17, 28, 43, 53}),
      1024 * pick(Choices{31, 32, 49, 125}), llama ? "swiglu" : "gelu",
      llama ? "rmsnorm" : "layernorm", llama ? "rope" : "learned", !llama, !llama, !llama, tp, pp,
      dp, tp > 1 && chance(0.5), sharding, micro, 512 * pick(Choices{1, 2, 4, 7}),
      dp * micro * microbatches, pp > 1 && chance(0.3) ? "gpipe" : "1f1b",
      pick(std::array<const char*, 3>{"none", "selective", "full"}));
}

}  // namespace orrery::generative
