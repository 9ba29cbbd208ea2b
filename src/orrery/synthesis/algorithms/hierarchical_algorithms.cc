// SPDX-License-Identifier: Apache-2.0
//
// Algorithms within and between hosts: rank i of every host is on rail i.
#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kConcurrentMessages = 8;  // concurrent messages between two ranks

struct Hosts {
  std::uint32_t inner, count;

  [[nodiscard]] std::uint32_t rank(std::uint32_t host, std::uint32_t place) const {
    return host * inner + place;
  }
};

Hosts hosts_of(const AlgorithmShape& shape) { return {shape.inner, shape.ranks / shape.inner}; }

// Within each host, sends chunks to the rank on their rail, which adds them (`scatter`), or from
// that rank to all others.
void within_hosts(PlanProgram& program, const Hosts& hosts, PlanBuffer buffer, bool scatter) {
  for (std::uint32_t apart = 1; apart < hosts.inner; ++apart) {
    for (std::uint32_t host = 0; host < hosts.count; ++host) {
      for (std::uint32_t place = 0; place < hosts.inner; ++place) {
        const std::uint32_t to = (place + apart) % hosts.inner;
        for (std::uint32_t other = 0; other < hosts.count; ++other) {
          const std::uint32_t chunk = hosts.rank(other, scatter ? to : place);
          program.send({hosts.rank(host, place), buffer, chunk, 1},
                       {hosts.rank(host, to), buffer, chunk, 1}, scatter,
                       other % kConcurrentMessages);
        }
      }
    }
  }
}

// Along each rail, a ring carries chunks to their owners (`scatter`) or from them.
void along_rails(PlanProgram& program, const Hosts& hosts, PlanBuffer buffer, bool scatter) {
  for (std::uint32_t round = 0; round + 1 < hosts.count; ++round) {
    const std::uint32_t back = round + (scatter ? 1 : 0);
    for (std::uint32_t host = 0; host < hosts.count; ++host) {
      for (std::uint32_t rail = 0; rail < hosts.inner; ++rail) {
        const std::uint32_t chunk = hosts.rank((host + 2 * hosts.count - back) % hosts.count, rail);
        program.send({hosts.rank(host, rail), buffer, chunk, 1},
                     {hosts.rank((host + 1) % hosts.count, rail), buffer, chunk, 1}, scatter);
      }
    }
  }
}

}  // namespace

Plan hierarchical_plan(CollectiveType type, const AlgorithmShape& shape) {
  const Hosts hosts = hosts_of(shape);
  return scatter_gather_plan("hierarchical", type, shape.ranks, shape.ranks,
                             [&](PlanProgram& program, PlanBuffer buffer, bool scatter) {
                               if (scatter) within_hosts(program, hosts, buffer, true);
                               along_rails(program, hosts, buffer, scatter);
                               if (!scatter) within_hosts(program, hosts, buffer, false);
                             });
}

// As NCCL's PXN: first gathers the chunks for a rail's ranks on that rail.
Plan hierarchical_all_to_all(CollectiveType type, const AlgorithmShape& shape) {
  PlanProgram program("hierarchical", type, shape.ranks, {shape.ranks, shape.ranks, shape.ranks},
                      false);
  const Hosts hosts = hosts_of(shape);
  for (std::uint32_t host = 0; host < hosts.count; ++host) {
    for (std::uint32_t apart = 0; apart < hosts.inner; ++apart) {
      for (std::uint32_t place = 0; place < hosts.inner; ++place) {
        const std::uint32_t from = hosts.rank(host, place);
        const std::uint32_t rail = (place + apart) % hosts.inner, to = hosts.rank(host, rail);
        for (std::uint32_t other = 0; other < hosts.count; ++other) {
          const PlanSpan what{from, kInput, hosts.rank(other, rail), 1};
          const PlanSpan where = other == host
                                     ? PlanSpan{to, kOutput, from, 1}
                                     : PlanSpan{to, kScratch, hosts.rank(other, place), 1};
          if (from == to)
            program.copy(what, where);
          else
            program.send(what, where, false, other % kConcurrentMessages);
        }
      }
    }
  }
  for (std::uint32_t apart = 1; apart < hosts.count; ++apart) {
    for (std::uint32_t host = 0; host < hosts.count; ++host) {
      const std::uint32_t other = (host + apart) % hosts.count;
      for (std::uint32_t rail = 0; rail < hosts.inner; ++rail) {
        program.send({hosts.rank(host, rail), kScratch, hosts.rank(other, 0), hosts.inner},
                     {hosts.rank(other, rail), kOutput, hosts.rank(host, 0), hosts.inner});
      }
    }
  }
  return std::move(program).finish();
}

}  // namespace orrery::synthesis
