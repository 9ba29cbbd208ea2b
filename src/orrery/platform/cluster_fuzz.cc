// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/platform/cluster.h"

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
  Findings findings;
  const Result<Platform> platform = parse_cluster(text, "cluster.yaml", findings);
  check(platform);
  if (!platform) return 0;
  // What was read can be written, and reads back the same.
  const std::string resolved = resolved_cluster(*platform);
  const Result<Platform> again = parse_cluster(resolved, "resolved.yaml", findings);
  ORRERY_CHECK(again.has_value());
  ORRERY_CHECK(resolved_cluster(*again) == resolved);
  return 0;
}
