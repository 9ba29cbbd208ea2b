// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary bytes as an execution trace: the planner returns a consistent plan or an error.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "addons/bench/plan/replay_memory.h"
#include "addons/bench/plan/replay_plan_text.h"
#include "addons/bench/planner/bench_testing.h"
#include "addons/bench/programs/microbenchmark.h"
#include "addons/bench/sizes/sizes.h"
#include "orrery/core/check.h"

using namespace orrery;

namespace {

constexpr std::int64_t kLimit = std::int64_t{1} << 40;

/// Accepts each operator with its recorded schema.
class Anything final : public bench::FrameworkOperators {
 public:
  void learn(const profile::Profile& profile) {
    for (std::size_t n = 0; n < profile.nodes.size(); ++n)
      schemas_.emplace_back(profile.string(profile.nodes[n].schema));
  }
  [[nodiscard]] std::vector<bench::Overload> overloads(std::string_view name) const override {
    std::vector<bench::Overload> found;
    for (const std::string& schema : schemas_) {
      if (schema.starts_with(name) && found.size() < 4) found.push_back({schema, true, false});
    }
    return found;
  }

 private:
  std::vector<std::string> schemas_;
};

void check_value(const bench::Value& value, std::uint32_t slots) {
  ORRERY_CHECK(value.kind != bench::Value::Kind::tensor || value.slot < slots);
  for (const bench::Value& item : value.items) check_value(item, slots);
}

void check(const bench::ReplayPlan& plan) {
  for (const bench::Storage& storage : plan.storages) ORRERY_CHECK(storage.bytes >= 0);
  for (const bench::External& external : plan.externals)
    ORRERY_CHECK(external.slot < plan.slots && external.storage < plan.storages.size());
  for (const bench::ReplayStep& step : plan.steps) {
    ORRERY_CHECK(step.source < plan.sources.size());
    const bool exchanges = step.kind == bench::ReplayStep::Kind::communicate ||
                           step.kind == bench::ReplayStep::Kind::wait;
    ORRERY_CHECK(!exchanges || step.exchange < plan.exchanges.size());
    for (const bench::Value& value : step.arguments) check_value(value, plan.slots);
    for (const bench::Output& output : step.outputs) ORRERY_CHECK(output.slot < plan.slots);
    for (const bench::Slot slot : step.last) ORRERY_CHECK(slot < plan.slots);
  }
  for (const bench::Exchange& exchange : plan.exchanges)
    ORRERY_CHECK(exchange.group < plan.groups.size());
  ORRERY_CHECK(plan.peak_bytes <= kLimit);
}

/// Checks that plans derived from a plan are consistent, too.
void check_made(const bench::ReplayPlan& plan) {
  if (plan.steps.size() > 500) return;
  if (const auto all = bench::microbenchmarks_of(plan, "", kLimit))
    for (const bench::Microbenchmark& micro : *all) check(micro.plan);
  const bench::Sizes sizes(plan);
  bench::SizeChanges changes;
  for (const std::int64_t size : sizes.free_sizes()) changes[size] = size + size / 16 + 1;
  auto other = sizes.resized(changes);
  if (other && bench::plan_memory(*other, kLimit)) check(*other);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto profile = bench::profile_of(std::string(reinterpret_cast<const char*>(data), size));
  if (!profile) return 0;
  Anything operators;
  operators.learn(*profile);
  bench::PlanOptions options;
  options.memory_limit = kLimit;
  options.kernels = true;
  for (const auto& [level, communicate] :
       {std::pair(bench::OperatorLevel::top, bench::CommunicationMode::really),
        std::pair(bench::OperatorLevel::kernel, bench::CommunicationMode::delays),
        std::pair(bench::OperatorLevel::kernel, bench::CommunicationMode::no)}) {
    options.select.level = level;
    options.communicate = communicate;
    options.select.part.kind =
        size % 2 == 0 ? bench::RecordingPart::Kind::all : bench::RecordingPart::Kind::layers;
    const auto plan = bench::make_plan(*profile, operators, options);
    if (!plan) {
      ORRERY_CHECK(!plan.error().what.empty());
      continue;
    }
    check(*plan);
    check_made(*plan);
    ORRERY_CHECK(bench::plan_text(*plan).starts_with("orrery benchmark 1\n"));
  }
  return 0;
}
