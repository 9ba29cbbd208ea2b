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
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/present/kernels/embeddings_text.h"
#include "progress.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct EmbeddingsOptions {
  std::vector<std::string> words;
  std::string offsets, lengths;
  std::int64_t tables = 0, batch = 0, pooling = 0, rows = 0, features = 0;
  std::string dtype = "fp32", histogram, like;
  std::vector<std::string> devices;
  std::int64_t seed = 1;
  std::string nets;
  int epochs = 0;

  static constexpr std::string_view group = "Indices";
  static constexpr auto fields = std::tuple{
      QuestionField{"words", &EmbeddingsOptions::words, "WORDS", "", kAnswer, "time",
                    "histogram FILES, synthesize, time and perhaps a FILE, or fit TABLES"},
      QuestionField{"offsets", &EmbeddingsOptions::offsets, "--offsets", "FILE", kAnswer,
                    "offsets.npy", "Where bags begin among the indices"}
          .only_for("'histogram', 'time'"),
      QuestionField{"lengths", &EmbeddingsOptions::lengths, "--lengths", "FILE", kAnswer,
                    "lengths.npy", "How many indices each bag has"}
          .only_for("'histogram', 'time'"),
      QuestionGroup{"Sizes"},
      QuestionField{"tables", &EmbeddingsOptions::tables, "--tables", "N", kAnswer, "2",
                    "Tables; of a file: bags are the first one's, the second's …"}
          .only_for("'histogram', 'time'"),
      QuestionField{"batch", &EmbeddingsOptions::batch, "--batch", "N", kAnswer, "64",
                    "Bags of a table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"pooling", &EmbeddingsOptions::pooling, "--pooling", "N", kAnswer, "3",
                    "Lookups of a bag"}
          .only_for("'histogram', 'synthesize', 'time'"),
      QuestionField{"rows", &EmbeddingsOptions::rows, "--rows", "N", kAnswer, "5000",
                    "Rows of a table"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"features", &EmbeddingsOptions::features, "--features,--dim", "N", kAnswer,
                    "32", "Numbers of a row"}
          .only_for("'time'"),
      QuestionField{"dtype", &EmbeddingsOptions::dtype, "--dtype", "FORMAT", kAnswer, "fp16",
                    "Format of the weights; fp32"}
          .only_for("'time'"),
      QuestionGroup{"Reuse"},
      QuestionField{"histogram", &EmbeddingsOptions::histogram, "--histogram", "WHAT", kAnswer,
                    "shares.txt",
                    "Shares of rows by how often they are read: 17 numbers, or their file"}
          .only_for("'synthesize', 'time'"),
      QuestionField{"like", &EmbeddingsOptions::like, "--like", "FILE", kAnswer, "indices.npy",
                    "Indices with such a histogram"}
          .only_for("'synthesize', 'time'"),
      QuestionGroup{"Output"},
      QuestionField{"devices", &EmbeddingsOptions::devices, "--device", "NAMES", kAnswer,
                    "a100-40gb", "Devices of the catalogue, commas between; h100-sxm"}
          .only_for("'time'")
          .comma_separated()
          .one_each(),
      QuestionField{"seed", &EmbeddingsOptions::seed, "--seed", "N", kAnswer, "2",
                    "Which of all streams; fit: what is by chance; 1"}
          .only_for("'synthesize', 'fit'"),
      QuestionField{"nets", &EmbeddingsOptions::nets, "--lookup-model", "FILE", kAnswer, "my.nets",
                    "time: nets that 'embeddings fit' wrote"}
          .only_for("'time'"),
      QuestionField{"epochs", &EmbeddingsOptions::epochs, "--epochs", "N", kAnswer, "3",
                    "fit: how often each lookup is seen; 120"}
          .only_for("'fit'")};
};

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

int fit_lookups(const EmbeddingsOptions& options, Session& session) {
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "embeddings fit", "to which lookups?",
                         "no measured lookups come with the program, so no net is trained: "
                         "orrery embeddings fit lookups.csv -o my.nets"});
  const std::string path = std::exchange(session.output, {});
  if (path.empty() || path == "-")
    return session.fail({Errc::usage, "--output", "where shall the nets go?", "-o FILE"});
  Progress progress(session);
  const Progress::Phase fitting{"fit", "fitting", "nets"};
  progress.begin(fitting, 0);
  std::uint64_t done = 0;
  const auto fit =
      study::fit_lookups({options.words.begin() + 1, options.words.end()}, options.epochs,
                         static_cast<std::uint64_t>(options.seed),
                         [&](const model::DeviceLookupNet&) { progress.tell(fitting, ++done, 0); });
  progress.clear();
  if (!fit) return session.fail(fit.error());
  if (auto written = write_output(path, fit->file, session.force); !written)
    return session.fail(written.error());
  return session.deliver(present::lookup_fit_text(*fit, path, session.out_style()),
                         [&] { return present::lookup_fit_json(*fit, path); });
}

constexpr std::array<Mode<const EmbeddingsOptions>, 4> kEmbeddingsModes = {
    {{"histogram", histogram},
     {"synthesize", synthesize},
     {"time", time_lookups},
     {"fit", fit_lookups}}};

int embeddings(CLI::App& command, const EmbeddingsOptions& options, Session& session) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  if (const auto* const mode = find_mode(kEmbeddingsModes, first)) {
    if (auto fine = check_mode(command, "'" + first + "'"); !fine)
      return session.fail(fine.error());
    return mode->run(options, session);
  }
  const std::string near = did_you_mean(first, embeddings_words());
  return session.fail({Errc::usage, "embeddings",
                       first.empty() ? "what about them?" : "cannot do " + in_quotes(first),
                       near.empty() ? "histogram, synthesize, time or fit" : near});
}

}  // namespace

std::vector<std::string_view> embeddings_words() { return names_of(kEmbeddingsModes); }

Action add_embeddings(CLI::App& command, Session& session) {
  describe(
      command,
      "Within a batch, rows of embedding tables are read again. Streams of indices with\n"
      "the same reuse can be generated; lookups are predicted forward and backward:\n"
      "  orrery embeddings histogram FILE…   text, CSV or NumPy's .npy; how often rows are read\n"
      "  orrery embeddings synthesize        a stream with such a histogram (.npy, else text)\n"
      "  orrery embeddings time [FILE]       lookup times, and the hit rates of caches\n"
      "  orrery embeddings fit CSV… -o NETS  nets for --lookup-model, trained on measured lookups\n"
      "\n"
      "Examples:\n"
      "  orrery embeddings histogram indices.npy --offsets offsets.npy\n"
      "  orrery embeddings time --tables 26 --batch 2048 --pooling 20 --rows 1000000 --features "
      "64\n");
  const auto options = std::make_shared<EmbeddingsOptions>();
  add_fields(command, *options);
  session.add_options(command);
  return [options, &command, &session] { return embeddings(command, *options, session); };
}

}  // namespace orrery::app
