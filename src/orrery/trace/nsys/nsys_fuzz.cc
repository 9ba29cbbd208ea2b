// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an export: an answer, no crash; what reads is accounted for and well formed.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "orrery/trace/io/profile_check_testing.h"
#include "orrery/trace/nsys/reader.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Findings findings;
  const auto profile =
      trace::nsys::read(bytes, "fuzz.sqlite", {std::make_shared<StringPool>()}, findings);
  if (!trace::testing::check_profile(profile)) return 0;
  ORRERY_CHECK(profile->account.events == profile->events.size());
  for (profile::EventId e = 0; e < profile->events.size(); ++e) (void)profile->comm(e);
  return 0;
}
