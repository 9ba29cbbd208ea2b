// SPDX-License-Identifier: Apache-2.0
//
// orrery search: the best plans of a job on a cluster.
#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "arguments.h"
#include "inputs.h"
#include "orrery/present/plan_search_text.h"
#include "output_file.h"
#include "progress.h"

namespace orrery::app {

namespace {

struct SearchOptions {
  search::PlanQuestion question;
  std::string gpu;
  std::int64_t gpus = 0;
};

Result<void> settle_cluster(SearchOptions& options) {
  if (options.question.cluster.empty()) {
    if (options.gpu.empty() || options.gpus == 0)
      return fail(Errc::usage, "--cluster", "is missing",
                  "give a cluster file, or --gpu and --gpus: --gpu h100-sxm --gpus 256");
    options.question.cluster = options.gpu + ":" + std::to_string(options.gpus);
    return {};
  }
  if (!options.gpu.empty() || options.gpus != 0)
    return fail(Errc::usage, "--gpu", "the cluster says it already",
                "give --cluster, or --gpu and --gpus");
  return {};
}

int find_plans(SearchOptions& options, Session& session) {
  if (auto fine = settle_cluster(options); !fine) return session.fail(fine.error());
  if (!options.question.job.given())
    return session.fail({Errc::usage, "--model", "is missing",
                         "a model of the catalogue, or a specification: --spec job.yaml"});
  const std::string path = std::exchange(session.output, {});
  if (!path.empty())
    if (auto fine = check_absent(path, session.force); !fine) return session.fail(fine.error());
  Progress progress(session);
  const std::map<std::string, Progress::Phase> phases{
      {"fit", {"fit", "fitting", "plans"}},
      {"estimate", {"estimate", "estimating", "plans"}},
      {"simulate", {"simulate", "simulating", "plans"}}};
  const auto found = search::search_plans(options.question,
                                          [&](const char* what, std::size_t done, std::size_t of) {
                                            progress.tell(phases.at(what), done, of);
                                          });
  progress.clear();
  if (!found) return session.fail(found.error());
  if (!path.empty() && !found->best.empty())
    if (auto written =
            write_output(path, workload::to_yaml(found->best.front().spec), session.force);
        !written)
      return session.fail(written.error());
  return session.deliver(
      present::plan_search_text(*found, session.out_style()),
      [&] { return present::plan_search_json(*found); }, found->best.empty() ? kSaysNo : kOk);
}

}  // namespace

void add_search(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("search", "Find the best plans of a job on a cluster");
  command->description(
      "Find the best plans of a job on a cluster: tensor, pipeline, data and expert parallel,\n"
      "microbatch, chunks, sharding, and as much recomputation as memory asks for. Every plan "
      "that\n"
      "fits is estimated, the best are simulated. What an option gives of the plan is tried "
      "alone;\n"
      "several values go with commas (--tp 4,8).\n"
      "Exit code: 0, or 1 where no plan fits.\n\n"
      "Examples:\n"
      "  orrery search --model llama-3-70b --gpu h100-sxm --gpus 256\n"
      "  orrery search --spec job.yaml --cluster cluster.yaml --tp 4,8 --gear estimate -o "
      "best.yaml\n");
  const auto options = std::make_shared<SearchOptions>();
  command->add_option("--gpu", options->gpu, "A device of the catalogue, instead of --cluster")
      ->type_name("NAME");
  command->add_option("--gpus", options->gpus, "How many of them")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  command->add_option("--cluster", options->question.cluster, "The cluster, or a name:devices")
      ->type_name("FILE");
  command
      ->add_option("--gear", options->question.gear,
                   "estimate; simulate: every plan; or auto: the best of the estimated ones")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, search::Gear>{{"estimate", search::Gear::estimate},
                                              {"simulate", search::Gear::simulate},
                                              {"auto", search::Gear::automatic}}))
      ->type_name("GEAR");
  command->add_option("--best", options->question.best, "How many plans to show")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--simulated", options->question.simulated,
                   "How many to simulate of those that are estimated best")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--threads", options->question.threads, "0: as many as there are cores")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  add_spec_options(*command, options->question.job, false);
  session.add_options(*command, true);
  command->get_option("--output")->description("Write the best plan, as a specification");
  command->callback([options, &session] {
    session.command = "search";
    session.action = [options, &session] { return find_plans(*options, session); };
  });
}

}  // namespace orrery::app
