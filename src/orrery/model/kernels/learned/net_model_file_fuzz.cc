// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as files of nets, with a correct checksum so that the reader continues after it.
// The reader never crashes, and accepted nets predict times above 0.
#include <cmath>
#include <string>

#include "orrery/core/check.h"
#include "orrery/model/kernels/learned/model_file_format.h"
#include "orrery/model/kernels/learned/net_model.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)model::NetModel::read(text, "fuzz");
  const auto read = model::NetModel::read(model::with_checksum(text), "fuzz");
  if (!read) return 0;
  const auto kernel = graph::parse_kernel("gemm forward bf16,bf16>bf16 m=64 n=64 k=64");
  for (const model::NetClass& is : read->classes()) {
    model::Silicon silicon;
    silicon.name = is.device.name;
    silicon.memory = is.device.memory;
    silicon.clock = is.device.clock;
    silicon.processors = is.device.processors;
    silicon.peak.fill(is.device.peak);
    const auto time = read->time(*kernel, silicon);
    ORRERY_CHECK(!time || (time->seconds > 0 && std::isfinite(time->seconds)));
  }
  return 0;
}
