// SPDX-License-Identifier: Apache-2.0
//
// orrery shard: which device is to hold which embedding table.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.h"
#include "orrery/present/search/shard_text.h"
#include "orrery/study/embeddings/shard_report.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct ShardOptions {
  study::ShardQuestion question;
  std::string plot;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &ShardOptions::question},
                 QuestionField{"plot", &ShardOptions::plot, "--plot", "FILE", kNothing,
                               "lookups.svg", "Draw devices' lookups into an SVG"}};
};

int shard(ShardOptions& options, Session& session) {
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
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return shard(*options, session); };
}

}  // namespace orrery::app
