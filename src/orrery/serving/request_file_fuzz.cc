// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string_view>

#include "orrery/core/check.h"
#include "orrery/serving/request_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  orrery::Findings findings;
  const auto stream = orrery::serving::parse_requests(text, "requests", findings);
  if (!stream) return 0;
  ORRERY_CHECK(!stream->requests.empty());
  orrery::Time last{};
  for (const auto& one : stream->requests) {
    ORRERY_CHECK(one.input >= 1 && one.input <= orrery::serving::kMaxRequestTokens);
    ORRERY_CHECK(one.output >= 1 && one.output <= orrery::serving::kMaxRequestTokens);
    ORRERY_CHECK(one.arrival >= last);
    last = one.arrival;
  }
  return 0;
}
