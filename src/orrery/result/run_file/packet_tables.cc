// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "orrery/core/packet_record.h"
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

namespace {

Table total_table() {
  Table made{"packet_total",
             "Data packets of the run: one row; no row: the network simulates no packets. `sent` = "
             "`received` + the three `dropped_…` + `trimmed` + `in_flight`.",
             {{"id", kKey, "0"}}};
  for (const PacketTotal& one : kPacketTotals)
    made.columns.push_back({one.column, kInteger, one.meaning});
  made.columns.push_back(
      {"bin_ps", kInteger, "bin length of `packet_port_use`; 0: ports are not recorded"});
  made.columns.push_back({"messages", kInteger, "messages over the network"});
  made.columns.push_back({"message_step", kInteger,
                          "of these, every so many-th is in `packet_message`, from the first on"});
  return made;
}

void add_port_columns(Table& made) {
  for (const PortPacketColumn& one : kPortPacketColumns)
    made.columns.push_back({one.column, kInteger, one.meaning});
}

}  // namespace

std::vector<Table> packet_tables() {
  Table ports{"packet_port",
              "A port at which packets waited or something happened to them. Sums over the run, "
              "and the mean and the maximum of its queue.",
              {{"id", kKey, kRowNumber},
               {"link", "INTEGER NOT NULL REFERENCES link", "the link over which it sends"}}};
  add_port_columns(ports);
  ports.columns.push_back({"bins", kInteger, "number of its rows in `packet_port_use`"});
  Table use{"packet_port_use",
            "The same in bins of length `packet_total.bin_ps`. Bins in which nothing happened have "
            "no row.",
            {{"id", kKey, kRowNumber},
             {"port", "INTEGER NOT NULL REFERENCES packet_port", "the port of the bin"},
             {"bin", kInteger, "number of the bin, from 0; it begins at bin × `bin_ps`"}}};
  add_port_columns(use);
  return {total_table(),
          std::move(ports),
          std::move(use),
          {"packet_message",
           "A message over the network, in the order in which messages began.",
           {{"id", kKey, kRowNumber},
            {"from_rank", "INTEGER REFERENCES rank", "sender; NULL: a memory or a switch"},
            {"to_rank", "INTEGER REFERENCES rank", "receiver; NULL: a memory or a switch"},
            {"bytes", kInteger, "size"},
            {"start_ps", kInteger, "time at which it was passed to the network"},
            {"end_ps", kNullableInteger, "arrival of its last packet; NULL: it did not arrive"},
            {"ideal_ps", kInteger, "its duration without contention"},
            {"retransmitted", kInteger, "packets that its sender sent again"}}}};
}

}  // namespace orrery::result
