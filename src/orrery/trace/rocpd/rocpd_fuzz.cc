// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a database of rocprofv3: an answer, no crash; what reads is accounted for and well
// formed.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "orrery/core/check.h"
#include "orrery/trace/rocpd/reader.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Findings findings;
  const auto profile =
      trace::rocpd::read(bytes, "fuzz.db", {std::make_shared<StringPool>()}, findings);
  if (!profile) {
    ORRERY_CHECK(!profile.error().where.empty() && !profile.error().what.empty());
    return 0;
  }
  std::uint64_t left_out = 0;
  for (const auto& [what, count] : profile->account.left_out) left_out += count;
  ORRERY_CHECK(profile->account.records ==
               profile->account.events + profile->account.mapped + left_out);
  ORRERY_CHECK(profile->account.events == profile->events.size());
  for (std::size_t e = 0; e < profile->events.size(); ++e) {
    const auto event = static_cast<profile::EventId>(e);
    ORRERY_CHECK(profile->events[event].duration >= Time{});
    ORRERY_CHECK(profile->events[event].lane < profile->lanes.size());
    (void)profile->comm(event);
  }
  return 0;
}
