// SPDX-License-Identifier: Apache-2.0
//
// orrery infer: latencies, throughput and cost of a server of language models; a search for the
// setup that meets limits.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/core/text/text.h"
#include "orrery/explore/serving/service_search.h"
#include "orrery/present/serving/infer_answer.h"
#include "orrery/present/serving/service_search_answer.h"
#include "orrery/study/serving/service_file.h"
#include "orrery/study/serving/service_timeline.h"

namespace orrery::commands {

namespace {

using explore::ServiceQuestion;

struct InferOptions {
  ServiceQuestion question;
  std::string perfetto, records;

  static constexpr auto fields = std::tuple{
      config::QuestionStruct{"question", &InferOptions::question}, config::QuestionGroup{"Output"},
      QuestionField{"perfetto", &InferOptions::perfetto, "--perfetto", "FILE", kNothing,
                    "run.pftrace", "A timeline for ui.perfetto.dev"}
          .advanced(),
      QuestionField{"records", &InferOptions::records, "--records", "FILE", kNothing, "run.sqlite",
                    "Write an SQLite database: a row for each request and each step"}
          .advanced()};
};

/// Errc: output_exists, output_failed.
Result<void> write_timeline(const study::Inference& made, const std::string& path, bool force) {
  auto file = open_output(path, force);
  if (!file) return tl::unexpected(file.error());
  const bool whole = study::write_service_timeline(
      made, [&](std::string_view bytes) { return file->write(bytes).has_value(); });
  if (auto done = file->finish(); !done) return done;
  if (!whole) return fail(Errc::output_failed, path, "was not written completely");
  return {};
}

int infer_one(const InferOptions& options, Context& context) {
  Findings findings;
  const std::string &records = options.records, &perfetto = options.perfetto;
  if (records == "-")
    return context.fail({Errc::usage, "--records", "is a database, not text", "give a file"});
  for (const std::string& path : {records, perfetto})
    if (auto fine = path.empty() ? Result<void>{} : check_absent(path, context.force); !fine)
      return context.fail(fine.error());
  const auto made = study::infer(options.question.service, findings);
  if (!made) return context.fail(made.error(), findings);
  if (!records.empty()) {
    if (auto written = study::write_service_file(*made, records, context.force); !written)
      return context.fail(written.error());
    context.note("wrote " + printable(records) + ": tables request and step (docs/serving.md)");
  }
  if (!perfetto.empty()) {
    if (auto written = write_timeline(*made, perfetto, context.force); !written)
      return context.fail(written.error());
    context.note("wrote " + printable(perfetto) + ": open at ui.perfetto.dev");
  }
  return context.deliver([&](report::Answer& answer) { present::state_inference(answer, *made); },
                         made->meets_limits() ? kOk : kSaysNo);
}

/// The command with the values that its options have now.
std::string command_line(const CommandOptions& command) {
  std::string line = "orrery " + command.name;
  for (const FieldRecord& field : command.fields) {
    if (field.values() == field.defaults()) continue;
    for (const std::string& value : field.values()) {
      line += " " + first_name(field.options);
      if (field.kind.json != "boolean") line += " " + shell_word(value);
    }
  }
  return line;
}

int search(CommandOptions& command, ServiceQuestion& question, Context& context) {
  const auto found = explore::search_services(question);
  if (!found) return context.fail(found.error());
  // The options of a setup are those of the question without the search.
  const ServiceQuestion asked = question;
  const auto command_of = [&](const study::InferQuestion& setup) {
    question = {};
    question.service = setup;
    std::int64_t& copies = question.service.engine.data_parallel_size;
    if (copies == 1) copies = 0;  // the default
    std::string line = command_line(command);
    question = asked;
    return line;
  };
  return context.deliver(
      [&](report::Answer& answer) {
        present::state_service_search(answer, *found, question.best, command_of);
      },
      found->any_meets() ? kOk : kSaysNo);
}

/// Options of a search, without one. Errc: usage.
Result<void> check_search_options(const CommandOptions& command) {
  for (const char* const option : {"--objective", "--top", "--simulated", "--threads"})
    if (command.is_given(option))
      return fail(Errc::usage, option, "is for a search", "--search, or several devices in --gpu");
  return {};
}

}  // namespace

Action add_infer(CommandOptions& command, Context& context) {
  describe(
      command,
      "Serves requests with the scheduler of an engine, and predicts latencies, throughput,\n"
      "goodput, use of the cache, energy and cost. Arguments have the names of vLLM, SGLang and\n"
      "TensorRT-LLM (docs/serving.md). --model may be a config.json of Hugging Face. With several\n"
      "devices, finds the sizes and limits with which the fewest devices meet --slo.\n"
      "\n"
      "Examples:\n"
      "  orrery infer --model llama-3.1-8b --gpu h100-sxm --rate 20\n"
      "  orrery infer --model llama-3.1-70b --gpu h100-sxm --tensor-parallel-size 4 \\\n"
      "      --max-num-seqs 128 --requests trace.jsonl --slo ttft=1s,tpot=50ms --price 2.5\n"
      "  orrery infer --model llama-3.1-70b --gpu h100-sxm,h200,b200 --rate 20 \\\n"
      "      --slo ttft_p99=500ms,tpot_p99=30ms\n");
  const auto options = std::make_shared<InferOptions>();
  add_fields(command, *options);
  context.add_options(command);
  return [options, &command, &context] {
    if (options->question.searches()) {
      for (const auto& [option, file] :
           {std::pair{"--records", &options->records}, std::pair{"--perfetto", &options->perfetto}})
        if (!file->empty())
          return context.fail({Errc::usage, option, "is for one setup, not for a search",
                               fmt::format("run the printed command with {}", option)});
      return search(command, options->question, context);
    }
    if (auto fine = check_search_options(command); !fine) return context.fail(fine.error());
    return infer_one(*options, context);
  };
}

}  // namespace orrery::commands
