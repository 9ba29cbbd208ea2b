// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/workload/spec/amount.h"
#include "orrery/workload/spec/data_parallel_policy.h"

namespace orrery::generative {
namespace {

using workload::Program;
using workload::Role;
using workload::Task;

constexpr std::int64_t kFewLayers = 4;  // exact numbers of layers are words up to here

void flatten(const config::Json& value, const std::string& path, JobSettings& settings) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      flatten(inner, path.empty() ? key : path + "." + key, settings);
  } else if (value.is_string()) {
    settings.words.push_back(path + "=" + value.get<std::string>());
  } else if (value.is_boolean()) {
    settings.words.push_back(path + (value.get<bool>() ? "=true" : "=false"));
  } else if (value.is_number()) {
    const double number = value.get<double>();
    settings.numbers[path] = number;
    if (number != 0) settings.words.push_back(path + "!=0");
    if (number > 1) settings.words.push_back(path + ">1");
  } else if (value.is_array() && !value.empty()) {
    settings.words.push_back(path + "=" + value.dump());
  }
}

std::int64_t layers_of(const Program& program, const Role& role, std::uint32_t chunk) {
  std::int64_t layers = 0;
  if (chunk >= role.chunks.size()) return 0;
  for (const workload::PartRun& run : role.chunks[chunk])
    if (program.parts[run.part].is_layer) layers += run.count;
  return layers;
}

/// How a chunk's gradients fill buckets, from its last part to its first: where buckets end follows
/// from sizes, which other words do not hold.
void add_bucket_words(const Program& program, const Role& role, std::uint32_t chunk,
                      std::vector<std::string>& words) {
  if (program.mesh.extent(workload::Axis::dp) < 2 || chunk >= role.chunks.size()) return;
  const workload::DataParallelPolicy policy = workload::data_parallel_policy(program.spec);
  std::vector<std::int64_t> layers_of;  // by bucket
  std::int64_t elements = 0, layers = 0;
  const auto bytes = [&] {
    return workload::bytes(workload::Amount(elements), program.spec.precision.reduce);
  };
  const auto& parts = role.chunks[chunk];
  for (auto run = parts.rbegin(); run != parts.rend(); ++run) {
    const workload::Part& part = program.parts[run->part];
    const workload::Weights weights = part.trained();
    for (std::uint32_t i = 0; i < run->count; ++i) {
      elements += weights.total() - weights.expert;
      layers += part.is_layer ? 1 : 0;
      if (elements == 0 || bytes() < (layers_of.empty() ? policy.first_bucket : policy.bucket))
        continue;
      layers_of.push_back(std::exchange(layers, 0));
      elements = 0;
    }
  }
  constexpr std::int64_t kMany = 12;
  const auto word = [&](std::string_view what, std::int64_t count) {
    words.push_back(fmt::format("{} {}", what, std::min(count, kMany)));
  };
  word("buckets", static_cast<std::int64_t>(layers_of.size()));
  word("layers after buckets", layers);
  for (std::size_t i = 0; i < 3 && i < layers_of.size(); ++i)
    word(fmt::format("layers of bucket {}:", i), layers_of[i]);
}

std::string_view kind_name(workload::TaskKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"forward", "backward", "input_grad",
                                                      "weight_grad", "step"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace

Result<JobSettings> settings_of(const Program& program) {
  workload::Spec spec = program.spec;
  spec.name.clear();
  spec.schema.clear();
  const auto tree = config::parse_json(workload::to_json(spec), "job");
  if (!tree) return tl::unexpected(tree.error());
  JobSettings settings;
  flatten(*tree, "", settings);
  if (spec.microbatches() > 1) settings.words.emplace_back("microbatches>1");
  settings.numbers["microbatches"] = static_cast<double>(spec.microbatches());
  for (std::size_t a = 0; a < workload::kAxes; ++a) {
    const auto axis = static_cast<workload::Axis>(a);
    if (program.mesh.extent(axis) > 1)
      settings.words.push_back(fmt::format("axis {}", workload::name(axis)));
  }
  std::sort(settings.words.begin(), settings.words.end());
  return settings;
}

std::uint32_t chunk_of(const Role& role, std::uint32_t recipe) {
  for (const workload::TaskLoop& loop : role.tasks)
    for (const Task& task : loop.tasks)
      if (task.recipe == recipe) return task.chunk;
  return 0;
}

std::vector<std::string> pass_words(const Program& program, std::uint32_t number,
                                    std::uint32_t recipe) {
  const Role& role = program.roles[number];
  const std::vector<Task> tasks = workload::expand_task_loops(role.tasks);
  const auto own = std::find_if(tasks.begin(), tasks.end(),
                                [&](const Task& task) { return task.recipe == recipe; });
  std::vector<std::string> words;
  if (own == tasks.end()) return words;
  std::vector<const Task*> same;  // tasks of this kind and chunk, in order
  for (const Task& task : tasks)
    if (task.kind == own->kind && task.chunk == own->chunk) same.push_back(&task);
  words.push_back(fmt::format("pass {}", kind_name(own->kind)));
  if (same.front()->recipe == recipe) words.emplace_back("first pass");
  if (same.back()->recipe == recipe) words.emplace_back("last pass");
  for (std::size_t i = 1; i + 1 < same.size(); ++i) {
    if (same[i]->recipe != recipe) continue;
    words.emplace_back("inner pass");
    break;
  }
  const std::int64_t layers = layers_of(program, role, own->chunk);
  for (std::int64_t few = 0; few <= kFewLayers; ++few)
    if (layers == few) words.push_back(fmt::format("layers {}", few));
  if (own->chunk < role.chunks.size()) {
    for (const workload::PartRun& run : role.chunks[own->chunk])
      words.push_back("part " + program.parts[run.part].name);
  }
  add_bucket_words(program, role, own->chunk, words);
  if (role.where.stage == 0) words.emplace_back("first stage");
  if (role.where.stage + 1 == static_cast<std::int32_t>(program.mesh.size(workload::Dim::pp)))
    words.emplace_back("last stage");
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

Result<void> check_learnable(const Program& program) {
  const auto refuse = [&](const char* what) {
    return fail(Errc::input_unsupported, program.spec.name.empty() ? "job" : program.spec.name,
                fmt::format("{} cannot be learned", what), "use a job without it");
  };
  if (program.role_per_rank || program.cp_classes > 1 || program.expert_classes > 1)
    return refuse("different work on ranks of one stage");
  if (program.spec.model.kind != workload::ModelKind::decoder)
    return refuse("a model that is no decoder");
  for (const Role& role : program.roles) {
    for (const auto& recipe : role.recipes) {
      for (const workload::Segment& segment : recipe) {
        if (segment.microbatch_offset != 0) return refuse("a pass of two microbatches");
        for (const workload::Op& op : program.bodies[segment.body].ops)
          if (graph::is_message(op.kind) && op.axis != workload::Axis::pp)
            return refuse("messages within a stage");
      }
    }
  }
  return {};
}

}  // namespace orrery::generative
