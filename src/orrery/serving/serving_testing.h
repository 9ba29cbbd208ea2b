// SPDX-License-Identifier: Apache-2.0
//
// Costs in closed form and random streams, for tests.
#pragma once

#include <cstdint>

#include "orrery/core/random.h"
#include "orrery/serving/simulation.h"

namespace orrery::serving_testing {

/// A step lasts 10 ms, plus 10 us per token and 1 us per 100 keys of a decode.
inline serving::StepParts linear_parts() {
  serving::StepParts parts;
  parts.layers = [](std::int64_t tokens) { return 0.01 + 1e-5 * static_cast<double>(tokens); };
  parts.head = [](std::int64_t) { return 0.0; };
  parts.decode = [](std::int64_t sequences, std::int64_t keys) {
    return 1e-8 * static_cast<double>(sequences * keys);
  };
  parts.chunk = [](std::int64_t, std::int64_t) { return 0.0; };
  return parts;
}

/// Random requests: bursts, long and short ones, shared prefixes.
inline serving::RequestStream random_stream(std::uint64_t seed) {
  std::uint64_t count = 0;
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(mix_bits(seed * 1'000'003 + ++count) % limit);
  };
  serving::RequestStream stream;
  const std::int64_t requests = 1 + below(40);
  Time at{};
  for (std::int64_t i = 0; i < requests; ++i) {
    serving::Request one;
    if (below(3) > 0) at += us(below(200'000));
    one.arrival = at;
    one.input = 1 + below(below(4) == 0 ? 900 : 100);
    one.output = 1 + below(60);
    if (below(2) == 0) one.prefix = {{static_cast<std::uint64_t>(below(3)), 1 + below(300)}};
    if (below(4) == 0) one.prefix.push_back({static_cast<std::uint64_t>(below(5)), 1 + below(99)});
    stream.requests.push_back(one);
  }
  if (below(5) == 0) stream.clients = 1 + below(10);
  return stream;
}

/// A small instance of any engine, with so few blocks that requests are preempted.
inline serving::ServingSetup random_setup(std::uint64_t seed) {
  std::uint64_t count = 0;
  const auto below = [&](std::uint64_t limit) {
    return static_cast<std::int64_t>(mix_bits(seed * 7'000'003 + ++count) % limit);
  };
  serving::ServingSetup setup;
  setup.options.engine = static_cast<serving::Engine>(below(4));
  setup.options.max_num_seqs = 1 + below(20);
  setup.options.max_num_batched_tokens = 64 + below(1000);
  setup.options.enable_prefix_caching =
      setup.options.engine != serving::Engine::static_batches && below(2) == 0;
  setup.options.async_scheduling = below(2) == 0;
  setup.options.scheduler_recv_interval = 1 + below(9);
  if (below(2) == 0) setup.options.server = {us(100), us(3), us(5000), us(7), us(1)};
  setup.instances = 1 + below(3);
  setup.routing = static_cast<serving::Routing>(below(3));
  setup.blocks = 64 + below(100);
  setup.options.enable_chunked_prefill = below(3) > 0;
  if (!setup.options.enable_chunked_prefill) setup.options.max_num_batched_tokens += 1000;
  return setup;
}

}  // namespace orrery::serving_testing
