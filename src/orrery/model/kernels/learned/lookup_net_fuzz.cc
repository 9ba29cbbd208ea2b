// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as files of nets for lookups, with a correct checksum so that the reader
// continues after it. The reader never crashes, and accepted nets predict times above 0.
#include <cmath>
#include <string>

#include "orrery/core/check.h"
#include "orrery/model/kernels/learned/lookup_net.h"
#include "orrery/model/kernels/learned/model_file_format.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)model::LookupNets::read(text, "fuzz");
  const auto read = model::LookupNets::read(model::with_checksum(text), "fuzz");
  if (!read) return 0;
  const std::vector<model::LookupTable> tables(2, {128, 1000, 64, 8, {1}});
  for (const model::DeviceLookupNet& is : read->all()) {
    const auto us = read->us(is.device, is.backward, tables);
    ORRERY_CHECK(!us || (*us > 0 && std::isfinite(*us)));
  }
  return 0;
}
