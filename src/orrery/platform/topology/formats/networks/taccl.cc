// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/networks/taccl.h"

#include <fmt/format.h>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/text/text.h"

namespace orrery::platform {
namespace {

using config::Json;

std::string name_in(const Json& file) {
  const auto name = file.find("name");
  return name != file.end() && name->is_string() ? name->get<std::string>()
                                                 : std::string("topology");
}

Result<Topology> read_links(const Json& file, const Json& links, const std::string& where,
                            Findings& findings) {
  const std::string place = where + ":/links";
  if (!links.is_array() || links.empty())
    return fail(Errc::input_corrupt, place, "links is not a matrix",
                "links must be one list per GPU");
  TopologyBuilder builder(name_in(file), "TACCL topology");
  for (std::size_t i = 0; i < links.size(); ++i)
    builder.add(NodeClass::device, fmt::format("gpu{}", i));
  for (std::size_t to = 0; to < links.size(); ++to) {
    const std::string row = config::pointer("/links", to);
    if (!links[to].is_array() || links[to].size() != links.size())
      return fail(Errc::input_corrupt, where + ":" + row,
                  fmt::format("a row of the {} x {} matrix has the wrong length", links.size(),
                              links.size()));
    for (std::size_t from = 0; from < links.size(); ++from) {
      const Json& count = links[to][from];
      if (!count.is_number_integer() || count < 0 || count > 65536)
        return fail(Errc::input_corrupt, where + ":" + config::pointer(row, from),
                    "a number of links must be a whole number up to 65536");
      if (count == 0) continue;
      if (from == to) {
        findings.add(FindingCode::fabric_link_dropped, where + ":" + config::pointer(row, from));
        continue;
      }
      builder.link(static_cast<NodeIndex>(from), static_cast<NodeIndex>(to),
                   {Bandwidth(0), std::nullopt, count.get<std::uint32_t>(), LinkClass::scale_up});
    }
  }
  for (const char* key : {"switches", "invbws", "betas", "alpha"}) {
    if (file.contains(key))
      findings.add(FindingCode::fabric_part_ignored, fmt::format("{}:/{}", where, key));
  }
  return builder.finish(where);
}

}  // namespace

Result<Topology> read_taccl(const Json& file, const std::string& where, Findings& findings) {
  if (const auto links = file.find("links"); links != file.end())
    return read_links(file, *links, where, findings);
  if (file.contains("intranode_sketch") || file.contains("internode_sketch"))
    return fail(
        Errc::input_unsupported, where,
        "a TACCL sketch contains hints for synthesizing collectives, not a fabric",
        "give the machine's topology: NCCL_TOPO_DUMP_FILE or `nvidia-smi topo -m` of one machine");
  return fail(
      Errc::input_missing_attr, where,
      fmt::format(
          "TACCL's costs of {}: the file contains costs of link types, not the links between GPUs",
          in_quotes(name_in(file))),
      "give the machine's topology: NCCL_TOPO_DUMP_FILE or `nvidia-smi topo -m`");
}

}  // namespace orrery::platform
