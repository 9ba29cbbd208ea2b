// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/job_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/job_formats/importers/importer.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/placement/node_dimensions.h"
#include "orrery/study/questions/error_hints.h"
#include "orrery/study/questions/job_words.h"
#include "orrery/study/questions/offload_words.h"
#include "orrery/study/questions/run_options.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::study {

namespace {

/// Adds a file of any format to the specification.
Result<void> add_file(workload::Spec& spec, const std::string& path, Findings& findings) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return workload::import_into(spec, *text, path, findings);
}

Result<void> add_set(workload::Spec& spec, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    return fail(Errc::usage, "--set", fmt::format("'{}' is not an assignment", assignment),
                "write PATH=VALUE, for example parallel.bucket=\"50 MB\"");
  return workload::set(spec, assignment.substr(0, equals), assignment.substr(equals + 1));
}

/// Says which data parallelism holds the experts of a job that does not say how many ranks it has.
void add_rank_hint(const workload::Parallel& plan, Error& error) {
  const std::int64_t others =
      std::max<std::int64_t>(plan.etp == 1 ? plan.tp * plan.cp : plan.cp, 1);
  const std::int64_t least = plan.ep / std::gcd(plan.ep, others);
  error.hint = fmt::format(
      "the number of ranks is not given: add --dp, a multiple of {}, or a "
      "cluster",
      least);
}

}  // namespace

std::span<const JobDescriptionKey> job_description_keys() {
  static const std::vector<JobDescriptionKey> keys = [] {
    std::vector<JobDescriptionKey> made;
    const auto add = [&](const auto& field) {
      if constexpr (requires { JobDescriptionKey{{}, {}, field.member, {}}; })
        if (!field.path.empty())
          made.push_back({field.name, field.options, field.member, field.path});
    };
    std::apply([&](const auto&... fields) { (add(fields), ...); },
               QuestionTable<JobDescription>::fields);
    return made;
  }();
  return keys;
}

bool JobDescription::given() const {
  return !spec.empty() || !texts.empty() || !set.empty() || sp || !precision.empty() ||
         !offload.empty() ||
         std::ranges::any_of(job_description_keys(), [&](const JobDescriptionKey& key) {
           return !(this->*key.value).empty();
         });
}

const std::string& JobDescription::name() const {
  if (!spec.empty()) return spec.front();
  return texts.empty() ? model : texts.front().name;
}

ClusterSize size_of(const platform::Platform& platform, std::string where) {
  ClusterSize size{platform.npu_count(), std::move(where), {platform.device.entry, 1}};
  const std::size_t inside = platform::node_dimensions(platform);
  for (std::size_t d = 0; d < inside; ++d) size.machine.domain *= platform.dims[d].size;
  return size;
}

Result<workload::Spec> specify(const JobDescription& job, const ClusterSize& cluster,
                               Findings& findings) {
  workload::Spec spec = workload::unresolved_spec();
  if (!job.given())
    return fail(Errc::usage, "SPEC", "no job is given",
                "give a specification, or --model NAME and a plan (--tp, --pp, --dp …)");
  // Set the named model first, since files may depend on it; they can replace its values.
  if (!job.model.empty() && (!job.spec.empty() || !job.texts.empty())) {
    if (auto done = workload::set(spec, "model", job.model); !done)
      return fail(done.error().code, "--model", done.error().what, done.error().hint);
  }
  for (const std::string& path : job.spec) {
    if (auto added = add_file(spec, path, findings); !added) return tl::unexpected(added.error());
  }
  for (const JobDescription::Text& one : job.texts) {
    if (auto added = workload::import_into(spec, one.text, one.name, findings); !added)
      return tl::unexpected(added.error());
  }
  for (const JobDescriptionKey& key : job_description_keys()) {
    const std::string& value = job.*key.value;
    if (value.empty()) continue;
    const bool in_hosts = key.path == "parallel.sharding" && value == "hsdp";
    if (auto done = workload::set(spec, key.path, in_hosts ? "zero3" : value); !done)
      return fail(done.error().code, std::string(key.option), done.error().what, done.error().hint);
  }
  if (job.sp) spec.parallel.sp = true;
  if (!job.precision.empty())
    if (auto done = set_precision(spec, job.precision); !done) return tl::unexpected(done.error());
  if (!job.offload.empty())
    if (auto done = set_offload(job.offload, "--offload", spec); !done)
      return tl::unexpected(done.error());
  for (const std::string& assignment : job.set) {
    if (auto done = add_set(spec, assignment); !done) return tl::unexpected(done.error());
  }
  if (!workload::has_model(spec))
    return fail(Errc::usage, "--model", "no model is given",
                job.spec.empty()
                    ? "--model NAME; the names are in docs/reference/models.md"
                    : "the files contain no model: add a file with a model, or --model NAME");
  spec.machine = cluster.machine;
  const bool open_ranks = spec.parallel.dp == 0 && cluster.devices == 0;
  if (auto fine = workload::resolve_defaults(spec, cluster.devices, cluster.where, findings); !fine)
    return tl::unexpected(fine.error());
  if (job.sharding == "hsdp") shard_in_hosts(spec, findings);
  if (auto fine = workload::check_spec(spec); !fine) {
    if (open_ranks && fine.error().where == "parallel.ep")
      add_rank_hint(spec.parallel, fine.error());
    return tl::unexpected(fine.error());
  }
  return spec;
}

Result<workload::Program> assemble(const JobDescription& job, const ClusterSize& cluster,
                                   Findings& findings) {
  const auto spec = specify(job, cluster, findings);
  if (!spec) return tl::unexpected(spec.error());
  return workload::assemble(*spec, findings);
}

Result<JobOnCluster> assemble_on(const JobDescription& job, const std::string& cluster,
                                 Findings& findings) {
  platform::Platform platform;
  ClusterSize size;
  if (!cluster.empty()) {
    auto read = platform::read_cluster(cluster, findings);
    if (!read) return tl::unexpected(add_cluster_hint(read.error(), cluster));
    platform = *std::move(read);
    size = size_of(platform, cluster);
  }
  auto program = assemble(job, size, findings);
  if (!program) return tl::unexpected(program.error());
  if (!cluster.empty())
    if (auto fine = check_device_count(*program, platform, cluster); !fine)
      return tl::unexpected(fine.error());
  return JobOnCluster{*std::move(program), std::move(platform)};
}

}  // namespace orrery::study
