// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/platform/astra_internal.h"

using namespace orrery;
using namespace orrery::platform;

namespace {

/// An error always says where and what.
template <class T>
void check(const Result<T>& result) {
  if (result) return;
  ORRERY_CHECK(!result.error().where.empty());
  ORRERY_CHECK(!result.error().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Platform platform;
  platform.dims = {Dimension{Block::ring, 4, Bandwidth(1e9), 1}};
  Findings findings;
  check(apply_memory(text, "memory.json", platform, findings));
  return 0;
}
