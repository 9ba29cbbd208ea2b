// SPDX-License-Identifier: Apache-2.0
//
// orrery dlrm lookup: measures the reuse of embedding rows, and predicts lookups.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/kernels/dlrm_lookup_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/present/kernels/embeddings_answer.h"
#include "orrery/study/embeddings/embeddings.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

trace::BagShape shape_of(const EmbeddingsOptions& options) {
  return {options.offsets, options.lengths, options.pooling,
          options.tables == 0 ? 1 : options.tables};
}

/// Of --histogram or --like; empty without both.
Result<std::optional<model::ReuseHistogram>> histogram_of(const EmbeddingsOptions& options) {
  if (!options.histogram.empty() && !options.like.empty())
    return fail(Errc::usage, "--like", "conflicts with --histogram", "give one of the two");
  if (!options.histogram.empty()) {
    const auto shares = study::read_histogram(options.histogram);
    if (!shares) return tl::unexpected(shares.error());
    return *shares;
  }
  if (options.like.empty()) return std::nullopt;
  const auto tables = study::measure_reuse({options.like}, {});
  if (!tables) return tl::unexpected(tables.error());
  model::Reuse all;
  for (const study::TableReuse& table : *tables) all += table.reuse;
  return all.shares();
}

int histogram(const EmbeddingsOptions& options, Context& context) {
  if (options.words.size() < 2)
    return context.fail({Errc::usage, "dlrm lookup histogram", "no file of indices is given",
                         "orrery dlrm lookup histogram indices.npy --offsets offsets.npy"});
  const auto tables =
      study::measure_reuse({options.words.begin() + 1, options.words.end()}, shape_of(options));
  if (!tables) return context.fail(tables.error());
  return context.deliver([&](report::Answer& answer) { present::state_reuse(answer, *tables); });
}

int synthesize(const EmbeddingsOptions& options, Context& context) {
  if (options.words.size() > 1)
    return context.fail(
        {Errc::usage, "FILE", "has no meaning for 'dlrm lookup synthesize'", "leave it out"});
  const auto shares = histogram_of(options);
  if (!shares) return context.fail(shares.error());
  model::StreamRequest request{options.batch, options.pooling, options.rows, {}, 1};
  request.seed = static_cast<std::uint64_t>(options.seed);
  for (const auto& [option, missing] :
       {std::pair{"--bags", request.batch == 0}, std::pair{"--pooling", request.pooling == 0},
        std::pair{"--rows", request.rows == 0}, std::pair{"--output", context.output.empty()}})
    if (missing)
      return context.fail({Errc::usage, option, "is missing",
                           "orrery dlrm lookup synthesize --bags 2048 --pooling 20 --rows 1000000 "
                           "--like indices.npy -o made.npy"});
  request.shares =
      *shares ? **shares : model::uniform_shares(request.rows, request.batch * request.pooling);
  const auto plan = model::plan_stream(request);
  if (!plan) return context.fail(plan.error());
  const std::string path = std::exchange(context.output, {});
  const auto stream = model::make_stream(request, *plan);
  if (auto written =
          write_output(path, study::format_stream(stream, request.pooling, path.ends_with(".npy")),
                       context.force);
      !written)
    return context.fail(written.error());
  if (path == "-") return kOk;
  return context.deliver(
      [&](report::Answer& answer) { present::state_stream(answer, request, *plan, path); });
}

int time_lookups(const EmbeddingsOptions& options, Context& context) {
  if (options.words.size() > 2)
    return context.fail({Errc::usage, "dlrm lookup time", "takes one file of indices", ""});
  study::LookupQuestion question;
  question.lookup = {0, options.batch, options.pooling, options.rows, options.features};
  question.devices = options.devices;
  question.nets = options.nets;
  const auto shares = histogram_of(options);
  if (!shares) return context.fail(shares.error());
  question.histogram = *shares;
  question.lookup.tables = options.tables;
  const auto format = graph::format_of(options.dtype);
  if (!format || graph::bits_of(*format) < 8)
    return context.fail({Errc::usage, "--dtype",
                         in_quotes(options.dtype) + " is not a format of weights",
                         "fp32, fp16, bf16, fp8 or int8"});
  question.format = *format;
  if (options.words.size() > 1) {
    question.indices = options.words[1];
    question.shape = shape_of(options);
    question.lookup.tables = question.lookup.pooling = 0;  // the file has them
  } else if (!options.offsets.empty() || !options.lengths.empty()) {
    return context.fail(
        {Errc::usage, "--offsets", "no file of indices is given",
         "orrery dlrm lookup time indices.npy --offsets offsets.npy --features 64"});
  }
  if (question.devices.empty()) question.devices = {"h100-sxm"};
  const auto lookup = study::predict_lookup(question);
  if (!lookup) return context.fail(lookup.error());
  return context.deliver([&](report::Answer& answer) { present::state_lookup(answer, *lookup); });
}

constexpr std::array<Mode<const EmbeddingsOptions>, 3> kEmbeddingsModes = {
    {{"histogram", histogram}, {"synthesize", synthesize}, {"time", time_lookups}}};

int embeddings(CommandOptions& command, const EmbeddingsOptions& options, const ModeActions& added,
               Context& context) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  const auto* const mode = find_mode(kEmbeddingsModes, first);
  const auto other = added.find(first);
  if (mode != nullptr || other != added.end()) {
    if (auto fine = check_mode(command, "'" + first + "'"); !fine)
      return context.fail(fine.error());
    return other != added.end() ? other->second() : mode->run(options, context);
  }
  const std::string near = did_you_mean(first, embeddings_words());
  return context.fail({Errc::usage, "dlrm lookup",
                       first.empty() ? "no mode is given" : "there is no mode " + in_quotes(first),
                       near.empty() ? join(embeddings_words()) : near});
}

}  // namespace

std::vector<std::string_view> embeddings_words() {
  return with_added_modes("dlrm lookup", names_of(kEmbeddingsModes));
}

Action add_dlrm_lookup(CommandOptions& command, Context& context) {
  describe(
      command,
      std::string(
          "Measures how often rows of embedding tables are read again within a batch,\n"
          "generates streams of indices with the same reuse, and predicts lookup times,\n"
          "forward and backward:\n"
          "  orrery dlrm lookup histogram FILE…   text, CSV or NumPy's .npy; how often rows are "
          "read\n"
          "  orrery dlrm lookup synthesize        a stream with such reuse (.npy, else text)\n"
          "  orrery dlrm lookup time [FILE]       lookup times, and the hit rates of caches\n") +
          added_usage("dlrm lookup") +
          "\n"
          "Examples:\n"
          "  orrery dlrm lookup histogram indices.npy --offsets offsets.npy\n"
          "  orrery dlrm lookup time --tables 26 --bags 2048 --pooling 20 --rows 1000000 "
          "--features "
          "64\n");
  const auto options = std::make_shared<EmbeddingsOptions>();
  add_fields(command, *options);
  const ModeActions added = add_modes("dlrm lookup", command, *options, context);
  context.add_options(command);
  return [options, added, &command, &context] {
    return embeddings(command, *options, added, context);
  };
}

}  // namespace orrery::commands
