// SPDX-License-Identifier: Apache-2.0
//
// orrery study calculon: predicts a step, or searches the best plan, with Calculon's rules.
#include <memory>
#include <string>
#include <utility>

#include "addons/calculon/command/rows.h"
#include "addons/calculon/text/calculon_answer.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/config/document.h"

namespace orrery::commands {

namespace {

namespace calculon = estimate::calculon;

struct CalculonOptions {
  std::string model, system, execution;
  std::int64_t devices = 0, batch = 0;
  calculon::DataType datatype = calculon::DataType::float16;
  std::size_t best = 10;
  std::uint32_t threads = 0;

  static constexpr auto fields = std::tuple{
      QuestionField{"model", &CalculonOptions::model, "MODEL", "", kAnswer, "model.json",
                    "Calculon's application file"}
          .required(),
      QuestionField{"system", &CalculonOptions::system, "SYSTEM", "", kAnswer, "system.json",
                    "Calculon's system file"}
          .required(),
      QuestionField{"execution", &CalculonOptions::execution, "EXECUTION", "", kAnswer,
                    "execution.json", "Calculon's execution file"},
      QuestionField{"devices", &CalculonOptions::devices, "--devices", "N", kAnswer, "8",
                    "Search plans for this number of devices"}
          .between(1, 1'000'000'000),
      QuestionField{
          "batch", &CalculonOptions::batch, "--max-batch", "N", kAnswer, "8",
          "Maximum samples per step; rounded down to a multiple of the data-parallel replicas"}
          .between(1, 1'000'000'000),
      QuestionField{"datatype", &CalculonOptions::datatype, "--datatype", "TEXT", kAnswer, "float8",
                    "float8, float16, float32 or bfloat16"}
          .shows_default(),
      QuestionField{"best", &CalculonOptions::best, "--top", "N", kAnswer, "1",
                    "Number of plans to show"}
          .between(1, 1000)
          .shows_default(),
      QuestionField{"threads", &CalculonOptions::threads, "--threads", "N", kNothing, "2",
                    "Number of threads; 0: all cores"}
          .between(0, 1024)};
};

template <class T>
Result<T> read(const std::string& path, Result<T> (*parse)(std::string_view, const std::string&)) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return parse(*text, path);
}

int write_plan(const calculon::Plan& plan, const std::string& path, const Context& context) {
  if (auto written = write_output(path, calculon::to_json(plan), context.force); !written)
    return context.fail(written.error());
  return kOk;
}

int one_step(const CalculonOptions& options, present::CalculonStep question, Context& context) {
  if (options.devices != 0 || options.batch != 0)
    return context.fail({Errc::usage, "--devices", "conflicts with EXECUTION",
                         "give an execution, or --devices and --max-batch to search for one"});
  if (!context.output.empty())
    return context.fail({Errc::usage, "--output", "stores the best plan of a search",
                         "--json prints all figures of a step"});
  const auto plan = read(options.execution, calculon::parse_plan);
  if (!plan) return context.fail(plan.error());
  question.plan = *plan;
  auto step = calculon::step_of(question.model, question.machine, question.plan);
  if (!step) {
    step.error().where = options.execution;
    return context.fail(step.error());
  }
  question.step = *step;
  return context.deliver(
      [&](report::Answer& answer) { present::state_calculon_step(answer, question); });
}

int find_best(CalculonOptions& options, const present::CalculonStep& question, Context& context) {
  for (const auto& [option, value] :
       {std::pair{"--devices", options.devices}, std::pair{"--max-batch", options.batch}})
    if (value <= 0)
      return context.fail({Errc::usage, option, "is missing",
                           "or give an execution: orrery study calculon MODEL SYSTEM EXECUTION"});
  const std::string path = std::exchange(context.output, {});
  if (!path.empty())
    if (auto fine = check_absent(path, context.force); !fine) return context.fail(fine.error());
  Progress progress(context);
  const Progress::Phase phase{"search", "searching", "pairs"};
  const auto found =
      calculon::search(question.model, question.machine,
                       {.devices = options.devices,
                        .most_batch = options.batch,
                        .datatype = options.datatype,
                        .best = options.best,
                        .threads = options.threads},
                       [&](std::size_t done, std::size_t of) { progress.update(phase, done, of); });
  progress.clear();
  if (!found) return context.fail(found.error());
  if (!path.empty() && !found->best.empty())
    if (const int code = write_plan(found->best[0].plan, path, context); code != kOk) return code;
  return context.deliver(
      [&](report::Answer& answer) { present::state_calculon_search(answer, *found); },
      found->best.empty() ? kSaysNo : kOk);
}

int calculate(CalculonOptions& options, Context& context) {
  const auto model = read(options.model, calculon::parse_model);
  if (!model) return context.fail(model.error());
  auto machine = read(options.system, calculon::parse_machine);
  if (!machine) return context.fail(machine.error());
  present::CalculonStep question{*model, *std::move(machine), {}, {}};
  if (!options.execution.empty()) return one_step(options, std::move(question), context);
  return find_best(options, question, context);
}

}  // namespace

Action add_study_calculon(CommandOptions& command, Context& context) {
  describe(
      command,
      "Reads Calculon's own files: application, system and execution. Without an\n"
      "execution it evaluates every plan that Calculon's search evaluates, shows the\n"
      "best ones and why others are refused. The figures are identical to Calculon's.\n"
      "Exit code: 0, or 1 if a search finds no plan that fits.\n"
      "\n"
      "Examples:\n"
      "  orrery study calculon gpt3-175b.json a100-80g.json execution.json\n"
      "  orrery study calculon gpt3-175b.json a100-80g.json --devices 4096 --max-batch 4096 -o best.json\n");
  return action_with_options(command, context, calculate);
}

}  // namespace orrery::commands
