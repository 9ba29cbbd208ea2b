// SPDX-License-Identifier: Apache-2.0
//
// orrery network show: describes a fabric.
#include <memory>
#include <utility>

#include "orrery/commands/command.h"
#include "orrery/commands/command_options.h"
#include "orrery/commands/output_file.h"
#include "orrery/platform/topology/formats/registered_formats.h"
#include "orrery/present/clusters/topology_answer.h"
#include "orrery/study/clusters/topology_report.h"
#include "orrery/study/questions/run_options.h"

namespace orrery::commands {

namespace {

struct TopologyOptions {
  study::TopologyQuestion question;
  bool nodes = false;
  std::string plot;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &TopologyOptions::question},
                 QuestionField{"nodes", &TopologyOptions::nodes, "--list-nodes", "", kNothing,
                               "true", "List every node"},
                 QuestionField{"plot", &TopologyOptions::plot, "--plot", "FILE", kNothing,
                               "fabric.svg", "Plot the fabric as SVG"}};
};

int topology(const TopologyOptions& options, Context& context) {
  Findings findings;
  const auto fabric = study::topology(options.question, findings);
  if (!fabric) return context.fail(fabric.error(), findings);
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::topology_svg(*fabric), context.force);
        !done)
      return context.fail(done.error());
  const std::string path = std::exchange(context.output, {});
  if (!path.empty()) {
    const auto text = platform::write_registered(platform::TopologyFormat::infragraph,
                                                 fabric->topology, "--output");
    if (!text) return context.fail(text.error());
    if (auto done = write_output(path, *text, context.force); !done)
      return context.fail(done.error());
  }
  if (options.plot == "-" || path == "-") return kOk;
  return context.deliver([&](report::Answer& answer) {
    present::state_topology(answer, *fabric, options.nodes, findings);
  });
}

}  // namespace

Action add_network_show(CommandOptions& command, Context& context) {
  describe(command,
           "Prints distances, bisections and the location of ranks. Reads cluster files and\n"
           "files of other tools: InfraGraph, ns-3 and SimAI texts, htsim's .topo, NCCL's\n"
           "topology XML, 'nvidia-smi topo -m', lstopo's XML, BookSim's anynet, TACCL's\n"
           "topologies.\n"
           "\n"
           "Examples:\n"
           "  orrery network show h100-sxm:64 --plot fabric.svg\n"
           "  orrery network show cluster.yaml --route 0 63 --tp 8\n");
  const auto options = std::make_shared<TopologyOptions>();
  add_fields(command, *options);
  command.field("--route").values_each = 2;
  context.add_options(command);
  return [options, &context] { return topology(*options, context); };
}

}  // namespace orrery::commands
