// SPDX-License-Identifier: Apache-2.0
//
// orrery shard: which device is to hold which embedding table.
#include "orrery/study/shard.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "commands.h"
#include "orrery/core/units.h"
#include "orrery/present/shard_text.h"
#include "output_file.h"

namespace orrery::app {

namespace {

struct ShardOptions {
  study::ShardQuestion question;
  std::string memory, plot;
};

int shard(ShardOptions& options, Session& session) {
  if (!options.memory.empty()) {
    const auto bytes = parse_bytes(options.memory);
    if (!bytes || *bytes <= Bytes{})
      return session.fail({Errc::usage, "--memory", "is no size", "--memory 64GB"});
    options.question.memory = static_cast<double>(bytes->count());
  }
  const std::string path = std::exchange(session.output, {});
  const auto answer = study::shard(options.question);
  if (!answer) return session.fail(answer.error());
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::shard_svg(*answer), session.force); !done)
      return session.fail(done.error());
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  if (yaml && answer->specification.empty())
    return session.fail({Errc::config_conflict, "--output " + path,
                         "a specification has tables of one width, and none that is cut",
                         "write CSV, or --whole where only cuts are in the way"});
  if (!path.empty())
    if (auto done = write_output(path, yaml ? answer->specification : answer->file, session.force);
        !done)
      return session.fail(done.error());
  if (path == "-") return kOk;
  return session.deliver(present::shard_text(*answer, path, session.out_style()),
                         [&] { return present::shard_json(*answer, path); });
}

}  // namespace

Action add_shard(CLI::App& command, Session& session) {
  describe(
      command,
      "A search with the model of lookups as the objective, compared with six known\n"
      "sharders and a lower bound.\n"
      "\n"
      "Examples:\n"
      "  orrery shard tables.csv --devices 8 --device h100-sxm\n"
      "  orrery shard tables.csv --devices 16 --batch 131072 --memory 40GB -o placement.csv\n");
  const auto options = std::make_shared<ShardOptions>();
  study::ShardQuestion& question = options->question;
  command
      .add_option("TABLES", question.tables,
                  "CSV with the columns name, rows, features, pooling; perhaps format and reuse")
      ->type_name("")
      ->required();
  command.add_option("--devices", question.devices, "How many")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--device", question.device, "Of the catalogue")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--batch", question.batch, "Samples in a step, of all devices together")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--memory", options->memory, "Of a device for tables; by default 0.8 of it")
      ->type_name("BYTES");
  command
      .add_option("--most-tables", question.most_tables,
                  "A device holds no more tables, or pieces of them; 0: no limit")
      ->type_name("N");
  command
      .add_option("--sharder", question.sharder,
                  "One of the six instead of a search: naive, random, size_greedy, "
                  "lookup_greedy, norm_lookup_greedy, size_lookup_greedy")
      ->type_name("NAME");
  command.add_flag("--whole", question.whole, "Do not cut tables");
  command.add_option("--seed", question.seed, "Of chance")->type_name("N")->capture_default_str();
  command.add_option("--plot", options->plot, "Draw devices' lookups into an SVG")
      ->type_name("FILE");
  session.add_options(command);
  return [options, &session] { return shard(*options, session); };
}

}  // namespace orrery::app
