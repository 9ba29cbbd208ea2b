// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/convert/graph_sink.h"

#include "orrery/intake/convert/convert.h"
#include "orrery/trace/chakra/records/kernel_attributes.h"

namespace orrery::intake {

using trace::chakra::NodeRecord;

GraphSink::GraphSink(std::string where, std::shared_ptr<StringPool> strings,
                     std::shared_ptr<graph::KernelTable> kernels, Findings& findings)
    : where_(std::move(where)),
      findings_(findings),
      context_(where_, strings, graph::Repair::refuse, findings),
      decoder_(context_, trace::chakra::Schema::current),
      builder_(where_, strings, graph::Repair::refuse) {
  builder_.share_kernels(std::move(kernels));
}

void GraphSink::set_metadata(const trace::chakra::MetadataRecord& metadata) {
  graph::KernelTable& kernels = builder_.kernels();
  context_.use_kernels(kernels,
                       trace::chakra::read_kernel_table(metadata, where_, kernels, findings_));
}

Result<void> GraphSink::add(const NodeRecord& record) {
  try {
    decoder_.convert(record, node_);
  } catch (const trace::chakra::RecordError& bad) {
    return fail(bad.code, where_, bad.what, bad.hint);
  }
  builder_.add(node_);
  return {};
}

Result<graph::Graph> GraphSink::finish() && { return std::move(builder_).finish(findings_); }

Result<graph::Graph> convert_to_graph(const profile::Profile& profile,
                                      const profile::Dependencies& dependencies,
                                      const ConvertOptions& options,
                                      std::shared_ptr<StringPool> strings, Findings& findings,
                                      ConvertReport* report) {
  GraphSink graph(profile.where, std::move(strings), std::make_shared<graph::KernelTable>(),
                  findings);
  graph.reserve(dependencies.nodes.size() + 1, dependencies.edges.size());
  const auto done = convert(
      profile, dependencies, options, findings,
      [&](const trace::chakra::MetadataRecord& metadata) -> Result<void> {
        graph.set_metadata(metadata);
        return {};
      },
      [&](const NodeRecord& record) { return graph.add(record); });
  if (!done) return tl::unexpected(done.error());
  if (report != nullptr) *report = *done;
  return std::move(graph).finish();
}

}  // namespace orrery::intake
