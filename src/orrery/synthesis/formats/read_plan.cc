// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/read_plan.h"

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/limits.h"
#include "orrery/platform/topology/formats/common/gzip.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/mscclpp.h"

namespace orrery::synthesis {
namespace {

using config::Json;

tl::unexpected<Error> no_plan(const std::string& where, std::string what) {
  return fail(Errc::input_unsupported, where, std::move(what),
              "supported plans are MSCCL XML, MSCCL++ JSON, and Chakra traces");
}

Result<Plan> read_json(std::string_view text, const std::string& where, Findings& findings) {
  const Result<Json> file = config::parse_json(text, where);
  if (!file) return tl::unexpected(file.error());
  if (!file->is_object()) return no_plan(where, "not a plan: JSON that is not an object");
  if (file->contains("intranode_sketch") || file->contains("internode_sketch"))
    return no_plan(where, "not a plan: a TACCL sketch contains hints for synthesizing a plan");
  if (file->contains("node_betas_list") || file->contains("links"))
    return no_plan(where, "not a plan: a TACCL topology");
  if (!file->contains("gpus")) return no_plan(where, "not a plan: JSON without \"gpus\"");
  return read_mscclpp(*file, where, findings);
}

}  // namespace

Result<Plan> read_plan(std::string_view text, const std::string& where, Findings& findings) {
  const std::string_view begin = platform::trimmed_front(text);
  if (begin.empty()) return fail(Errc::input_empty, where, "is empty");
  if (begin.starts_with('<')) return read_msccl(text, where, findings);
  if (begin.starts_with('{')) return read_json(begin, where, findings);
  return no_plan(where, "neither XML nor JSON");
}

Result<Plan> read_plan_file(const std::string& path, Findings& findings) {
  Result<std::string> bytes = config::read_text(path, limits::kFabricBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  if (platform::is_gzip(*bytes)) {
    bytes = platform::gunzip(*bytes, path);
    if (!bytes) return tl::unexpected(bytes.error());
  }
  return read_plan(*bytes, path, findings);
}

}  // namespace orrery::synthesis
