// SPDX-License-Identifier: Apache-2.0
//
// orrery search: the best plans of a job on a cluster.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/options/input_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/commands/progress.h"
#include "orrery/commands/search/search_space.h"
#include "orrery/present/search/search_plans_answer.h"
#include "orrery/study/questions/device_price.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

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
                    "Devices of the catalog"}
          .comma_separated(),
      QuestionField{"counts", &SearchOptions::counts, "--gpus", "N", kAnswer, "8",
                    "Numbers of devices, one cluster each"}
          .comma_separated(),
      QuestionField{"clusters", &SearchOptions::clusters, "--cluster", "FILES", kAnswer,
                    "a100-40gb:8", "Clusters: files, or NAME:DEVICES"},
      QuestionField{"prices", &SearchOptions::prices, "--price", "NAME=PRICE", kAnswer,
                    "h100-sxm=2.5",
                    "Price of a device per hour; without prices, cost is in device hours"}
          .comma_separated(),
      QuestionStruct{"question", &SearchOptions::question}};
};

/// The clusters to search: those that are named, and each device in each number.
Result<std::vector<std::string>> clusters_of(const SearchOptions& options) {
  std::vector<std::string> clusters = options.clusters;
  if (options.gpus.empty() != options.counts.empty())
    return fail(Errc::usage, options.gpus.empty() ? "--gpu" : "--gpus", "is missing",
                "--gpu h100-sxm --gpus 256");
  for (const std::int64_t count : options.counts)
    if (count < 1 || count > 1 << 24)
      return fail(Errc::usage, "--gpus", std::to_string(count) + " is not a number of devices",
                  "1 to 16,777,216");
  for (const std::string& gpu : options.gpus)
    for (const std::int64_t count : options.counts)
      clusters.push_back(gpu + ":" + std::to_string(count));
  if (clusters.empty())
    return fail(Errc::usage, "--cluster", "is missing",
                "give a cluster file, or --gpu and --gpus: --gpu h100-sxm --gpus 256");
  return clusters;
}

/// Prices by device. A price without a name applies to every device of the clusters.
Result<std::map<std::string, double>> prices_by_device(const SearchOptions& options,
                                                       const std::vector<std::string>& clusters) {
  std::map<std::string, double> prices;
  for (const std::string& text : options.prices) {
    const auto price = study::parse_device_price(text);
    if (!price) return tl::unexpected(price.error());
    if (!price->device.empty()) {
      prices[price->device] = price->price;
      continue;
    }
    for (const std::string& cluster : clusters)
      prices[std::string(explore::device_of(cluster))] = price->price;
  }
  return prices;
}

explore::PlanProgress report_to(Progress& progress) {
  static const std::map<std::string, Progress::Phase> phases{
      {"fit", {"fit", "fitting", "plans"}},
      {"cost", {"cost", "simulating the operations of", "plans"}},
      {"estimate", {"estimate", "estimating", "plans"}},
      {"simulate", {"simulate", "simulating", "plans"}}};
  return [&progress](const char* what, std::size_t done, std::size_t of) {
    progress.update(phases.at(what), done, of);
  };
}

int write_best(const explore::PlanSearch& found, const std::string& path, const Context& context) {
  if (path.empty() || found.best.empty()) return kOk;
  auto written = write_output(path, workload::to_yaml(found.best.front().spec), context.force);
  return written ? kOk : context.fail(written.error());
}

/// Whether it ends before the deadline.
bool in_time(const explore::PlanAnswer& plan) { return !plan.budget || !plan.budget->late; }

