// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/platform_testing.h"

using namespace orrery;
using namespace orrery::platform;
using orrery::platform::fuzzing::check;

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
