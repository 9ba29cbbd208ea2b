// SPDX-License-Identifier: Apache-2.0
//
// orrery calculon: a step by Calculon's rules, or the best of all its plans.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "addons/calculon/command/rows.h"
#include "addons/calculon/text/calculon_text.h"
#include "apps/orrery/output_file.h"
#include "apps/orrery/progress.h"
#include "apps/orrery/question_options.h"
#include "orrery/config/document.h"
#include "orrery/core/text/suggest.h"

namespace orrery::app {

namespace {

namespace calculon = estimate::calculon;

struct CalculonOptions {
  std::string model, system, execution;
  std::int64_t devices = 0, batch = 0;
  calculon::DataType datatype = calculon::DataType::float16;
  std::size_t best = 10;
  std::uint32_t threads = 0;

  static constexpr auto fields =
      std::tuple{QuestionField{"model", &CalculonOptions::model, "MODEL", "", kAnswer, "model.json",
                               "Calculon's application file"}
                     .required(),
                 QuestionField{"system", &CalculonOptions::system, "SYSTEM", "", kAnswer,
                               "system.json", "Calculon's system file"}
                     .required(),
                 QuestionField{"execution", &CalculonOptions::execution, "EXECUTION", "", kAnswer,
                               "execution.json", "Calculon's execution file"},
                 QuestionField{"devices", &CalculonOptions::devices, "--devices", "N", kAnswer, "8",
                               "Search plans of so many devices"}
                     .between(1, 1'000'000'000),
                 QuestionField{"batch", &CalculonOptions::batch, "--batch", "N", kAnswer, "8",
                               "Samples of a step; the most that copies share evenly"}
                     .between(1, 1'000'000'000),
                 QuestionField{"datatype", &CalculonOptions::datatype, "--datatype", "TEXT",
                               kAnswer, "float8", "float8, float16, float32 or bfloat16"}
                     .shows_default(),
                 QuestionField{"best", &CalculonOptions::best, "--best", "N", kAnswer, "1",
                               "How many plans to show"}
                     .between(1, 1000)
                     .shows_default(),
                 QuestionField{"threads", &CalculonOptions::threads, "--threads", "N", kNothing,
                               "2", "0: as many as there are cores"}
                     .between(0, 1024)};
};

template <class T>
Result<T> read(const std::string& path, Result<T> (*parse)(std::string_view, const std::string&)) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

int write_plan(const calculon::Plan& plan, const std::string& path, const Session& session) {
  if (auto written = write_output(path, calculon::to_json(plan), session.force); !written)
    return session.fail(written.error());
  return kOk;
}

int one_step(const CalculonOptions& options, present::CalculonStep predicted, Session& session) {
  if (options.devices != 0 || options.batch != 0)
    return session.fail({Errc::usage, "--devices", "the execution says it already",
                         "give an execution, or --devices and --batch to search for one"});
  if (!session.output.empty())
    return session.fail({Errc::usage, "--output", "keeps the best plan of a search",
                         "--json writes all figures of a step"});
  const auto plan = read(options.execution, calculon::parse_plan);
  if (!plan) return session.fail(plan.error());
  predicted.plan = *plan;
  auto step = calculon::step_of(predicted.model, predicted.machine, predicted.plan);
  if (!step) {
    step.error().where = options.execution;
    return session.fail(step.error());
  }
  predicted.step = *step;
  return session.deliver(present::calculon_step_text(predicted, session.out_style()),
                         [&] { return present::calculon_step_json(predicted); });
}

int find_best(CalculonOptions& options, const present::CalculonStep& predicted, Session& session) {
  for (const auto& [option, value] :
       {std::pair{"--devices", options.devices}, std::pair{"--batch", options.batch}})
    if (value <= 0)
      return session.fail({Errc::usage, option, "is missing",
                           "or give an execution: orrery calculon MODEL SYSTEM EXECUTION"});
  const std::string path = std::exchange(session.output, {});
  if (!path.empty())
    if (auto fine = check_absent(path, session.force); !fine) return session.fail(fine.error());
  Progress progress(session);
  const Progress::Phase phase{"search", "searching", "pairs"};
  const auto found =
      calculon::search(predicted.model, predicted.machine,
                       {.devices = options.devices,
                        .most_batch = options.batch,
                        .datatype = options.datatype,
                        .best = options.best,
                        .threads = options.threads},
                       [&](std::size_t done, std::size_t of) { progress.tell(phase, done, of); });
  progress.clear();
  if (!found) return session.fail(found.error());
  if (!path.empty() && !found->best.empty())
    if (const int code = write_plan(found->best[0].plan, path, session); code != kOk) return code;
  return session.deliver(
      present::calculon_search_text(*found, session.out_style()),
      [&] { return present::calculon_search_json(*found); }, found->best.empty() ? kSaysNo : kOk);
}

int calculate(CalculonOptions& options, Session& session) {
  const auto model = read(options.model, calculon::parse_model);
  if (!model) return session.fail(model.error());
  auto machine = read(options.system, calculon::parse_machine);
  if (!machine) return session.fail(machine.error());
  present::CalculonStep predicted{*model, *std::move(machine), {}, {}};
  if (!options.execution.empty()) return one_step(options, std::move(predicted), session);
  return find_best(options, predicted, session);
}

}  // namespace

Action add_calculon(CLI::App& command, Session& session) {
  describe(
      command,
      "Reads Calculon's own files: application, system and execution. Without an\n"
      "execution it evaluates every plan that Calculon's search evaluates, shows the best\n"
      "ones and why others are refused. The figures are identical to Calculon's.\n"
      "Exit code: 0, or 1 if a search finds no plan that fits.\n"
      "\n"
      "Examples:\n"
      "  orrery calculon gpt3-175b.json a100-80g.json execution.json\n"
      "  orrery calculon gpt3-175b.json a100-80g.json --devices 4096 --batch 4096 -o best.json\n");
  const auto options = std::make_shared<CalculonOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &session] { return calculate(*options, session); };
}

}  // namespace orrery::app