int find_cluster(const SearchOptions& options, std::vector<std::string> clusters,
                 Context& context) {
  const auto prices = prices_by_device(options, clusters);
  if (!prices) return context.fail(prices.error());
  if (!context.output.empty())
    return context.fail(
        {Errc::usage, "--output", "stores the plan of one cluster", "give one cluster, or --json"});
  Progress progress(context);
  const auto found = explore::search_clusters({options.question, std::move(clusters), *prices},
                                              report_to(progress));
  progress.clear();
  if (!found) return context.fail(found.error());
  const bool any = std::any_of(found->begin(), found->end(), [](const explore::ClusterAnswer& one) {
    return one.fits() && in_time(one.search.best.front());
  });
  return context.deliver(
      [&](report::Answer& answer) {
        present::state_search_clusters(answer, *found, !prices->empty(), options.question.budget);
      },
      any ? kOk : kSaysNo);
}

int find_in_space(const SearchOptions& options, Context& context) {
  const bool job = options.question.job.given(), cluster = !options.clusters.empty() ||
                                                           !options.gpus.empty() ||
                                                           !options.counts.empty();
  if (job || cluster || !options.prices.empty())
    return context.fail(
        {Errc::usage, "SPACE",
         std::string("already contains the ") + (job       ? "job"
                                                 : cluster ? "clusters"
                                                           : "prices"),
         "leave these options out; docs/reference/space.md describes the keys of a space"});
  if (options.question.budget.given())
    return context.fail(
        {Errc::usage, "--tokens", "is for the plans of a job, not for a space", "leave it out"});
  explore::ExploreOptions how;
  how.evaluation = options.question.evaluation;
  how.simulated = options.question.simulated;
  how.answers.threads = options.question.threads;
  return search_space(options.space, how, options.question.best, context);
}

int find_plans(SearchOptions& options, Context& context) {
  if (!options.space.file.empty()) return find_in_space(options, context);
  if (const std::string given = options.space.given(); !given.empty())
    return context.fail({Errc::usage, given, "needs a space, and none is given",
                         "orrery search space.yaml -o points.jsonl"});
  if (!options.question.job.given())
    return context.fail({Errc::usage, "--model", "is missing",
                         "a model of the catalog, or a specification: --spec job.yaml"});
  auto clusters = clusters_of(options);
  if (!clusters) return context.fail(clusters.error());
  if (clusters->size() > 1 || !options.prices.empty())
    return find_cluster(options, *std::move(clusters), context);
  options.question.cluster = clusters->front();
  const std::string path = std::exchange(context.output, {});
  if (!path.empty())
    if (auto fine = check_absent(path, context.force); !fine) return context.fail(fine.error());
  Progress progress(context);
  const auto found = explore::search_plans(options.question, report_to(progress));
  progress.clear();
  if (!found) return context.fail(found.error());
  if (const int code = write_best(*found, path, context); code != kOk) return code;
  return context.deliver(
      [&](report::Answer& answer) {
        present::state_search_plans(answer, *found, options.question.budget);
      },
      std::any_of(found->best.begin(), found->best.end(), in_time) ? kOk : kSaysNo);
}

}  // namespace

Action add_search(CommandOptions& command, Context& context) {
  describe(
      command,
      "Varies degrees of parallelism, microbatch, chunks, sharding, and as much recomputation as\n"
      "memory requires. Every plan that fits is estimated, the best are simulated. --tp 4,8 tries\n"
      "both values. A SPACE varies more, and any cluster; with -o its points are stored, and the\n"
      "same command continues after an interruption. Exit code 1: no plan fits, or all miss the\n"
      "deadline.\n"
      "\n"
      "Examples:\n"
      "  orrery search --model llama-3-70b --gpu h100-sxm --gpus 256\n"
      "  orrery search --model llama-3-70b --gpu h100-sxm --gpus 512,1024 --tokens 15e12\n"
      "  orrery search space.yaml -o points.jsonl\n"
      "  mpirun -n 64 orrery search space.yaml -o points.jsonl --executor mpi\n");
  const auto options = std::make_shared<SearchOptions>();
  add_fields(command, *options);
  context.add_options(command);
  command.on_given = [options, &context] {
    context.continues_output = !options->space.file.empty();
  };
  return [options, &context] { return find_plans(*options, context); };
}

}  // namespace orrery::commands
