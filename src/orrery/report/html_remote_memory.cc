// SPDX-License-Identifier: Apache-2.0
//
// The page's data: what crossed remote memories.
#include "orrery/analysis/memory_levels.h"
#include "orrery/report/html_internal.h"

namespace orrery::report::html {

void write_memory_levels(JsonWriter& json, const result::Run& run) {
  const std::vector<analysis::LevelUse> uses = analysis::memory_levels(run);
  json.key("remoteMemory").begin_object().field("bin", run.remote_memory.bin.count());
  column(json, "levels", uses.size(), [&](std::size_t i) {
    const result::MemoryLevel& level = run.remote_memory.levels[i];
    const analysis::LevelUse& use = uses[i];
    json.begin_object().field("name", level.name).field("capacity", level.capacity.count());
    json.field("bothWays", level.both_ways).field("loaded", level.loaded);
    json.field("stored", level.stored).field("inUse", use.in_use).field("busiest", use.busiest);
    column(json, "loads", level.loads.size(), [&](std::size_t b) { json.value(level.loads[b]); });
    column(json, "stores", level.stores.size(),
           [&](std::size_t b) { json.value(level.stores[b]); });
    json.end_object();
  });
  json.end_object();
}

}  // namespace orrery::report::html
