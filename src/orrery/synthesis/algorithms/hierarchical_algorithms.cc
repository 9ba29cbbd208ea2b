// SPDX-License-Identifier: Apache-2.0
//
// In hosts and between them: rank i of every host is on rail i.
#include "orrery/synthesis/algorithms/planned_algorithms_internal.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kAtOnce = 8;  // messages of one pair that go at once

struct Hosts {
  std::uint32_t inner, count;

  [[nodiscard]] std::uint32_t rank(std::uint32_t host, std::uint32_t place) const {
    return host * inner + place;
  }
};

Hosts hosts_of(const AlgorithmShape& shape) { return {shape.inner, shape.ranks / shape.inner}; }

// In each host, to the rank on its rail what is for that rail.
void scatter_in_hosts(PlanProgram& program, const Hosts& hosts, PlanBuffer buffer) {
  for (std::uint32_t apart = 1; apart < hosts.inner; ++apart) {
    for (std::uint32_t host = 0; host < hosts.count; ++host) {
      for (std::uint32_t place = 0; place < hosts.inner; ++place) {
        const std::uint32_t to = (place + apart) % hosts.inner;
        for (std::uint32_t other = 0; other < hosts.count; ++other) {
          const std::uint32_t chunk = hosts.rank(other, to);
          program.send({hosts.rank(host, place), buffer, chunk, 1},
                       {hosts.rank(host, to), buffer, chunk, 1}, true, other % kAtOnce);
        }
      }
    }
  }
}

// Round a ring along each rail: chunks to their owners, or from them.
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

void gather_in_hosts(PlanProgram& program, const Hosts& hosts, PlanBuffer buffer) {
  for (std::uint32_t apart = 1; apart < hosts.inner; ++apart) {
    for (std::uint32_t host = 0; host < hosts.count; ++host) {
      for (std::uint32_t place = 0; place < hosts.inner; ++place) {
        for (std::uint32_t other = 0; other < hosts.count; ++other) {
          const std::uint32_t chunk = hosts.rank(other, place);
          program.send({hosts.rank(host, place), buffer, chunk, 1},
                       {hosts.rank(host, (place + apart) % hosts.inner), buffer, chunk, 1}, false,
                       other % kAtOnce);
        }
      }
    }
  }
}

}  // namespace

Plan hierarchical_all_reduce(const AlgorithmShape& shape) {
  PlanProgram program("hierarchical", CollectiveType::all_reduce, shape.ranks, {shape.ranks, 0, 0},
                      true);
  const Hosts hosts = hosts_of(shape);
  scatter_in_hosts(program, hosts, kInput);
  along_rails(program, hosts, kInput, true);
  along_rails(program, hosts, kInput, false);
  gather_in_hosts(program, hosts, kInput);
  return std::move(program).finish();
}

Plan hierarchical_all_gather(const AlgorithmShape& shape) {
  PlanProgram program("hierarchical", CollectiveType::all_gather, shape.ranks, {0, shape.ranks, 0},
                      true);
  const Hosts hosts = hosts_of(shape);
  along_rails(program, hosts, kOutput, false);
  gather_in_hosts(program, hosts, kOutput);
  return std::move(program).finish();
}

Plan hierarchical_reduce_scatter(const AlgorithmShape& shape) {
  PlanProgram program("hierarchical", CollectiveType::reduce_scatter, shape.ranks,
                      {shape.ranks, 0, 0}, true);
  const Hosts hosts = hosts_of(shape);
  scatter_in_hosts(program, hosts, kInput);
  along_rails(program, hosts, kInput, true);
  return std::move(program).finish();
}

// As NCCL's PXN: what is for a rail's ranks is brought together on that rail first.
Plan hierarchical_all_to_all(const AlgorithmShape& shape) {
  PlanProgram program("hierarchical", CollectiveType::all_to_all, shape.ranks,
                      {shape.ranks, shape.ranks, shape.ranks}, false);
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
            program.send(what, where, false, other % kAtOnce);
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
