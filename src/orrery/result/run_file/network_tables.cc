// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/table_schema_internal.h"

namespace orrery::result {

std::vector<Table> network_tables() {
  return {
      {"link_curve",
       "A course of bytes over time; links with equal ones share one.",
       {{"id", kKey, kRow},
        {"first_use", kInteger, "its bins are those rows of `link_use` with `id` from here"},
        {"bins", kInteger, "… and so many"}}},
      {"link_use",
       "Bytes carried, in equal bins of `run.link_bin_ps`.",
       {{"id", kKey, kRow},
        {"curve", "INTEGER NOT NULL REFERENCES link_curve", "whose bin it is"},
        {"bin", kInteger, "from 0; it begins at bin × `run.link_bin_ps`"},
        {"bytes", kInteger, "carried in it"}}},
      {"fabric_node",
       "A node of the network, where that is a fabric; links' names are of them.",
       {{"id", kKey, kRow},
        {"name", kText, "e.g. `leaf0`"},
        {"class", kText, "`device`, `nic`, `leaf`, …"},
        {"host", kMaybe, "the machine that it is in; NULL: none"},
        {"rank", "INTEGER REFERENCES rank", "who sits there; NULL: nobody"}}},
      {"fabric_fault",
       "Links of the fabric that were down or slow, each direction; whether or not they carried "
       "anything.",
       {{"id", kKey, kRow},
        {"from_node", "INTEGER NOT NULL REFERENCES fabric_node", "where they begin"},
        {"to_node", "INTEGER NOT NULL REFERENCES fabric_node", "where they lead"},
        {"links", kInteger, "so many of those that are side by side"},
        {"bandwidth_share", kReal, "what is left of theirs; 0: they are down"},
        {"start_ps", kInteger, "from when on"},
        {"end_ps", kMaybe, "until when; NULL: for good"},
        {"every_ps", kInteger, "it comes and goes: so long from one time to the next; 0: it stays"},
        {"lasts_ps", kInteger, "… and so long each time"}}},
      {"link",
       "A directed link or, under the analytical model, what one rank sends into one dimension.",
       {{"id", kKey, kRow},
        {"dimension", "INTEGER NOT NULL REFERENCES dimension", "of the network"},
        {"from_rank", "INTEGER REFERENCES rank",
         "NULL: all links of the dimension together, or of a fabric and from no rank"},
        {"to_rank", "INTEGER REFERENCES rank", "NULL: into a switch, or all links of a rank"},
        {"down", kInteger, "1: from the switch to `from_rank`"},
        {"capacity_bytes_per_s", kReal, "at most"},
        {"bytes", kInteger, "all it carried"},
        {"curve", "INTEGER REFERENCES link_curve", "when; NULL: not recorded"},
        {"name", kText, "of a fabric's link, e.g. `leaf0 -> spine1`; empty: of a dimension"},
        {"class", kText, "of such a link: `scale-up`, `pcie`, `network`, …"}}},
  };
}

std::vector<Table> remote_memory_tables() {
  return {
      {"memory_level",
       "A remote memory, or a stage of links between it and devices: from the memory on.",
       {{"id", kKey, kRow},
        {"name", kText, "`3 groups of memory`, `2 links for each 8 devices`"},
        {"capacity_bytes_per_s", kReal, "of all that are alike, in one direction"},
        {"both_ways", kInteger, "1: loads and stores share it"},
        {"loaded_bytes", kInteger, "by all devices"},
        {"stored_bytes", kInteger, "likewise"},
        {"bin_ps", kInteger, "length of the bins of `memory_level_use`"},
        {"bins", kInteger, "so many it has"}}},
      {"memory_level_use",
       "Bytes that were loaded and stored, in equal bins of `memory_level.bin_ps`, as the slowest "
       "level carries them.",
       {{"id", kKey, kRow},
        {"level", "INTEGER NOT NULL REFERENCES memory_level", "whose bin it is"},
        {"bin", kInteger, "from 0; it begins at bin × `bin_ps`"},
        {"loaded_bytes", kInteger, "in the bin"},
        {"stored_bytes", kInteger, "likewise"}}},
  };
}

}  // namespace orrery::result
