// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an execution trace: an answer, no crash; every record accounted for, parents form a
// forest on each thread, and the tensors among the values end.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "orrery/profile/tensors.h"
#include "orrery/trace/io/profile_check_testing.h"
#include "orrery/trace/pytorch/reader.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Findings findings;
  const auto profile =
      trace::pytorch::read(std::make_unique<trace::MemorySource>(bytes),
                           {"fuzz.json", std::make_shared<StringPool>()}, findings);
  if (!trace::testing::check_profile(profile)) return 0;
  ORRERY_CHECK(profile->account.events == profile->events.size());
  std::size_t ordered = 0;
  for (std::uint32_t lane = 0; lane < profile->lanes.size(); ++lane)
    ordered += profile->in_order(lane).size();
  ORRERY_CHECK(ordered == profile->events.size());
  for (profile::EventId e = 0; e < profile->events.size(); ++e) {
    std::size_t steps = 0;
    for (profile::EventId at = e; at != profile::kNoEvent; at = profile->events[at].parent) {
      ORRERY_CHECK(profile->events[at].lane == profile->events[e].lane);
      ORRERY_CHECK(++steps <= profile->events.size());
    }
    const profile::Comm* const comm = profile->comm(e);
    ORRERY_CHECK(comm == nullptr || comm->group == ~0u || comm->group < profile->groups.size());
    if (const profile::Node* const node = profile->node(e)) {
      profile::for_each_tensor(profile->texts.view(node->inputs), [](const profile::Tensor&) {});
    }
  }
  return 0;
}
