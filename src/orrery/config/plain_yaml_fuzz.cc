// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "orrery/config/json.h"
#include "orrery/config/plain_yaml.h"
#include "orrery/core/check.h"

using namespace orrery;
using namespace orrery::config;

// What was read can be written as JSON, which is YAML, and reads back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Json> read = parse_plain_yaml(text, "input.yaml");
  if (!read) {
    ORRERY_CHECK(!read.error().what.empty());
    return 0;
  }
  const Result<Json> again = parse_plain_yaml(read->dump(), "again.yaml");
  ORRERY_CHECK(again.has_value());
  ORRERY_CHECK(*again == *read);
  return 0;
}
