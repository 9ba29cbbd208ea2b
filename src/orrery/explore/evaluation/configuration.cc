// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/evaluation/configuration.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "orrery/core/system/thread_pool.h"

namespace orrery::explore {

Result<Configuration> configuration_of(const SearchSpace& space, std::uint64_t number,
                                       Evaluator& evaluator) {
  auto asked = spec_at(space, space.at(number));
  if (!asked) return tl::unexpected(asked.error());
  const auto spec = evaluator.plan(*asked);
  if (!spec) return tl::unexpected(spec.error());
  Configuration made;
  made.megatron = workload::to_megatron(*spec);
  made.job = std::move(asked->job);
  // The recomputation that fits is chosen by the space; it may not be a key of the job.
  if (!space.recompute.empty())
    made.job["recompute"]["kind"] = std::string(config::enum_name(spec->recompute.kind));
  if (asked->cluster.is_string())
    made.named = named_cluster(asked->cluster.get<std::string>(), space.where);
  else
    made.cluster = std::move(asked->cluster);
  return made;
}

Result<void> each_configuration(const SearchSpace& space, const std::vector<std::uint64_t>& numbers,
                                std::uint32_t threads,
                                const std::function<void(Configuration)>& use) {
  constexpr std::size_t kBlock = 4096, kBatch = 16;
  ThreadPool pool(threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::optional<Result<Configuration>>> made;
  for (std::size_t begin = 0; begin < numbers.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, numbers.size() - begin);
    made.assign(count, std::nullopt);
    pool.parallel_for(static_cast<std::uint32_t>((count + kBatch - 1) / kBatch),
                      [&](std::uint32_t piece) {
                        Evaluator evaluator(space);
                        const std::size_t end = std::min(count, (piece + std::size_t{1}) * kBatch);
                        for (std::size_t i = piece * kBatch; i < end; ++i)
                          made[i] = configuration_of(space, numbers[begin + i], evaluator);
                      });
    for (auto& one : made) {
      if (!*one) return tl::unexpected(one->error());
      use(std::move(**one));
    }
  }
  return {};
}

}  // namespace orrery::explore
