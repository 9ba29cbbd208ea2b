// SPDX-License-Identifier: Apache-2.0
//
// XPlane files of XLA's profiler.
#include <protozero/pbf_writer.hpp>

#include "orrery/trace/xplane/xplane_testing.h"
#include "pytorch_traces.h"

namespace orrery::hostile {
namespace {

using trace::xplane::testing::file;
using trace::xplane::testing::number;
using trace::xplane::testing::PlaneBuilder;
using trace::xplane::testing::text;
using trace::xplane::testing::two_devices;

/// A kernel of an operation whose shape is a tuple of a tuple and so on.
std::string nested_shape(std::size_t levels) {
  namespace proto = trace::hlo_proto;
  std::string shape;
  for (std::size_t i = 0; i < levels; ++i) {
    std::string around;
    protozero::pbf_writer(around).add_message(proto::kTupleShapes, shape);
    shape = std::move(around);
  }
  const std::string program = trace::xplane::testing::hlo_program(
      {{"p0", "parameter", 1, {4}, {}, {{proto::kShape, shape}}},
       {"add.1", "add", 2, {4}, {1, 1}}});
  std::vector<PlaneBuilder> planes;
  planes.emplace_back("/host:metadata").program(1, program);
  planes.emplace_back("/device:GPU:0")
      .line(1, "Stream #1", 0)
      .event("k", 5, 9, {text("hlo_op", "add.1"), number("program_id", 1)});
  return file(planes);
}

/// Each event of the host has the largest id of its metadata yet, and each name is new.
std::string scattered_names(std::uint64_t count) {
  std::string plane =
      PlaneBuilder("/device:GPU:0").line(1, "Stream #1", 0).event("k", 5, 9).bytes();
  protozero::pbf_writer writer(plane);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string value, entry;
    protozero::pbf_writer(value).add_string(trace::xplane::kEventName, "n");
    protozero::pbf_writer map(entry);
    map.add_uint64(trace::xplane::kMapKey, i * i * 977);
    map.add_message(trace::xplane::kMapValue, value);
    writer.add_message(trace::xplane::kEventMetadata, entry);
  }
  std::string out;
  protozero::pbf_writer(out).add_message(trace::xplane::kPlanes, plane);
  return out;
}

}  // namespace

std::vector<Case> xplane_cases() {
  const std::string whole = two_devices();
  const std::string command = "trace convert x.pb -o t";
  const auto bad = [&](std::string name, std::string bytes, std::string says, int exit_code = 3) {
    return refused("xplane_" + std::move(name), command, "x.pb", std::move(bytes),
                   {std::move(says)}, exit_code);
  };
  return {
      bad("cut", whole.substr(0, whole.size() - 30), "E2002"),
      bad("of_names_only", file({PlaneBuilder("/host:CPU"), PlaneBuilder("Task Environment")}),
          "E2011"),
      bad("and_junk", whole + std::string(100, '\x07'), "E2003"),
      bad("100000_planes", file(std::vector<PlaneBuilder>(100'000, PlaneBuilder("/host:CPU"))),
          "E4000", 5),
      made(
          "xplane_shape_nested_5000_deep", command, "x.pb", [] { return nested_shape(5000); },
          "t.0.et"),
      made(
          "xplane_300000_scattered_names", command, "x.pb", [] { return scattered_names(300'000); },
          "t.0.et"),
  };
}

}  // namespace orrery::hostile
