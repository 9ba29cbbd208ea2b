// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/read_plan.h"

#include <fmt/format.h>

#include "orrery/config/document.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/gzip.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/synthesis/formats/msccl.h"
#include "orrery/synthesis/formats/mscclpp.h"

namespace orrery::synthesis {
namespace {

using config::Json;

tl::unexpected<Error> no_plan(const std::string& where, std::string what) {
  return fail(Errc::input_unsupported, where, std::move(what),
              "plans are MSCCL's XML, MSCCL++'s JSON, and Chakra traces");
}

Result<Plan> read_json(std::string_view text, const std::string& where, Findings& findings) {
  const Result<Json> file = config::parse_json(text, where);
  if (!file) return tl::unexpected(file.error());
  if (!file->is_object()) return no_plan(where, "JSON that is no plan: not an object");
  if (file->contains("intranode_sketch") || file->contains("internode_sketch"))
    return no_plan(where, "a TACCL sketch: hints for making a plan, not a plan");
  if (file->contains("node_betas_list") || file->contains("links"))
    return no_plan(where, "a TACCL topology: what a plan is made for, not a plan");
  if (!file->contains("gpus")) return no_plan(where, "JSON that is no plan: it has no \"gpus\"");
  return read_mscclpp(*file, where, findings);
}

}  // namespace

PlanFormat plan_format(std::string_view text) {
  const std::string_view begin = platform::trimmed_front(text);
  if (begin.starts_with('<')) return PlanFormat::msccl;
  return begin.starts_with('{') ? PlanFormat::mscclpp : PlanFormat::unknown;
}

Result<Plan> read_plan(std::string_view text, const std::string& where, Findings& findings) {
  const std::string_view begin = platform::trimmed_front(text);
  if (begin.empty()) return fail(Errc::input_empty, where, "there is nothing in it");
  switch (plan_format(text)) {
    case PlanFormat::msccl:
      return read_msccl(text, where, findings);
    case PlanFormat::mscclpp:
      return read_json(begin, where, findings);
    case PlanFormat::unknown:
      break;
  }
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
