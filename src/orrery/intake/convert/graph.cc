// SPDX-License-Identifier: Apache-2.0
//
// A converted rank as a graph: what its file would be read as, without its bytes.
#include "orrery/graph/builder.h"
#include "orrery/intake/convert/convert.h"
#include "orrery/trace/chakra/decode.h"

namespace orrery::intake {

Result<graph::Graph> convert_to_graph(const profile::Profile& profile,
                                      const profile::Dependencies& dependencies,
                                      const ConvertOptions& options,
                                      std::shared_ptr<StringPool> strings, Findings& findings,
                                      ConvertReport* report) {
  using trace::chakra::Decoding;
  using trace::chakra::NodeDecoder;
  using trace::chakra::NodeRecord;
  Decoding decoding(profile.where, strings, graph::Repair::refuse, findings);
  NodeDecoder decoder(decoding, trace::chakra::Schema::current);
  graph::GraphBuilder builder(profile.where, strings, graph::Repair::refuse);
  builder.expect(dependencies.nodes.size() + 1, dependencies.edges.size());
  graph::NodeSpec node;
  const auto add = [&](const NodeRecord& record) -> Result<void> {
    try {
      decoder.take(record, node);
    } catch (const trace::chakra::BadRecord& bad) {
      return fail(bad.code, profile.where, bad.what, bad.hint);
    }
    builder.add(node);
    return {};
  };
  const auto done = convert(
      profile, dependencies, options, findings,
      [](const trace::chakra::MetadataRecord&) -> Result<void> { return {}; }, add);
  if (!done) return tl::unexpected(done.error());
  if (report != nullptr) *report = *done;
  return std::move(builder).finish(findings);
}

}  // namespace orrery::intake
