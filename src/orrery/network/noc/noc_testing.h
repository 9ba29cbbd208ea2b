// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "orrery/network/noc/flit_engine.h"

namespace orrery::noc {

inline FlitEngine engine_of(const NocGraph& graph, const platform::NocSettings& settings) {
  auto made = FlitEngine::make(graph, settings);
  EXPECT_TRUE(made.has_value()) << made.error().where << " " << made.error().what;
  return std::move(*made);
}

inline Packet a_packet(std::uint32_t from, std::uint32_t to, std::uint32_t flits,
                       std::int64_t created = 0) {
  Packet made;
  made.source = from;
  made.destination = to;
  made.size = flits;
  made.created = created;
  return made;
}

}  // namespace orrery::noc
