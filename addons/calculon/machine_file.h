// SPDX-License-Identifier: Apache-2.0
//
// The tables of Calculon's system files, for files.cc alone.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "addons/calculon/machine.h"
#include "orrery/config/parameters.h"

namespace orrery::estimate::calculon {

/// [[from, efficiency], …], falling, the last from 0.
struct StepsFile {
  std::vector<Curve::EfficiencyStep> steps;
};
/// [scalar, offset or null]
struct CostFile {
  Network::Cost cost;
};

enum class Processing : std::uint8_t { no_overlap, roofline };

struct EngineFile {
  double tflops = 0;
  StepsFile curve;
  static constexpr auto fields = std::tuple{
      config::field("tflops", &EngineFile::tflops, "peak", config::positive()).required(),
      config::field("gflops_efficiency", &EngineFile::curve, "by work").required()};
};

struct EnginesFile {
  std::optional<EngineFile> float8, float16, float32, bfloat16;
  static constexpr auto fields =
      std::tuple{config::field("float8", &EnginesFile::float8, "of this type"),
                 config::field("float16", &EnginesFile::float16, "of this type"),
                 config::field("float32", &EnginesFile::float32, "of this type"),
                 config::field("bfloat16", &EnginesFile::bfloat16, "of this type")};
};

struct MemoryFile {
  double gib = 0, gbps = 0;
  StepsFile curve;
  static constexpr auto fields = std::tuple{
      config::field("GiB", &MemoryFile::gib, "capacity", config::at_least(0)).required(),
      config::field("GBps", &MemoryFile::gbps, "bandwidth", config::positive()).required(),
      config::field("MB_efficiency", &MemoryFile::curve, "by bytes").required()};
};

struct CostsFile {
  CostFile p2p, reduce_scatter, all_gather, all_reduce;
  static constexpr auto fields = std::tuple{
      config::field("p2p", &CostsFile::p2p, "[scalar, null]").required(),
      config::field("reduce_scatter", &CostsFile::reduce_scatter, "[scalar, offset]").required(),
      config::field("all_gather", &CostsFile::all_gather, "[scalar, offset]").required(),
      config::field("all_reduce", &CostsFile::all_reduce, "[scalar, offset]").required()};
};

struct NetworkFile {
  double bandwidth = 0, efficiency = 1, latency = 0, processor_usage = 0;
  std::int64_t size = 0;
  CostsFile ops;
  bool must_be_filled = false;
  static constexpr auto fields = std::tuple{
      config::field("bandwidth", &NetworkFile::bandwidth, "GB/s", config::positive()).required(),
      config::field("efficiency", &NetworkFile::efficiency, "of it", config::share()).required(),
      config::field("size", &NetworkFile::size, "devices", config::between(0, 1e12)).required(),
      config::field("latency", &NetworkFile::latency, "seconds", config::between(0, 1e6))
          .required(),
      config::field("ops", &NetworkFile::ops, "bytes that operations send").required(),
      config::field("must_be_filled", &NetworkFile::must_be_filled, "by what uses it").required(),
      config::field("processor_usage", &NetworkFile::processor_usage, "of the device",
                    config::between(0, 0.999999))
          .required()};
};

struct MachineFile {
  EnginesFile matrix, vector;
  MemoryFile mem1, mem2;
  Processing processing_mode = Processing::no_overlap;
  std::vector<NetworkFile> networks;
  static constexpr auto fields =
      std::tuple{config::field("matrix", &MachineFile::matrix, "the engine of products").required(),
                 config::field("vector", &MachineFile::vector, "the engine of all else").required(),
                 config::field("mem1", &MachineFile::mem1, "first memory").required(),
                 config::field("mem2", &MachineFile::mem2, "second memory").required(),
                 config::field("processing_mode", &MachineFile::processing_mode,
                               "arithmetic and memory: one after another, or at a time")
                     .required(),
                 config::field("networks", &MachineFile::networks, "that devices hang on",
                               config::between(1, 64))
                     .required()};
};

}  // namespace orrery::estimate::calculon

namespace orrery::config {

template <>
struct EnumNames<estimate::calculon::Processing> {
  using enum estimate::calculon::Processing;
  static constexpr std::array<EnumName<estimate::calculon::Processing>, 2> names{
      {{"no_overlap", no_overlap}, {"roofline", roofline}}};
};

}  // namespace orrery::config
