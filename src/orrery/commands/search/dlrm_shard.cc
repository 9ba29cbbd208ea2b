// SPDX-License-Identifier: Apache-2.0
//
// orrery dlrm shard: assigns embedding tables to devices.
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/present/search/shard_answer.h"
#include "orrery/study/embeddings/shard_report.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct ShardOptions {
  study::ShardQuestion question;
  std::string plot;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &ShardOptions::question},
                 QuestionField{"plot", &ShardOptions::plot, "--plot", "FILE", kNothing,
                               "lookups.svg", "Plot the lookup time of each device as SVG"}};
};

int shard(ShardOptions& options, Context& context) {
  const std::string path = std::exchange(context.output, {});
  const auto placed = study::shard(options.question);
  if (!placed) return context.fail(placed.error());
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::shard_svg(*placed), context.force); !done)
      return context.fail(done.error());
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  if (yaml && placed->specification.empty())
    return context.fail({Errc::config_conflict, "--output " + path,
                         "a specification needs tables of one width that are not cut",
                         "write CSV, or give --whole if the tables have one width"});
  if (!path.empty())
    if (auto done = write_output(path, yaml ? placed->specification : placed->file, context.force);
        !done)
      return context.fail(done.error());
  if (path == "-") return kOk;
  return context.deliver(
      [&](report::Answer& answer) { present::state_shard(answer, *placed, path); });
}

}  // namespace

Action add_dlrm_shard(CommandOptions& command, Context& context) {
  describe(command,
           "Minimizes the step time of the slowest device by the model of lookups, and\n"
           "compares the result with six known sharders and a lower bound.\n"
           "\n"
           "Examples:\n"
           "  orrery dlrm shard tables.csv --devices 8 --device h100-sxm\n"
           "  orrery dlrm shard tables.csv --devices 16 --batch 131072 --memory 40GB -o "
           "placement.csv\n");
  return action_with_options(command, context, shard);
}

}  // namespace orrery::commands
