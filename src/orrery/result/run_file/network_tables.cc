// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "orrery/core/packet_record.h"
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

std::vector<Table> network_tables() {
  return {
      {"link_curve",
       "Bytes over time; links with equal curves share a curve.",
       {{"id", kKey, kRowNumber},
        {"first_use", kInteger, "first `id` of its bins in `link_use`"},
        {"bins", kInteger, "number of its bins"}}},
      {"link_use",
       "Transferred bytes, in bins of length `run.link_bin_ps`.",
       {{"id", kKey, kRowNumber},
        {"curve", "INTEGER NOT NULL REFERENCES link_curve", "the curve of the bin"},
        {"bin", kInteger, "number of the bin, from 0; it begins at bin × `run.link_bin_ps`"},
        {"bytes", kInteger, "bytes in the bin"}}},
      {"fabric_node",
       "A node of the network, if it is a fabric; names of links refer to these nodes.",
       {{"id", kKey, kRowNumber},
        {"name", kText, "e.g. `leaf0`"},
        {"class", kText, "`device`, `nic`, `leaf`, …"},
        {"host", kNullableInteger, "the machine that contains it; NULL: none"},
        {"rank", "INTEGER REFERENCES rank", "the rank on this device; NULL: none"}}},
      {"fabric_fault",
       "Links of the fabric that were down or slow, each direction separately, with or without "
       "traffic.",
       {{"id", kKey, kRowNumber},
        {"from_node", "INTEGER NOT NULL REFERENCES fabric_node", "start of the links"},
        {"to_node", "INTEGER NOT NULL REFERENCES fabric_node", "end of the links"},
        {"links", kInteger, "number of affected parallel links"},
        {"bandwidth_share", kReal, "remaining share of the bandwidth; 0: the links are down"},
        {"start_ps", kInteger, "start of the fault"},
        {"end_ps", kNullableInteger, "end of the fault; NULL: never"},
        {"every_ps", kInteger,
         "recurring fault: time from one occurrence to the next; 0: not recurring"},
        {"lasts_ps", kInteger, "recurring fault: duration of each occurrence"}}},
      {"link",
       "A directed link or, under the analytical model, what one rank sends into one dimension.",
       {{"id", kKey, kRowNumber},
        {"dimension", "INTEGER NOT NULL REFERENCES dimension", "dimension of the network"},
        {"from_rank", "INTEGER REFERENCES rank",
         "sender; NULL: all links of the dimension combined, or a link of a fabric that starts at "
         "no rank"},
        {"to_rank", "INTEGER REFERENCES rank",
         "receiver; NULL: into a switch, or all links of a rank"},
        {"down", kInteger, "1: from the switch to `from_rank`"},
        {"capacity_bytes_per_s", kReal, "capacity"},
        {"bytes", kInteger, "total bytes"},
        {"curve", "INTEGER REFERENCES link_curve", "bytes over time; NULL: not recorded"},
        {"name", kText,
         "name of a fabric's link, e.g. `leaf0 -> spine1`; empty: a link of a dimension"},
        {"class", kText, "class of a fabric's link: `scale-up`, `pcie`, `network`, …"}}},
  };
}

std::vector<Table> remote_memory_tables() {
  return {
      {"memory_level",
       "A remote memory, or a stage of links between it and devices, in order from the memory.",
       {{"id", kKey, kRowNumber},
        {"name", kText, "`3 groups of memory`, `2 links for each 8 devices`"},
        {"capacity_bytes_per_s", kReal,
         "total of all equivalent memories or links, in one direction"},
        {"both_ways", kInteger, "1: loads and stores share the capacity"},
        {"loaded_bytes", kInteger, "bytes loaded by all devices"},
        {"stored_bytes", kInteger, "bytes stored by all devices"},
        {"bin_ps", kInteger, "bin length of `memory_level_use`"},
        {"bins", kInteger, "number of bins"}}},
      {"memory_level_use",
       "Loaded and stored bytes, in bins of length `memory_level.bin_ps`, as the slowest level "
       "transfers them.",
       {{"id", kKey, kRowNumber},
        {"level", "INTEGER NOT NULL REFERENCES memory_level", "the level of the bin"},
        {"bin", kInteger, "number of the bin, from 0; it begins at bin × `bin_ps`"},
        {"loaded_bytes", kInteger, "bytes loaded in the bin"},
        {"stored_bytes", kInteger, "bytes stored in the bin"}}},
  };
}

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
