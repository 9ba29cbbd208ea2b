// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/job_internal.h"
#include "orrery/profile/link/graph_captures.h"
#include "orrery/profile/recording_checks.h"
#include "orrery/trace/kineto/reader.h"
#include "orrery/trace/nsys/reader.h"
#include "orrery/trace/pftrace/reader.h"
#include "orrery/trace/pytorch/reader.h"
#include "orrery/trace/rocpd/reader.h"
#include "orrery/trace/tensorflow/reader.h"
#include "orrery/trace/xplane/reader.h"

namespace orrery::intake {
namespace {

using profile::Profile;
using trace::Format;

/// `process`: the only process, or device of an XPlane file or of RunMetadata, that is read.
Result<Profile> read(const trace::Input& input, const std::shared_ptr<StringPool>& strings,
                     std::optional<std::int64_t> process, std::uint32_t rank, Findings& findings) {
  if (input.format == Format::nsys_sqlite)
    return trace::nsys::read(input.path, {strings, process}, findings);
  if (input.format == Format::rocpd)
    return trace::rocpd::read(input.path, {strings, process}, findings);
  if (input.format == Format::xplane)
    return trace::xplane::read([&] { return trace::open(input); },
                               {input.name, strings, process, rank}, findings);
  auto source = trace::open(input);
  if (!source) return tl::unexpected(source.error());
  if (input.format == Format::kineto)
    return trace::kineto::read(std::move(*source), {input.name, strings}, findings);
  if (input.format == Format::run_metadata)
    return trace::tensorflow::read(std::move(*source), {input.name, strings, process}, findings);
  if (input.format == Format::pftrace)
    return trace::pftrace::read(std::move(*source), {input.name, strings}, findings);
  return trace::pytorch::read(std::move(*source), {input.name, strings}, findings);
}

}  // namespace

Result<RankTrace> read_rank(const RankFiles& files, std::shared_ptr<StringPool> strings) {
  RankTrace out;
  out.files = files;
  if (!files.device && !files.host)
    return fail(Errc::usage, "rank " + std::to_string(files.rank), "there is no file of this rank");
  auto whole = read(files.device ? *files.device : *files.host, strings, files.process, files.rank,
                    out.findings);
  if (!whole) return tl::unexpected(whole.error());
  out.profile = std::move(*whole);
  if (files.device && files.host) {
    auto host = read(*files.host, strings, {}, files.rank, out.findings);
    if (!host) return tl::unexpected(host.error());
    auto linked = profile::link(out.profile, std::move(*host), out.findings);
    if (!linked) return tl::unexpected(linked.error());
    out.link = *linked;
  }
  if (!out.profile.rank || files.rank_from == "option") out.profile.rank = files.rank;
  profile::cut_long_durations(out.profile, out.findings);
  out.attach = profile::attach(out.profile, out.findings);
  if (files.device) profile::check_device_work(out.profile, out.findings);
  std::vector<Profile> captures;
  for (const trace::Input& input : files.captures) {
    auto capture = read(input, strings, {}, files.rank, out.findings);
    if (!capture) return tl::unexpected(capture.error());
    captures.push_back(std::move(*capture));
  }
  profile::attach_graph_captures(out.profile, captures, out.findings);
  return out;
}

}  // namespace orrery::intake
