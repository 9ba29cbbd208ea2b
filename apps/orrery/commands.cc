// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

namespace orrery::app {

void add_commands(CLI::App& table, Session& session) {
  add_run(table, session);
  add_generate(table, session);
  add_count(table, session);
  add_memory(table, session);
  add_kernels(table, session);
  add_calibrate(table, session);
  add_embeddings(table, session);
  add_report(table, session);
  add_critical_path(table, session);
  add_explain(table, session);
  add_compare(table, session);
  add_validate(table, session);
  add_reproduce(table, session);
  add_search(table, session);
  add_calculon(table, session);
  add_convert(table, session);
  add_link(table, session);
  add_replay(table, session);
  add_bench(table, session);
  add_predict(table, session);
  add_stragglers(table, session);
  add_shard(table, session);
  add_split_bandwidth(table, session);
  add_topology(table, session);
  add_together(table, session);
  add_plan(table, session);
  add_collective(table, session);
  add_synthesise(table, session);
  add_whatif(table, session);
  add_scale_down(table, session);
  add_diff(table, session);
  add_cut(table, session);
  add_obfuscate(table, session);
  add_inspect(table, session);
  add_check(table, session);
  add_schema(table, session);
  add_doctor(table, session);
  add_demo(table, session);
  add_completion(table, session);
  add_man(table, session);
}

}  // namespace orrery::app
