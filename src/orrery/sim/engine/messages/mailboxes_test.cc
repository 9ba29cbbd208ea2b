// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/messages/mailboxes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace orrery::sim {
namespace {

// The oracle is std::map, over a small key space so that entries collide, move and come back.
RC_GTEST_PROP(Mailboxes, BehavesLikeAMap, (const std::vector<std::uint16_t>& steps)) {
  Mailboxes boxes;
  std::map<std::uint32_t, std::uint32_t> oracle;
  const auto key = [](std::uint32_t number) {
    return MessageKey{number % 3, number, number / 2, number % 5};
  };
  for (const std::uint16_t step : steps) {
    const std::uint32_t number = step % 97;
    if (step % 4 == 0 && oracle.count(number) != 0) {
      boxes.erase(key(number));
      oracle.erase(number);
      continue;
    }
    RC_ASSERT(boxes.at(key(number)).arrived == oracle[number]);
    boxes.at(key(number)).arrived = step;
    oracle[number] = step;
  }
  for (const auto& [number, value] : oracle) RC_ASSERT(boxes.at(key(number)).arrived == value);
}

}  // namespace
}  // namespace orrery::sim
