// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/stage.h"

namespace orrery::study {

platform::Platform stage_for(std::uint32_t ranks) {
  platform::Platform platform;
  platform.rules = platform::Rules::orrery;
  platform.dims = {
      {platform::Block::switched, static_cast<std::int64_t>(ranks), Bandwidth(1e11), 1000.0}};
  return platform;
}

Cluster stage_cluster(std::uint32_t ranks) {
  Cluster made;
  made.platform = stage_for(ranks);
  made.platform.name = "as recorded";
  made.ranks = ranks;
  made.replay = true;
  return made;
}

}  // namespace orrery::study
