// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "orrery/config/document.h"
#include "orrery/config/parameters.h"
#include "orrery/workload/importers/import.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::study {

namespace {

using Keys = JobDescription;

constexpr std::array kKeys = {
    DescriptionKey{"--model", &Keys::model, "model",
                   "A model of the catalogue (docs/reference/models.md)", "NAME"},
    DescriptionKey{"--tp", &Keys::tp, "parallel.tp", "Tensor parallel", "N"},
    DescriptionKey{"--pp", &Keys::pp, "parallel.pp", "Pipeline stages", "N"},
    DescriptionKey{"--dp", &Keys::dp, "parallel.dp",
                   "Data parallel; by default what the cluster leaves", "N"},
    DescriptionKey{"--cp", &Keys::cp, "parallel.cp", "Context parallel", "N"},
    DescriptionKey{"--ep", &Keys::ep, "parallel.ep", "Expert parallel", "N"},
    DescriptionKey{"--sharding", &Keys::sharding, "parallel.sharding",
                   "none, zero1, zero2 or zero3 (FSDP)", "WHAT"},
    DescriptionKey{"--schedule", &Keys::schedule, "schedule.kind",
                   "gpipe, 1f1b, interleaved, zb_h1, zb_v, dual_pipe", "KIND"},
    DescriptionKey{"--chunks", &Keys::chunks, "schedule.chunks", "Parts of the model per rank",
                   "N"},
    DescriptionKey{"--recompute", &Keys::recompute, "recompute.kind", "none, selective or full",
                   "KIND"},
    DescriptionKey{"--global-batch", &Keys::global_batch, "batch.global", "Sequences per step",
                   "N"},
    DescriptionKey{"--micro-batch", &Keys::micro_batch, "batch.micro", "Sequences per microbatch",
                   "N"},
    DescriptionKey{"--seq", &Keys::seq, "batch.seq", "Tokens per sequence", "N"},
    DescriptionKey{"--optimizer", &Keys::optimizer, "optimizer.kind",
                   "adam, adamw, sgd, sgd_momentum or muon", "KIND"},
    DescriptionKey{"--compat", &Keys::compat, "compat",
                   "stage: count as that generator does, mistakes too", "TOOL"}};

/// A file of any format, on top of what is there already.
Result<void> add_file(workload::Spec& spec, const std::string& path, Findings& findings) {
  const auto text = config::read_text(path);
  if (!text) return tl::unexpected(text.error());
  return workload::import_into(spec, *text, path, findings);
}

Result<void> add_set(workload::Spec& spec, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    return fail(Errc::usage, "--set", fmt::format("'{}' is no assignment", assignment),
                "write PATH=VALUE, for example parallel.bucket=\"50 MB\"");
  return workload::set(spec, assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace

std::span<const DescriptionKey> description_keys() { return kKeys; }

bool JobDescription::given() const {
  return !spec.empty() || !texts.empty() || !set.empty() || sp ||
         std::any_of(kKeys.begin(), kKeys.end(),
                     [&](const DescriptionKey& key) { return !(this->*key.value).empty(); });
}

const std::string& JobDescription::name() const {
  if (!spec.empty()) return spec.front();
  return texts.empty() ? model : texts.front().name;
}

Result<workload::Spec> specify(const JobDescription& job, const ClusterSize& cluster,
                               Findings& findings) {
  workload::Spec spec = workload::open_spec();
  if (!job.given())
    return fail(Errc::usage, "SPEC", "no job is described",
                "give a specification, or --model NAME and a plan (--tp, --pp, --dp …)");
  // Files may count on the model that is named; what they say of it themselves, it replaces below.
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
  for (const DescriptionKey& key : kKeys) {
    const std::string& value = job.*key.value;
    if (value.empty()) continue;
    if (auto done = workload::set(spec, key.path, value); !done)
      return fail(done.error().code, key.option, done.error().what, done.error().hint);
  }
  if (job.sp) spec.parallel.sp = true;
  for (const std::string& assignment : job.set) {
    if (auto done = add_set(spec, assignment); !done) return tl::unexpected(done.error());
  }
  if (!workload::has_model(spec))
    return fail(Errc::usage, "--model", "no model is given",
                job.spec.empty()
                    ? "--model NAME; the names are in docs/reference/models.md"
                    : "the files say nothing of one: add a file that does, or --model NAME");
  if (auto fine = workload::settle(spec, cluster.devices, cluster.where, findings); !fine)
    return tl::unexpected(fine.error());
  if (auto fine = workload::legal(spec); !fine) return tl::unexpected(fine.error());
  return spec;
}

Result<workload::Program> assemble(const JobDescription& job, const ClusterSize& cluster,
                                   Findings& findings) {
  const auto spec = specify(job, cluster, findings);
  if (!spec) return tl::unexpected(spec.error());
  return workload::assemble(*spec, findings);
}

}  // namespace orrery::study
