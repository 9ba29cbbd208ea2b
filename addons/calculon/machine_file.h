// SPDX-License-Identifier: Apache-2.0
//
// The tables of Calculon's system files. Private to files.cc.
#pragma once

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "addons/calculon/machine.h"
#include "orrery/config/parameters.h"

namespace orrery::estimate::calculon {

/// [[from, efficiency], …], descending; the last starts at 0.
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
  static constexpr auto fields =
      std::tuple{required("tflops", &EngineFile::tflops, "peak", config::positive()),
                 required("gflops_efficiency", &EngineFile::curve, "efficiency by work")};
};

struct EnginesFile {
  std::optional<EngineFile> float8, float16, float32, bfloat16;
  static constexpr auto fields =
      std::tuple{config::field("float8", &EnginesFile::float8, "engine of this data type"),
                 config::field("float16", &EnginesFile::float16, "engine of this data type"),
                 config::field("float32", &EnginesFile::float32, "engine of this data type"),
                 config::field("bfloat16", &EnginesFile::bfloat16, "engine of this data type")};
};

struct MemoryFile {
  double gib = 0, gbps = 0;
  StepsFile curve;
  static constexpr auto fields =
      std::tuple{required("GiB", &MemoryFile::gib, "capacity", config::at_least(0)),
                 required("GBps", &MemoryFile::gbps, "bandwidth", config::positive()),
                 required("MB_efficiency", &MemoryFile::curve, "efficiency by bytes")};
};

struct CostsFile {
  CostFile p2p, reduce_scatter, all_gather, all_reduce;
  static constexpr auto fields =
      std::tuple{required("p2p", &CostsFile::p2p, "[scalar, null]"),
                 required("reduce_scatter", &CostsFile::reduce_scatter, "[scalar, offset]"),
                 required("all_gather", &CostsFile::all_gather, "[scalar, offset]"),
                 required("all_reduce", &CostsFile::all_reduce, "[scalar, offset]")};
};

struct NetworkFile {
  double bandwidth = 0, efficiency = 1, latency = 0, processor_usage = 0;
  std::int64_t size = 0;
  CostsFile ops;
  bool must_be_filled = false;
  static constexpr auto fields = std::tuple{
      required("bandwidth", &NetworkFile::bandwidth, "GB/s", config::positive()),
      required("efficiency", &NetworkFile::efficiency, "usable share of the bandwidth",
               config::share()),
      required("size", &NetworkFile::size, "devices", config::between(0, 1e12)),
      required("latency", &NetworkFile::latency, "seconds", config::between(0, 1e6)),
      required("ops", &NetworkFile::ops, "bytes that operations send"),
      required("must_be_filled", &NetworkFile::must_be_filled,
               "whether the users of the network must fill it"),
      required("processor_usage", &NetworkFile::processor_usage,
               "share of the device that the network uses", config::between(0, 0.999999))};
};

struct MachineFile {
  EnginesFile matrix, vector;
  MemoryFile mem1, mem2;
  Processing processing_mode = Processing::no_overlap;
  std::vector<NetworkFile> networks;
  static constexpr auto fields =
      std::tuple{required("matrix", &MachineFile::matrix, "engine of matrix products"),
                 required("vector", &MachineFile::vector, "engine of all other work"),
                 required("mem1", &MachineFile::mem1, "first memory"),
                 required("mem2", &MachineFile::mem2, "second memory"),
                 required("processing_mode", &MachineFile::processing_mode,
                          "whether arithmetic and memory access run one after another or overlap"),
                 required("networks", &MachineFile::networks, "networks of the devices",
                          config::between(1, 64))};
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
