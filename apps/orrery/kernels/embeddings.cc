// SPDX-License-Identifier: Apache-2.0
//
// orrery embeddings: how often rows of tables are read again, and what that makes of lookups.
#include "orrery/study/embeddings/embeddings.h"

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "kernels/embeddings_options.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/present/kernels/embeddings_text.h"
#include "question_options.h"

namespace orrery::app {

namespace {

trace::BagShape shape_of(const EmbeddingsOptions& options) {
  return {options.offsets, options.lengths, options.pooling,
          options.tables == 0 ? 1 : options.tables};
}

/// --histogram or --like; nothing where neither is there.
Result<std::optional<model::ReuseHistogram>> histogram_of(const EmbeddingsOptions& options) {
  if (!options.histogram.empty() && !options.like.empty())
    return fail(Errc::usage, "--like", "--histogram says it already", "give one of them");
  if (!options.histogram.empty()) {
    const auto shares = study::read_histogram(options.histogram);
    if (!shares) return tl::unexpected(shares.error());
    return *shares;
  }
  if (options.like.empty()) return std::nullopt;
  const auto tables = study::measure_reuse({options.like}, {});
  if (!tables) return tl::unexpected(tables.error());
  model::Reuse all;
  for (const study::TableReuse& is : *tables) all += is.reuse;
  return all.shares();
}

int histogram(const EmbeddingsOptions& options, Session& session) {
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "embeddings histogram", "of which indices?",
                         "orrery embeddings histogram indices.npy --offsets offsets.npy"});
  const auto tables =
      study::measure_reuse({options.words.begin() + 1, options.words.end()}, shape_of(options));
  if (!tables) return session.fail(tables.error());
  return session.deliver(present::format_histogram(*tables, session.out_style()),
                         [&] { return present::histogram_json(*tables); });
}

int synthesize(const EmbeddingsOptions& options, Session& session) {
  if (options.words.size() > 1)
    return session.fail(
        {Errc::usage, "FILE", "says nothing to 'embeddings synthesize'", "leave it out"});
  const auto shares = histogram_of(options);
  if (!shares) return session.fail(shares.error());
  model::StreamRequest wish{options.batch, options.pooling, options.rows, {}, 1};
  wish.seed = static_cast<std::uint64_t>(options.seed);
  for (const auto& [option, missing] :
       {std::pair{"--batch", wish.batch == 0}, std::pair{"--pooling", wish.pooling == 0},
        std::pair{"--rows", wish.rows == 0}, std::pair{"--output", session.output.empty()}})
    if (missing)
      return session.fail({Errc::usage, option, "is missing",
                           "orrery embeddings synthesize --batch 2048 --pooling 20 --rows 1000000 "
                           "--like indices.npy -o made.npy"});
  wish.shares = *shares ? **shares : model::uniform_shares(wish.rows, wish.batch * wish.pooling);
  const auto plan = model::plan_stream(wish);
  if (!plan) return session.fail(plan.error());
  const std::string path = std::exchange(session.output, {});
  const auto stream = model::make_stream(wish, *plan);
  if (auto written = write_output(
          path, study::format_stream(stream, wish.pooling, path.ends_with(".npy")), session.force);
      !written)
    return session.fail(written.error());
  if (path == "-") return kOk;
  return session.deliver(present::stream_text(wish, *plan, path, session.out_style()),
                         [&] { return present::stream_json(wish, *plan, path); });
}

int time_lookups(const EmbeddingsOptions& options, Session& session) {
  if (options.words.size() > 2)
    return session.fail({Errc::usage, "embeddings time", "one file of indices at a time", ""});
  study::LookupQuestion question;
  question.lookup = {0, options.batch, options.pooling, options.rows, options.features};
  question.devices = options.devices;
  question.nets = options.nets;
  const auto shares = histogram_of(options);
  if (!shares) return session.fail(shares.error());
  question.histogram = *shares;
  question.lookup.tables = options.tables;
  const auto format = graph::format_of(options.dtype);
  if (!format || graph::bits_of(*format) < 8)
    return session.fail(
        {Errc::usage, "--dtype", "no such format of weights", "fp32, fp16, bf16, fp8 or int8"});
  question.format = *format;
  if (options.words.size() > 1) {
    question.indices = options.words[1];
    question.shape = shape_of(options);
    question.lookup.tables = question.lookup.pooling = 0;  // they were the file's
  } else if (!options.offsets.empty() || !options.lengths.empty()) {
    return session.fail({Errc::usage, "--offsets", "of which indices?",
                         "orrery embeddings time indices.npy --offsets offsets.npy --features 64"});
  }
  if (question.devices.empty()) question.devices = {"h100-sxm"};
  const auto answer = study::predict_lookup(question);
  if (!answer) return session.fail(answer.error());
  return session.deliver(present::lookup_text(*answer, session.out_style()),
                         [&] { return present::lookup_json(*answer); });
}

constexpr std::array<Mode<const EmbeddingsOptions>, 3> kEmbeddingsModes = {
    {{"histogram", histogram}, {"synthesize", synthesize}, {"time", time_lookups}}};

int embeddings(CLI::App& command, const EmbeddingsOptions& options, const ModeActions& added,
               Session& session) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  const auto* const mode = find_mode(kEmbeddingsModes, first);
  const auto other = added.find(first);
  if (mode != nullptr || other != added.end()) {
    if (auto fine = check_mode(command, "'" + first + "'"); !fine)
      return session.fail(fine.error());
    return other != added.end() ? other->second() : mode->run(options, session);
  }
  const std::string near = did_you_mean(first, embeddings_words());
  return session.fail({Errc::usage, "embeddings",
                       first.empty() ? "what about them?" : "cannot do " + in_quotes(first),
                       near.empty() ? join(embeddings_words()) : near});
}

}  // namespace

std::vector<std::string_view> embeddings_words() {
  return with_added_modes("embeddings", names_of(kEmbeddingsModes));
}

Action add_embeddings(CLI::App& command, Session& session) {
  describe(
      command,
      std::string(
          "Within a batch, rows of embedding tables are read again. Streams of indices with\n"
          "the same reuse can be generated; lookups are predicted forward and backward:\n"
          "  orrery embeddings histogram FILE…   text, CSV or NumPy's .npy; how often rows are "
          "read\n"
          "  orrery embeddings synthesize        a stream with such a histogram (.npy, else text)\n"
          "  orrery embeddings time [FILE]       lookup times, and the hit rates of caches\n") +
          added_usage("embeddings") +
          "\n"
          "Examples:\n"
          "  orrery embeddings histogram indices.npy --offsets offsets.npy\n"
          "  orrery embeddings time --tables 26 --batch 2048 --pooling 20 --rows 1000000 "
          "--features "
          "64\n");
  const auto options = std::make_shared<EmbeddingsOptions>();
  add_fields(command, *options);
  const ModeActions added = add_modes("embeddings", command, *options, session);
  session.add_options(command);
  return [options, added, &command, &session] {
    return embeddings(command, *options, added, session);
  };
}

}  // namespace orrery::app
