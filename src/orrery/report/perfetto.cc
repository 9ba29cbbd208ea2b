// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto.h"

#include "orrery/report/perfetto_cluster.h"
#include "orrery/report/perfetto_packets.h"
#include "orrery/report/perfetto_ranks.h"
#include "orrery/report/perfetto_timeline.h"

namespace orrery::report {

bool write_perfetto(const result::Run& run, const TimelineChoice& choice, const ByteSink& sink) {
  const Flows flows(run, choice);
  Packets packets(run, sink);
  packets.begin();
  write_cluster(packets, run, flows, choice);
  RankWriter writer(packets, run, flows, choice);
  for (std::uint32_t rank = choice.first_rank; rank < end_rank(run, choice) && packets.out().good();
       ++rank)
    writer.write(rank);
  packets.out().flush();
  return packets.out().good();
}

}  // namespace orrery::report
