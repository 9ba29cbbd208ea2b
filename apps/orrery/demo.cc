// SPDX-License-Identifier: Apache-2.0
//
// orrery demo: one training step on two clusters, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "arguments.h"
#include "comparison.h"
#include "data_folder.h"
#include "demo_recorded.h"
#include "orrery/report/envelope.h"

namespace orrery::app {

namespace {

Result<Outcome> run_on(const std::string& folder, const std::string& cluster,
                       const std::string& network, Session& session) {
  InputOptions options;
  options.workload = folder + "/demo/llama";
  options.cluster = folder + "/demo/" + cluster;
  options.network = network;
  Findings findings;
  auto inputs = read_inputs(options, session, findings);
  if (!inputs) return tl::unexpected(inputs.error());
  auto outcome = simulate(*std::move(inputs), findings, session);
  if (!outcome) return outcome;
  if (outcome->result.stall)
    return fail(Errc::stall, cluster, "the demo does not finish", "please report this");
  outcome->workload_name = "llama";
  outcome->platform_name = outcome->inputs.platform.name;
  return outcome;
}

int demo(const std::string& data, const std::string& network, Session& session) {
  const auto folder = data_folder(data);
  if (!folder) return session.fail(folder.error());
  const auto one = run_on(*folder, "one-node.yaml", network, session);
  if (!one) return session.fail(one.error());
  const auto two = run_on(*folder, "two-nodes.yaml", network, session);
  if (!two) return session.fail(two.error());
  const auto recorded = run_recorded_demo(*folder, session);
  if (!recorded) return session.fail(recorded.error());

  std::string text =
      "A training step of a Llama-like model, 8 layers, on 8 ranks (data parallel 2,\n"
      "tensor parallel 2, pipeline parallel 2): the same trace on two modelled clusters.\n\n";
  text += comparison_text(*one, *two, session.out_style());
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(*folder, ignored);
  const std::string near = std::filesystem::proximate(real, ignored).string();
  const std::string shown =
      (near.empty() || near.starts_with("..") ? real.string() : near) + "/demo";
  text += fmt::format(
      "\nThe whole summary of one of them, and a file to look into it with:\n"
      "  orrery run {0}/llama --cluster {0}/two-nodes.yaml -o step.orrery\n"
      "  orrery critical-path step.orrery\n"
      "  orrery report step.orrery --html step.html\n",
      shown);
  text += "\n" + recorded_demo_text(*recorded, shown + "/ddp_transformer");
  return session.deliver(text, [&] {
    std::string out;
    report::JsonWriter json(out);
    Findings findings = one->findings;
    findings.merge(two->findings);
    findings.merge(recorded->outcome.findings);
    report::begin_envelope(json, "demo");
    json.begin_object().key("runs").begin_array();
    write_result(json, *one);
    write_result(json, *two);
    write_result(json, recorded->outcome);
    json.end_array().end_object();
    report::end_envelope(json, findings);
    return out + '\n';
  });
}

}  // namespace

void add_demo(CLI::App& table, Session& session) {
  CLI::App* command = table.add_subcommand("demo", "One training step on two clusters");
  command->description(
      "Simulate one training step on two clusters and say what differs and why; then two steps "
      "that\n"
      "were recorded with PyTorch. Everything comes with the program.\n\n"
      "Examples:\n"
      "  orrery demo\n"
      "  orrery demo --network message\n");
  const auto data = std::make_shared<std::string>();
  const auto network = std::make_shared<std::string>();
  command->add_option("--data", *data, "The program's data folder, if it is not found")
      ->type_name("FOLDER");
  command->add_option("--network", *network, "analytical (no congestion) or message (congestion)")
      ->type_name("MODEL");
  session.add_options(*command, true);
  command->callback([data, network, &session] {
    session.command = "demo";
    session.action = [data, network, &session] { return demo(*data, *network, session); };
  });
}

}  // namespace orrery::app
