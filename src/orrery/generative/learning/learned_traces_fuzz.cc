// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as files of learned traces, with a correct checksum so that the reader continues
// after it. Accepted files synthesize a program or refuse to; unrolling it never crashes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/generative/learning/learned_traces.h"
#include "orrery/generative/learning/synthesize.h"
#include "orrery/workload/spec/defaults.h"

using namespace orrery;

namespace {

const workload::Program& job() {
  static const workload::Program kJob = [] {
    Findings findings;
    auto spec = workload::parse_spec(
        "model: {kind: decoder, layers: 2, hidden: 64, heads: 2, ffn: 128, vocab: 256}\n"
        "parallel: {tp: 2, pp: 2}\nbatch: {micro: 1, seq: 32, global: 2}\n",
        "job");
    ORRERY_CHECK(spec && workload::resolve_defaults(*spec, 0, "", findings));
    auto program = workload::assemble(*spec, findings);
    ORRERY_CHECK(program.has_value());
    return std::move(*program);
  }();
  return kJob;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)generative::parse_learned(bytes, "fuzz");
  const auto learned = generative::parse_learned(generative::with_checksum(bytes), "fuzz");
  if (!learned) return 0;
  const auto made = generative::synthesize(*learned, job(), {.attempts = 2});
  if (!made) {
    ORRERY_CHECK(!made.error().what.empty());
    return 0;
  }
  StringPool pool;
  graph::KernelTable kernels;
  for (std::uint32_t role = 0; role < made->program.roles.size(); ++role)
    (void)workload::unroll(made->program, role, pool, kernels,
                           [](const graph::NodeSpec&) -> Result<void> { return {}; });
  return 0;
}
