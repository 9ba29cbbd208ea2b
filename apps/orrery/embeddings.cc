// SPDX-License-Identifier: Apache-2.0
//
// orrery embeddings: how often rows of tables are read again, and what that makes of lookups.
#include "orrery/study/embeddings.h"

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "orrery/core/suggest.h"
#include "orrery/core/text.h"
#include "orrery/present/embeddings_text.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct EmbeddingsOptions {
  std::vector<std::string> words;
  trace::BagShape shape;
  study::LookupQuestion question;
  std::string histogram, like, dtype = "fp32";
  std::int64_t tables = 0, seed = 1;
  int epochs = 0;
};

/// Options that say something of others than `mode`.
Result<void> check_stray(std::initializer_list<std::pair<const char*, bool>> given,
                         const std::string& mode) {
  for (const auto& [option, is] : given)
    if (is)
      return fail(Errc::usage, option, "says nothing to 'embeddings " + mode + "'", "leave it out");
  return {};
}

trace::BagShape shape_of(const EmbeddingsOptions& options) {
  trace::BagShape shape = options.shape;
  shape.pooling = options.question.lookup.pooling;
  shape.tables = options.tables == 0 ? 1 : options.tables;
  return shape;
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
  const auto tables = study::reuse_in({options.like}, {});
  if (!tables) return tl::unexpected(tables.error());
  model::Reuse all;
  for (const study::TableReuse& is : *tables) all += is.reuse;
  return all.shares();
}

int histogram(const EmbeddingsOptions& options, Session& session) {
  const model::Lookup& sizes = options.question.lookup;
  if (auto fine = check_stray({{"--histogram", !options.histogram.empty()},
                               {"--like", !options.like.empty()},
                               {"--batch", sizes.batch != 0},
                               {"--rows", sizes.rows != 0},
                               {"--features", sizes.features != 0},
                               {"--device", !options.question.devices.empty()},
                               {"--seed", options.seed != 1}},
                              "histogram");
      !fine)
    return session.fail(fine.error());
  if (options.words.size() < 2)
    return session.fail({Errc::usage, "embeddings histogram", "of which indices?",
                         "orrery embeddings histogram indices.npy --offsets offsets.npy"});
  const auto tables =
      study::reuse_in({options.words.begin() + 1, options.words.end()}, shape_of(options));
  if (!tables) return session.fail(tables.error());
  return session.deliver(present::histogram_text(*tables, session.out_style()),
                         [&] { return present::histogram_json(*tables); });
}

int synthesize(const EmbeddingsOptions& options, Session& session) {
  const model::Lookup& sizes = options.question.lookup;
  if (auto fine = check_stray({{"--features", sizes.features != 0},
                               {"--tables", options.tables != 0},
                               {"--offsets", !options.shape.offsets.empty()},
                               {"--lengths", !options.shape.lengths.empty()},
                               {"--device", !options.question.devices.empty()},
                               {"FILE", options.words.size() > 1}},
                              "synthesize");
      !fine)
    return session.fail(fine.error());
  const auto shares = histogram_of(options);
  if (!shares) return session.fail(shares.error());
  model::StreamWish wish{sizes.batch, sizes.pooling, sizes.rows, {}, 1};
  wish.seed = static_cast<std::uint64_t>(options.seed);
  for (const auto& [option, missing] :
       {std::pair{"--batch", wish.batch == 0}, std::pair{"--pooling", wish.pooling == 0},
        std::pair{"--rows", wish.rows == 0}, std::pair{"--output", session.output.empty()}})
    if (missing)
      return session.fail({Errc::usage, option, "is missing",
                           "orrery embeddings synthesize --batch 2048 --pooling 20 --rows 1000000 "
                           "--like indices.npy -o made.npy"});
  wish.shares = *shares ? **shares : model::even_shares(wish.rows, wish.batch * wish.pooling);
  const auto plan = model::plan_stream(wish);
  if (!plan) return session.fail(plan.error());
  const std::string path = std::exchange(session.output, {});
  const auto stream = model::make_stream(wish, *plan);
  if (auto written = write_output(
          path, study::stream_file(stream, wish.pooling, path.ends_with(".npy")), session.force);
      !written)
    return session.fail(written.error());
  if (path == "-") return kOk;
  return session.deliver(present::stream_text(wish, *plan, path, session.out_style()),
                         [&] { return present::stream_json(wish, *plan, path); });
}

