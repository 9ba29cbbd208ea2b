// SPDX-License-Identifier: Apache-2.0
//
// orrery search: the best plans of a job on a cluster.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "options/input_options.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/search/search_plans_text.h"
#include "output_file.h"
#include "progress.h"
#include "question_options.h"
#include "search/search_space.h"

namespace orrery::app {

namespace {

struct SearchOptions {
  SpaceOptions space;
  std::vector<std::string> gpus;
  std::vector<std::int64_t> counts;
  std::vector<std::string> clusters, prices;
  explore::PlanQuestion question;

  static constexpr auto fields = std::tuple{
      QuestionStruct{"space", &SearchOptions::space},
      QuestionField{"gpus", &SearchOptions::gpus, "--gpu", "NAMES", kAnswer, "a100-40gb",
                    "Devices of the catalogue"}
          .comma_separated(),
      QuestionField{"counts", &SearchOptions::counts, "--gpus", "N", kAnswer, "8",
                    "How many of them"}
          .comma_separated(),
      QuestionField{"clusters", &SearchOptions::clusters, "--cluster", "FILES", kAnswer,
                    "a100-40gb:8", "Clusters: files, or NAME:DEVICES"},
      QuestionField{"prices", &SearchOptions::prices, "--price", "NAME=PRICE", kAnswer,
                    "h100-sxm=2.5",
                    "What a device costs for an hour, in any money; without, device hours count"}
          .comma_separated(),
      QuestionStruct{"question", &SearchOptions::question}};
};

/// All that are asked about: those that are named, and each device in each number.
Result<std::vector<std::string>> clusters_of(const SearchOptions& options) {
  std::vector<std::string> clusters = options.clusters;
  if (options.gpus.empty() != options.counts.empty())
    return fail(Errc::usage, options.gpus.empty() ? "--gpu" : "--gpus", "is missing",
                "--gpu h100-sxm --gpus 256");
  for (const std::int64_t count : options.counts)
    if (count < 1 || count > 1 << 24)
      return fail(Errc::usage, "--gpus", std::to_string(count) + " is no number of devices",
                  "1 to 16,777,216");
  for (const std::string& gpu : options.gpus)
    for (const std::int64_t count : options.counts)
      clusters.push_back(gpu + ":" + std::to_string(count));
  if (clusters.empty())
    return fail(Errc::usage, "--cluster", "is missing",
                "give a cluster file, or --gpu and --gpus: --gpu h100-sxm --gpus 256");
  return clusters;
}

/// "h100-sxm=2.5"
Result<std::map<std::string, double>> prices_of(const SearchOptions& options) {
  std::map<std::string, double> prices;
  for (const std::string& text : options.prices) {
    const std::size_t at = text.find('=');
    const auto price =
        parse_number(at == std::string::npos ? "" : std::string_view(text).substr(at + 1));
    if (!price)
      return fail(Errc::usage, "--price", in_quotes(text) + " is no price",
                  "NAME=PRICE, of a device for an hour: h100-sxm=2.5");
    prices[text.substr(0, at)] = *price;
  }
  return prices;
}

explore::PlanProgress told_by(Progress& progress) {
  static const std::map<std::string, Progress::Phase> phases{
      {"fit", {"fit", "fitting", "plans"}},
      {"estimate", {"estimate", "estimating", "plans"}},
      {"simulate", {"simulate", "simulating", "plans"}}};
  return [&progress](const char* what, std::size_t done, std::size_t of) {
    progress.tell(phases.at(what), done, of);
  };
}

int write_best(const explore::PlanSearch& found, const std::string& path, const Session& session) {
  if (path.empty() || found.best.empty()) return kOk;
  auto written = write_output(path, workload::to_yaml(found.best.front().spec), session.force);
  return written ? kOk : session.fail(written.error());
}

int find_cluster(const SearchOptions& options, std::vector<std::string> clusters,
                 Session& session) {
  const auto prices = prices_of(options);
  if (!prices) return session.fail(prices.error());
  if (!session.output.empty())
    return session.fail(
        {Errc::usage, "--output", "keeps the plan of one cluster", "give one cluster, or --json"});
  Progress progress(session);
  const auto found =
      explore::search_clusters({options.question, std::move(clusters), *prices}, told_by(progress));
  progress.clear();
  if (!found) return session.fail(found.error());
  const bool any = std::any_of(found->begin(), found->end(),
                               [](const explore::ClusterAnswer& one) { return one.fits(); });
  return session.deliver(
      present::search_clusters_text(*found, !prices->empty(), session.out_style()),
      [&] { return present::search_clusters_json(*found, !prices->empty()); }, any ? kOk : kSaysNo);
}

int find_in_space(const SearchOptions& options, Session& session) {
  const bool job = options.question.job.given(), cluster = !options.clusters.empty() ||
                                                           !options.gpus.empty() ||
                                                           !options.counts.empty();
  if (job || cluster || !options.prices.empty())
    return session.fail({Errc::usage, "SPACE",
                         std::string("has the ") +
                             (job       ? "job"
                              : cluster ? "clusters"
                                        : "prices") +
                             " in it, which options give, too",
                         "leave them out; `--help` of a space's keys is docs/reference/space.md"});
  explore::ExploreOptions how;
  how.evaluation = options.question.evaluation;
  how.simulated = options.question.simulated;
  how.answers.threads = options.question.threads;
  return search_space(options.space, how, options.question.best, session);
}

int find_plans(SearchOptions& options, Session& session) {
  if (!options.space.file.empty()) return find_in_space(options, session);
  if (const std::string given = options.space.given(); !given.empty())
    return session.fail({Errc::usage, given, "is of a space, and none is given",
                         "orrery search space.yaml -o points.jsonl"});
  if (!options.question.job.given())
    return session.fail({Errc::usage, "--model", "is missing",
                         "a model of the catalogue, or a specification: --spec job.yaml"});
  auto clusters = clusters_of(options);
  if (!clusters) return session.fail(clusters.error());
  if (clusters->size() > 1 || !options.prices.empty())
    return find_cluster(options, *std::move(clusters), session);
  options.question.cluster = clusters->front();
  const std::string path = std::exchange(session.output, {});
  if (!path.empty())
    if (auto fine = check_absent(path, session.force); !fine) return session.fail(fine.error());
  Progress progress(session);
  const auto found = explore::search_plans(options.question, told_by(progress));
  progress.clear();
  if (!found) return session.fail(found.error());
  if (const int code = write_best(*found, path, session); code != kOk) return code;
  return session.deliver(
      present::search_plans_text(*found, session.out_style()),
      [&] { return present::search_plans_json(*found); }, found->best.empty() ? kSaysNo : kOk);
}

}  // namespace

Action add_search(CLI::App& command, Session& session) {
  describe(command,
           "Tensor, pipeline, context, data and expert parallel, microbatch, chunks, sharding,\n"
           "and as much recomputation as memory requires. Every plan that fits is estimated,\n"
           "the best are simulated. An option of the plan fixes that part of it; --tp 4,8\n"
           "tries both values. Of several clusters the best plan of each is shown, and which\n"
           "clusters are best in time and cost (Pareto front).\n"
           "A SPACE has a job and a cluster with names in them, the values of these names,\n"
           "constraints and objectives; with -o its points are stored, and the same command\n"
           "continues after an interruption.\n"
           "Exit code: 0, or 1 if no plan fits.\n"
           "\n"
           "Examples:\n"
           "  orrery search --model llama-3-70b --gpu h100-sxm --gpus 256\n"
           "  orrery search space.yaml -o points.jsonl\n"
           "  orrery search space.yaml --html points.html\n"
           "  mpirun -n 64 orrery search space.yaml -o points.jsonl --executor mpi\n");
  const auto options = std::make_shared<SearchOptions>();
  add_fields(command, *options);
  session.add_options(command);
  command.parse_complete_callback(
      [options, &session] { session.goes_on = !options->space.file.empty(); });
  return [options, &session] { return find_plans(*options, session); };
}

}  // namespace orrery::app
