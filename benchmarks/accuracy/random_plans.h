// SPDX-License-Identifier: Apache-2.0
//
// Random training plans, for comparisons of estimates.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace orrery::benchmarks {

/// YAML of a plan for `devices` devices, legal or not; `context`: with context parallelism.
inline std::string random_plan(std::mt19937_64& random, std::int64_t devices,
                               bool context = false) {
  const auto one_of = [&](const auto& list) { return list[random() % std::size(list)]; };
  static const std::vector<std::string> models{"llama-3-8b", "llama-2-13b", "llama-3-70b",
                                               "gpt3-175b", "mixtral-8x7b"};
  static const std::vector<std::string> schedules{"1f1b", "gpipe", "zb_h1", "interleaved"};
  static const std::vector<std::string> sharding{"none", "zero1", "zero2", "zero3"};
  static const std::vector<std::string> recompute{"none", "selective", "full"};
  const std::string model = one_of(models);
  const int tp = one_of(std::vector{1, 2, 4, 8}), pp = one_of(std::vector{1, 1, 2, 4, 8, 16});
  const int cp = context ? one_of(std::vector{2, 4, 8}) : 1;
  const std::string method =
      context ? one_of(std::vector<std::string>{"ring", "all_gather", "ulysses"}) : "ring";
  const std::int64_t dp = std::max<std::int64_t>(devices / (tp * pp * cp), 1);
  const int ep = model == "mixtral-8x7b" ? one_of(std::vector{1, 2, 4, 8}) : 1;
  const std::string schedule = pp > 1 ? one_of(schedules) : "1f1b";
  const int chunks = schedule == "interleaved" ? one_of(std::vector{2, 4, 5}) : 1;
  const int micro = one_of(std::vector{1, 2, 4}), batches = one_of(std::vector{4, 8, 16, 32, 64});
  return fmt::format(
      "{{version: 1, model: {}, parallel: {{tp: {}, pp: {}, cp: {}, cp_method: {}, dp: {}, ep: "
      "{}, sharding: {}, sp: {}}}, "
      "schedule: {{kind: {}, chunks: {}}}, batch: {{global: {}, micro: {}, seq: {}}}, recompute: "
      "{{kind: {}}}}}",
      model, tp, pp, cp, method, dp, ep, dp > 1 ? one_of(sharding) : "none",
      tp > 1 && random() % 2 == 0, schedule, chunks, micro * batches * dp, micro,
      context ? 8192 : 2048, one_of(recompute));
}

}  // namespace orrery::benchmarks
