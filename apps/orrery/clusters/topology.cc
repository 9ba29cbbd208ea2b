// SPDX-License-Identifier: Apache-2.0
//
// orrery topology: a fabric looked at.
#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "command.h"
#include "orrery/platform/topology/formats/registered_formats.h"
#include "orrery/present/clusters/topology_text.h"
#include "orrery/study/clusters/topology_report.h"
#include "output_file.h"
#include "question_options.h"

namespace orrery::app {

namespace {

struct TopologyOptions {
  study::TopologyQuestion question;
  bool nodes = false;
  std::string plot;

  static constexpr auto fields =
      std::tuple{QuestionStruct{"question", &TopologyOptions::question},
                 QuestionField{"nodes", &TopologyOptions::nodes, "--nodes", "", kNothing, "true",
                               "List every node"},
                 QuestionField{"plot", &TopologyOptions::plot, "--plot", "FILE", kNothing,
                               "fabric.svg", "Draw it into an SVG"}};
};

int topology(const TopologyOptions& options, Session& session) {
  Findings findings;
  const auto answer = study::topology(options.question, findings);
  if (!answer) return session.fail(answer.error(), findings);
  if (!options.plot.empty())
    if (auto done = write_output(options.plot, present::topology_svg(*answer), session.force);
        !done)
      return session.fail(done.error());
  const std::string path = std::exchange(session.output, {});
  if (!path.empty()) {
    const auto text = platform::write_registered(platform::TopologyFormat::infragraph,
                                                 answer->topology, "--output");
    if (!text) return session.fail(text.error());
    if (auto done = write_output(path, *text, session.force); !done)
      return session.fail(done.error());
  }
  if (options.plot == "-" || path == "-") return kOk;
  return session.deliver(
      present::topology_text(*answer, options.nodes, findings, session.out_style()),
      [&] { return present::topology_json(*answer, options.nodes, findings); });
}

}  // namespace

Action add_topology(CLI::App& command, Session& session) {
  describe(command,
           "Distances, bisections, and where ranks are. Fabrics are cluster files, and files\n"
           "of other tools: InfraGraph, ns-3 and SimAI texts, htsim's .topo, NCCL's topology\n"
           "XML, 'nvidia-smi topo -m', lstopo's XML, BookSim's anynet, TACCL's topologies.\n"
           "\n"
           "Examples:\n"
           "  orrery topology h100-sxm:64 --plot fabric.svg\n"
           "  orrery topology cluster.yaml --route 0 63 --tp 8\n");
  const auto options = std::make_shared<TopologyOptions>();
  add_fields(command, *options);
  command.get_option("--route")->expected(2);
  session.add_options(command);
  return [options, &session] { return topology(*options, session); };
}

}  // namespace orrery::app
