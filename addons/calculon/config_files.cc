// SPDX-License-Identifier: Apache-2.0
//
// Reads Calculon's files: application, system and execution.
#include "addons/calculon/machine.h"
#include "addons/calculon/machine_file.h"
#include "orrery/config/parameters.h"

namespace orrery::estimate::calculon {

using config::Json;
using config::Kind;
using config::Limits;
using config::OrderedJson;
using config::Reading;

// Must precede all templates that use them: argument-dependent lookup finds them by namespace.

void read_value(const Json& value, const std::string& path, const Limits&, StepsFile& out,
                Reading& reading) {
  if (!config::is_list(value, path, config::between(1, 1000), "pairs of numbers", reading)) return;
  out.steps.clear();
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string here = config::pointer(path, i);
    if (!config::is_list(value[i], here, config::between(2, 2), "from and efficiency", reading))
      return;
    Curve::EfficiencyStep step{};
    config::read_value(value[i][0], config::pointer(here, 0), config::at_least(0), step.from,
                       reading);
    config::read_value(value[i][1], config::pointer(here, 1), config::share(), step.efficiency,
                       reading);
    if (reading.error) return;
    if (!out.steps.empty() && step.from >= out.steps.back().from)
      return reading.fail(Errc::config_range, here, "is not below the previous step",
                          "list steps from the largest to the smallest");
    out.steps.push_back(step);
  }
  if (out.steps.back().from != 0)
    reading.fail(Errc::config_range, path, "does not cover sizes below its last step",
                 "begin the last step at 0");
}
OrderedJson schema_of(Kind<StepsFile>, const Limits&) {
  return {{"type", "array"}, {"items", {{"type", "array"}}}};
}
std::string about_kind(Kind<StepsFile>, const Limits&) { return "a list of pairs"; }
OrderedJson write_value(const StepsFile& steps) {
  OrderedJson out = OrderedJson::array();
  for (const Curve::EfficiencyStep& step : steps.steps) out.push_back({step.from, step.efficiency});
  return out;
}

void read_value(const Json& value, const std::string& path, const Limits&, CostFile& out,
                Reading& reading) {
  if (!config::is_list(value, path, config::between(2, 2), "scalar and offset", reading)) return;
  config::read_value(value[0], config::pointer(path, 0), config::positive(), out.cost.scalar,
                     reading);
  out.cost.offset = 0;
  if (value[1].is_null()) return;
  config::read_value(value[1], config::pointer(path, 1), config::between(-1, 1e6), out.cost.offset,
                     reading);
}
OrderedJson schema_of(Kind<CostFile>, const Limits&) { return {{"type", "array"}}; }
std::string about_kind(Kind<CostFile>, const Limits&) { return "a pair"; }
OrderedJson write_value(const CostFile& file) { return {file.cost.scalar, file.cost.offset}; }

namespace {

Curve curve(const StepsFile& file, double unit) {
  Curve curve{file.steps};
  for (Curve::EfficiencyStep& step : curve.steps) step.from *= unit;
  return curve;
}

std::array<std::optional<Rate>, kDataTypes> engine(const EnginesFile& file) {
  std::array<std::optional<Rate>, kDataTypes> rates;
  const std::array of{&file.float8, &file.float16, &file.float32, &file.bfloat16};
  for (std::size_t i = 0; i < of.size(); ++i)
    if (const auto& one = *of[i]) rates[i] = Rate{one->tflops * 1e12, curve(one->curve, 1e9)};
  return rates;
}

Memory memory(const MemoryFile& file) {
  return {file.gib * static_cast<double>(1 << 30), {file.gbps * 1e9, curve(file.curve, 1e6)}};
}

Network network(const NetworkFile& file) {
  return {file.bandwidth * 1e9 * file.efficiency,
          file.latency,
          file.size,
          file.must_be_filled,
          file.processor_usage,
          {file.ops.p2p.cost, file.ops.reduce_scatter.cost, file.ops.all_gather.cost,
           file.ops.all_reduce.cost}};
}

template <class S>
Result<S> parse(std::string_view text, const std::string& where) {
  const auto tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  S out{};
  Reading reading{where};
  config::read_value(*tree, "", {}, out, reading);
  if (reading.error) return tl::unexpected(*reading.error);
  return out;
}

}  // namespace

Result<Model> parse_model(std::string_view text, const std::string& where) {
  return parse<Model>(text, where);
}

Result<Plan> parse_plan(std::string_view text, const std::string& where) {
  return parse<Plan>(text, where);
}

Result<Machine> parse_machine(std::string_view text, const std::string& where) {
  const auto file = parse<MachineFile>(text, where);
  if (!file) return tl::unexpected(file.error());
  Machine machine{engine(file->matrix),
                  engine(file->vector),
                  memory(file->mem1),
                  memory(file->mem2),
                  file->processing_mode == Processing::roofline,
                  {}};
  for (const NetworkFile& one : file->networks) machine.networks.push_back(network(one));
  return machine;
}

std::string to_json(const Plan& plan) { return config::write_value(plan).dump(2) + "\n"; }

}  // namespace orrery::estimate::calculon
