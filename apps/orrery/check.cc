// SPDX-License-Identifier: Apache-2.0
//
// orrery check: are these files fit to be simulated?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "arguments.h"
#include "inputs.h"
#include "orrery/analysis/consistency.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/platform/cluster.h"
#include "orrery/report/envelope.h"
#include "orrery/report/json.h"
#include "progress.h"

namespace orrery::app {

namespace {

/// Everything that was looked at.
struct Checked {
  struct Item {
    std::string what;  ///< "cluster", "workload", "ranks"
    std::string text;  ///< what was found to be fine
  };
  std::vector<Item> fine;
  std::vector<Error> errors;          ///< unreadable or damaged inputs
  analysis::Consistency consistency;  ///< readable inputs that do not fit together
  Findings findings;
  std::optional<platform::Platform> cluster;  ///< as it was read

  [[nodiscard]] int exit() const {
    if (!errors.empty()) return exit_code(errors.front().code);
    return consistency.count > 0 ? kSaysNo : kOk;
  }
};

Checked look(const InputOptions& options, const Session& session) {
  Checked checked;
  std::optional<platform::Platform>& platform = checked.cluster;
  std::uint32_t ranks = 0;
  if (options.astra() || !options.cluster.empty()) {
    auto read = study::read_platform(options, checked.findings);
    const std::int64_t devices = read ? read->npu_count() : 0;
    if (!read) {
      checked.errors.push_back(read.error());
    } else {
      ranks = static_cast<std::uint32_t>(devices);
      checked.fine.push_back(
          {"cluster", fmt::format("{} devices, {} network dimension{}", format_count(devices),
                                  read->dims.size(), read->dims.size() == 1 ? "" : "s")});
      platform = *std::move(read);
    }
  }
  if (options.workload.empty() && options.recorded.traces.empty()) return checked;
  ShownWatch watch(session);
  auto workload = study::read_workload(options, ranks, watch);
  if (!workload) {
    checked.errors.push_back(workload.error());
    return checked;
  }
  std::uint64_t nodes = 0;
  for (const std::uint32_t index : workload->graph_of_rank)
    nodes += workload->graphs[index]->size();
  checked.fine.push_back(
      {"workload",
       fmt::format("{} rank{}, {} nodes, {} process groups", format_count(workload->rank_count()),
                   workload->rank_count() == 1 ? "" : "s",
                   format_count(static_cast<std::int64_t>(nodes)), workload->groups.size())});
  if (platform) {
    if (auto sizes = study::check_sizes(options, *platform); !sizes)
      checked.errors.push_back(sizes.error());
    if (auto custom = study::read_custom_collectives(options, *platform, *workload); !custom) {
      checked.errors.push_back(custom.error());
    }
  }
  checked.findings.merge(workload->findings);
  checked.consistency = analysis::check_consistency(*workload);
  if (checked.consistency.count == 0) {
    checked.fine.push_back({"ranks", "groups, collectives and messages fit together"});
  }
  return checked;
}

std::string checked_text(const Checked& checked, report::Style style) {
  report::Sheet sheet(style);
  for (const Checked::Item& item : checked.fine)
    sheet.add(item.what, fmt::format("{}  {}", style.good("ok"), item.text));
  for (const Error& error : checked.errors) {
    sheet.add(style.bad("error"), printable_lines(fmt::format(
                                      "{}{}{} (E{})", error.where, error.where.empty() ? "" : ": ",
                                      error.what, static_cast<int>(error.code))));
  }
  for (const analysis::Problem& problem : checked.consistency.problems) {
    sheet.add(style.bad("problem"),
              fmt::format("{}: {} ({})", problem.where, problem.what, name(problem.kind)));
  }
  if (checked.consistency.count > checked.consistency.problems.size()) {
    sheet.add("", fmt::format("{} problems in all", checked.consistency.count));
  }
  report::add_findings(sheet, checked.findings, style);
  return sheet.text();
}

std::string checked_json(const Checked& checked) {
  std::string text;
  report::JsonWriter json(text);
  report::begin_envelope(json, "check");
  json.begin_object().field("ok", checked.exit() == kOk);
  json.key("fine").begin_array();
  for (const Checked::Item& item : checked.fine) {
    json.begin_object().field("what", item.what).field("text", item.text).end_object();
  }
  json.end_array().key("errors").begin_array();
  for (const Error& error : checked.errors) {
    json.begin_object()
        .field("code", fmt::format("E{}", static_cast<int>(error.code)))
        .field("name", name(error.code));
    json.field("where", error.where)
        .field("what", error.what)
        .field("hint", error.hint)
        .end_object();
  }
  json.end_array().field("problem_count", checked.consistency.count).key("problems").begin_array();
  for (const analysis::Problem& problem : checked.consistency.problems) {
    json.begin_object().field("kind", name(problem.kind)).field("where", problem.where);
    json.field("what", problem.what).end_object();
  }
  json.end_array().end_object();
  report::end_envelope(json, checked.findings);
  return text + '\n';
}

int check(InputOptions& options, Session& session) {
  if (auto fine = check_input_options(options, session); !fine) return session.fail(fine.error());
  const bool cluster = options.astra() || !options.cluster.empty();
  if (!options.recorded.traces.empty() && !cluster)
    return check_recorded(options.recorded, session);
  if (options.workload.empty() && options.cluster.empty() && !options.astra()) {
    return session.fail(
        {Errc::usage, "", "nothing to check", "give a workload, a cluster, or both"});
  }
  const bool as_cluster = session.output.ends_with(".yaml") || session.output.ends_with(".yml");
  if (as_cluster && !cluster) {
    return session.fail(
        {Errc::usage, "--output", "there is no cluster to write", "give one: --cluster"});
  }
  const Checked checked = look(options, session);
  if (as_cluster) {
    const std::string path = std::exchange(session.output, "");
    if (checked.cluster) {
      const std::string text = platform::resolved_cluster(*checked.cluster);
      if (auto written = write_output(path, text, session.force); !written)
        return session.fail(written.error(), checked.findings);
    }
  }
  for (const Error& error : checked.errors) session.talk_error(error);
  return session.deliver(
      checked_text(checked, session.out_style()), [&] { return checked_json(checked); },
      checked.exit());
}

}  // namespace

void add_check(CLI::App& table, Session& session) {
  CLI::App* command =
      table.add_subcommand("check", "Validate traces and configurations without running");
  command->description(
      "Validate traces and configurations without running.\n"
      "Exit code: 0 fine, 1 the ranks do not fit together, 2 a configuration is wrong, 3 a trace "
      "is\n"
      "damaged, 5 a limit was hit.\n\n"
      "-o FILE.yaml writes the cluster with every key filled in, to be edited.\n\n"
      "Examples:\n"
      "  orrery check llama/w --cluster cluster.yaml\n"
      "  orrery check --cluster h100-sxm:64 -o cluster.yaml\n"
      "  orrery check --traces 'run/*.json.gz'\n");
  const auto options = std::make_shared<InputOptions>();
  add_input_options(*command, *options);
  session.add_options(*command, true);
  command->callback([options, &session] {
    session.command = "check";
    session.action = [options, &session] { return check(*options, session); };
  });
}

}  // namespace orrery::app
