// SPDX-License-Identifier: Apache-2.0
//
// Generated jobs for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::generative {

/// Lines of a small dense decoder and its plan; `more`: further lines of YAML.
inline std::string job_text(int tp, int pp, int dp, int microbatches, const std::string& more = "",
                            int layers = 8) {
  return "model: {kind: decoder, layers: " + std::to_string(layers) +
         ", hidden: 1024, heads: 16, kv_heads: 4, ffn: 2816, vocab: 32000, mlp: swiglu, "
         "norm: rmsnorm, positions: rope, qkv_bias: false, out_bias: false, mlp_bias: false, "
         "tied_embeddings: false}\n"
         "parallel: {tp: " +
         std::to_string(tp) + ", pp: " + std::to_string(pp) + ", dp: " + std::to_string(dp) +
         "}\nbatch: {micro: 1, seq: 1024, global: " + std::to_string(dp * microbatches) + "}\n" +
         more;
}

inline workload::Program program_of(const std::string& text) {
  Findings findings;
  auto spec = workload::parse_spec(text, "test");
  EXPECT_TRUE(spec) << (spec ? "" : to_string(spec.error()));
  EXPECT_TRUE(workload::resolve_defaults(*spec, 0, "", findings));
  auto program = workload::assemble(*spec, findings);
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return std::move(*program);
}

}  // namespace orrery::generative
