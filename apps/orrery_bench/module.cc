// SPDX-License-Identifier: Apache-2.0
//
// The functions that Orrery loads from this library: addons/bench/programs/module_abi.h.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/version.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "addons/bench/programs/module_abi.h"
#include "device.h"
#include "executor.h"
#include "gloo_communicator.h"

namespace orrery::bench {
namespace {

using c10::DispatchKey;

/// All overloads by name, in a fixed order.
const std::map<std::string, std::vector<std::string>>& overload_names() {
  static const auto names = [] {
    std::map<std::string, std::vector<std::string>> all;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
      all[name.name].push_back(name.overload_name);
    for (auto& [name, overloads] : all) std::sort(overloads.begin(), overloads.end());
    return all;
  }();
  return names;
}

/// The dispatch key whose overloads are reported.
DispatchKey& backend() {
  static DispatchKey key = DispatchKey::CPU;
  return key;
}

void append_overload(const std::string& name, const std::string& overload, std::string& out) {
  const auto found = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!found) return;
  const auto has = [&](DispatchKey key) { return found->hasKernelForDispatchKey(key); };
  const bool own = has(backend()) || has(DispatchKey::CompositeExplicitAutograd) ||
                   has(DispatchKey::CompositeExplicitAutogradNonFunctional);
  const bool implicit = has(DispatchKey::CompositeImplicitAutograd);
  out += own || implicit ? 'r' : '-';
  out += implicit && !own ? 'c' : '-';
  out += ' ';
  out += c10::toString(found->schema());
  out += '\n';
}

/// Owns the data that an answer points to.
struct Owner {
  OrreryBenchAnswer answer{};
  ReplayOutcome outcome;
  std::vector<const char*> reasons;
  std::string operator_counts, error;
};

void fill_answer(Owner& owner) {
  const ReplayOutcome& outcome = owner.outcome;
  for (const std::string& reason : outcome.reasons) owner.reasons.push_back(reason.c_str());
  OrreryBenchAnswer& answer = owner.answer;
  answer.steps = outcome.failures.size();
  answer.iterations = outcome.wall_ns.size();
  answer.prepare_ns = outcome.prepare_ns;
  answer.wall_ns = outcome.wall_ns.data();
  answer.cpu_ns = outcome.cpu_ns.data();
  answer.begin_ns = outcome.begin_ns.data();
  answer.length_ns = outcome.length_ns.data();
  answer.failures = outcome.failures.data();
  answer.reasons = owner.reasons.data();
  answer.reshaped = outcome.reshaped.data();
  answer.exchanges =
      outcome.wall_ns.empty() ? 0 : outcome.exchange_begin_ns.size() / outcome.wall_ns.size();
  answer.exchange_begin_ns = outcome.exchange_begin_ns.data();
  answer.exchange_length_ns = outcome.exchange_length_ns.data();
  answer.external_bytes = outcome.external_bytes;
  answer.copies_bytes = outcome.copies_bytes;
  answer.peak_bytes = outcome.peak_bytes;
  answer.held_bytes = outcome.held_bytes.empty() ? nullptr : outcome.held_bytes.data();
  answer.most_bytes = outcome.most_bytes.empty() ? nullptr : outcome.most_bytes.data();
  for (const auto& [name, count] : outcome.operator_counts)
    owner.operator_counts += std::to_string(count) + ' ' + name + '\n';
  answer.operator_counts = owner.operator_counts.c_str();
  answer.energy_uj = outcome.energy_uj;
  answer.energy_ns = outcome.energy_ns;
}

}  // namespace
}  // namespace orrery::bench

#define ORRERY_EXPORT extern "C" __attribute__((visibility("default")))

ORRERY_EXPORT std::int32_t orrery_bench_abi() { return kOrreryBenchAbi; }

ORRERY_EXPORT const char* orrery_bench_version() { return "PyTorch " TORCH_VERSION; }

ORRERY_EXPORT const char* orrery_bench_use(const char* device) {
  static std::string why;
  try {
    const at::Device found = orrery::bench::device_of(device);
    orrery::bench::backend() = found.is_cuda()   ? c10::DispatchKey::CUDA
                               : found.is_meta() ? c10::DispatchKey::Meta
                                                 : c10::DispatchKey::CPU;
    return nullptr;
  } catch (const std::exception& error) {
    why = error.what();
    why = why.substr(0, why.find('\n'));
    return why.c_str();
  }
}

ORRERY_EXPORT const char* orrery_bench_overloads(const char* name) {
  static std::string lines;
  lines.clear();
  const auto& names = orrery::bench::overload_names();
  const auto found = names.find(name);
  if (found == names.end()) return lines.c_str();
  for (const std::string& overload : found->second)
    orrery::bench::append_overload(found->first, overload, lines);
  return lines.c_str();
}

ORRERY_EXPORT OrreryBenchAnswer* orrery_bench_play(const OrreryBenchQuestion* question) {
  auto* const owner = new orrery::bench::Owner;
  owner->answer.owner = owner;
  try {
    orrery::bench::ReplayOptions options;
    options.warm_up = question->warm_up;
    options.iterations = question->iterations;
    options.threads = question->threads;
    options.wait_in_gaps = question->wait_in_gaps != 0;
    options.memory_limit = question->memory_limit;
    options.device = question->device;
    options.synchronize = question->synchronize != 0;
    const orrery::bench::Program program =
        orrery::bench::read_program({question->plan, question->plan_bytes});
    std::unique_ptr<orrery::bench::Communicator> gloo;
    if (question->store != nullptr) {
      gloo = orrery::bench::make_gloo_communicator(
          program, {question->store,
                    question->rank,
                    {question->ranks, question->ranks + question->rank_count},
                    question->timeout_ms});
      options.communicator = gloo.get();
    }
    owner->outcome = orrery::bench::replay(program, options);
    orrery::bench::fill_answer(*owner);
  } catch (const std::exception& error) {
    owner->error = error.what();
    owner->error = owner->error.substr(0, owner->error.find('\n'));
    owner->answer.error = owner->error.c_str();
  }
  return &owner->answer;
}

ORRERY_EXPORT void orrery_bench_free(OrreryBenchAnswer* answer) {
  delete static_cast<orrery::bench::Owner*>(answer->owner);
}
