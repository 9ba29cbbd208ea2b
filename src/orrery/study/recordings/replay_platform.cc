// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/replay_platform.h"

namespace orrery::study {

platform::Platform replay_platform(std::uint32_t ranks) {
  platform::Platform platform;
  platform.rules = platform::Rules::orrery;
  platform.dims = {
      {platform::Block::switched, static_cast<std::int64_t>(ranks), Bandwidth(1e11), 1000.0}};
  return platform;
}

Cluster replay_cluster(std::uint32_t ranks) {
  Cluster made;
  made.platform = replay_platform(ranks);
  made.platform.name = "as recorded";
  made.ranks = ranks;
  made.replay = true;
  return made;
}

}  // namespace orrery::study
