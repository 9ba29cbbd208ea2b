// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/astra/astra_files.h"
#include "orrery/platform/platform_testing.h"

using namespace orrery;
using namespace orrery::platform;
using orrery::platform::fuzzing::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Platform platform;
  platform.dims = {Dimension{Block::ring, 4, Bandwidth(1e9), 1},
                   Dimension{Block::switched, 8, Bandwidth(1e9), 1}};
  Findings findings;
  AstraInputs inputs;
  inputs.system = "system.json";
  // A named per-node file would be read from disk: only this text is under test.
  if (text.find("per-node-custom") != std::string_view::npos) return 0;
  check(apply_system(text, inputs, platform, findings));
  check(parse_custom_by_node(text, "nodes.yaml"));
  return 0;
}
