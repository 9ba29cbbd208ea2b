// SPDX-License-Identifier: Apache-2.0
//
// For tests: handmade ranks of a job.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {

/// One rank: groups first, then communications in order. Times are microseconds.
class RankMaker {
 public:
  explicit RankMaker(std::uint32_t rank, std::uint32_t world) {
    comms.rank = rank;
    comms.world_size = world;
    comms.where = "r" + std::to_string(rank) + ".json";
  }

  std::uint32_t group(std::string name, std::vector<std::uint32_t> ranks,
                      std::string description = "") {
    profile::Group group;
    group.name = std::move(name);
    group.description = std::move(description);
    group.size = ranks.empty() ? -1 : static_cast<std::int32_t>(ranks.size());
    group.ranks = std::move(ranks);
    comms.sizes.push_back(group.size);
    comms.groups.push_back(std::move(group));
    return static_cast<std::uint32_t>(comms.groups.size() - 1);
  }

  JobComm& use(profile::CommKind kind, std::int64_t bytes, std::int64_t start, std::int64_t end,
               std::uint32_t group = profile::kNone) {
    JobComm use;
    use.node = comms.uses.size() + 1;
    use.event = static_cast<profile::EventId>(use.node);
    use.kind = kind;
    use.bytes = bytes;
    use.group = group;
    use.start = us(start);
    use.end = us(end);
    use.on_device = true;
    use.name = "nccl:" + std::string(profile::name(kind));
    comms.uses.push_back(use);
    return comms.uses.back();
  }

  RankComms comms;
};

inline Result<Job> try_united(std::vector<RankMaker> ranks) {
  Job job;
  std::vector<RankComms> all;
  for (RankMaker& rank : ranks) {
    trace::Input input;
    input.path = input.name = rank.comms.where;
    job.ranks.push_back({rank.comms.rank, "distributedInfo", input, {}});
    all.push_back(std::move(rank.comms));
  }
  if (auto fine = unite(all, job); !fine) return tl::unexpected(fine.error());
  return job;
}

inline Job united(std::vector<RankMaker> ranks) {
  auto job = try_united(std::move(ranks));
  EXPECT_TRUE(job) << (job ? "" : to_string(job.error()));
  return job ? std::move(*job) : Job{};
}

}  // namespace orrery::intake