int time_lookups(const EmbeddingsOptions& options, Session& session) {
  if (options.words.size() > 2)
    return session.fail({Errc::usage, "embeddings time", "one file of indices at a time", ""});
  if (options.seed != 1)
    return session.fail(
        {Errc::usage, "--seed", "says nothing to 'embeddings time'", "leave it out"});
  study::LookupQuestion question = options.question;
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
  } else if (!options.shape.offsets.empty() || !options.shape.lengths.empty()) {
    return session.fail({Errc::usage, "--offsets", "of which indices?",
                         "orrery embeddings time indices.npy --offsets offsets.npy --features 64"});
  }
  if (question.devices.empty()) question.devices = {"h100-sxm"};
  const auto answer = study::time_lookup(question);
  if (!answer) return session.fail(answer.error());
  return session.deliver(present::lookup_text(*answer, session.out_style()),
                         [&] { return present::lookup_json(*answer); });
}

int fit_lookups(const EmbeddingsOptions& options, Session& session) {
  const model::Lookup& sizes = options.question.lookup;
  if (auto fine = check_stray({{"--histogram", !options.histogram.empty()},
                               {"--like", !options.like.empty()},
                               {"--batch", sizes.batch != 0},
                               {"--rows", sizes.rows != 0},
                               {"--features", sizes.features != 0},
                               {"--device", !options.question.devices.empty()},
                               {"--lookup-model", !options.question.nets.empty()}},
                              "fit");
      !fine)
    return session.fail(fine.error());
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
                         [&](const model::LookupNetOf&) { progress.tell(fitting, ++done, 0); });
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

int embeddings(const EmbeddingsOptions& options, Session& session) {
  const std::string first = options.words.empty() ? "" : options.words.front();
  if (const auto* const mode = find_mode(kEmbeddingsModes, first))
    return mode->run(options, session);
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
  command
      .add_option("WORDS", options->words,
                  "histogram FILES, synthesize, time and perhaps a FILE, or fit TABLES")
      ->type_name("");
  const auto option = [&](const char* names, auto& value, const char* about, const char* type,
                          const char* group) {
    return command.add_option(names, value, about)->type_name(type)->group(group);
  };
  option("--offsets", options->shape.offsets, "Where bags begin among the indices", "FILE",
         "Indices");
  option("--lengths", options->shape.lengths, "How many indices each bag has", "FILE", "Indices");
  option("--tables", options->tables, "Tables; of a file: bags are the first one's, the second's …",
         "N", "Sizes");
  model::Lookup& sizes = options->question.lookup;
  sizes = {0, 0, 0, 0, 0};
  option("--batch", sizes.batch, "Bags of a table", "N", "Sizes");
  option("--pooling", sizes.pooling, "Lookups of a bag", "N", "Sizes");
  option("--rows", sizes.rows, "Rows of a table", "N", "Sizes");
  option("--features,--dim", sizes.features, "Numbers of a row", "N", "Sizes");
  option("--dtype", options->dtype, "Format of the weights; fp32", "FORMAT", "Sizes");
  option("--histogram", options->histogram,
         "Shares of rows by how often they are read: 17 numbers, or their file", "WHAT", "Reuse");
  option("--like", options->like, "Indices with such a histogram", "FILE", "Reuse");
  option("--device", options->question.devices,
         "Devices of the catalogue, commas between; h100-sxm", "NAMES", "Output")
      ->delimiter(',')
      ->allow_extra_args(false);
  option("--seed", options->seed, "Which of all streams; fit: what is by chance; 1", "N", "Output");
  option("--lookup-model", options->question.nets, "time: nets that 'embeddings fit' wrote", "FILE",
         "Output");
  option("--epochs", options->epochs, "fit: how often each lookup is seen; 120", "N", "Output");
  session.add_options(command);
  return [options, &session] { return embeddings(*options, session); };
}

}  // namespace orrery::app
