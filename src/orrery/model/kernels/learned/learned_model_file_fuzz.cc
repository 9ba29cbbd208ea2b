// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as files of learned kernel times, with a correct checksum so that the reader
// continues after it. The reader never crashes, and accepted models predict times above 0.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "orrery/model/kernels/learned/learned_model_file.h"
#include "orrery/model/kernels/learned/model_file_format.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  (void)model::LearnedModel::read(text, "fuzz");
  const auto read = model::LearnedModel::read(model::with_checksum(text), "fuzz");
  if (!read) return 0;
  model::Silicon silicon;
  silicon.memory = 1e12;
  silicon.peak[static_cast<std::size_t>(graph::Format::bf16)] = 1e14;
  const auto kernel = graph::parse_kernel("gemm forward bf16,bf16>bf16 m=64 n=64 k=64");
  const auto time = read->time(*kernel, silicon);
  if (time && !(time->seconds > 0)) std::abort();
  return 0;
}
