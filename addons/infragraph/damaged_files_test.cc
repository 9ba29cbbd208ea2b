// SPDX-License-Identifier: Apache-2.0
//
// Damaged files of InfraGraph end in an error that states where and what, or in another fabric.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "addons/infragraph/infragraph.h"
#include "orrery/platform/topology/formats/formats_testing.h"

namespace orrery::platform {
namespace {

using formats_testing::expect_survives_damage;

struct SmallFile {
  const char* format;
  std::string_view text;
};

constexpr SmallFile kSmallFiles[] = {
    {"InfraGraph",
     "name: s\ndevices:\n- name: d\n  components:\n  - {name: x, choice: xpu, count: 2}\n"
     "  - {name: w, choice: switch}\n  - {name: c, choice: device}\n"
     "  edges: [{ep1: {component: 'x[0:2]'}, ep2: {component: w}, scheme: many2many, link: l}]\n"
     "  links: [{name: l, physical: {bandwidth: {gigabits_per_second: 4}, latency: {ns: 5}}}]\n"
     "- {name: c, components: [{name: n, choice: nic}]}\ninstances: [{name: h, device: d, count: "
     "2}]\n"
     "edges: [{ep1: {instance: 'h[0]', component: 'c.n'}, ep2: {instance: 'h[1]', component: "
     "'c[0].n[0]'}, scheme: one2one, link: m}]\n"},
    {"annotated InfraGraph",
     R"({"infrastructure":{"devices":[{"name":"d","components":[{"name":"x","choice":"xpu",)"
     R"("count":2}],"edges":[{"ep1":{"component":"x"},"ep2":{"component":"x"},"scheme":"ring",)"
     R"("link":"l"}],"links":[{"name":"l"}]}],"instances":[{"name":"h","device":"d"}]},)"
     R"("annotations":{"nodes":[{"name":"h[0:1]x[1]","attributes":[{"attribute":"rank",)"
     R"("value":"0"}]}],"edges":[{"ep1":"h.0.x.0","ep2":"h.0.x.1","attributes":[{"attribute":)"
     R"("bandwidth","value":"4 Gbps"}]}],"links":[{"name":"l","attributes":[{"attribute":"width",)"
     R"("value":"4"}]}]}})"},
    {"old InfraGraph",
     "devices: [{name: d, components: [{name: x, type: xpu}, {name: n, type: nic}], "
     "links: [{name: l, bandwidth: {gbps: 4}}], connections: [x.0.l.n.0, x.1.l.n.0]}]\n"
     "instances: [{name: h, device: d, count: 2}]\nconnections: [h.0.n.0.e.h.1.n.0]\n"},
    {"networkx",
     "directed: false\nnodes: [{id: h.0.x.0, type: xpu, rank: 0}, {id: h.0.n.0}]\nedges: "
     "[{source: h.0.x.0, target: h.0.n.0, link: pcie, bandwidth: 4 Gbps, latency: 5 ns}]\n"},
};

std::string written() {
  TopologyBuilder builder("two", "test");
  builder.add(NodeClass::device, "a", builder.add_host());
  builder.add(NodeClass::leaf, "b");
  builder.join(0, 1, {Bandwidth(1e9), ns(5), 2, LinkClass::network});
  return write_infragraph(*builder.finish("test"));
}

TEST(DamagedInfraGraph, CutAndChangedEverywhere) {
  for (const SmallFile& file : kSmallFiles) {
    SCOPED_TRACE(file.format);
    expect_survives_damage(file.text);
  }
  SCOPED_TRACE("written");
  expect_survives_damage(written());
}

}  // namespace
}  // namespace orrery::platform
