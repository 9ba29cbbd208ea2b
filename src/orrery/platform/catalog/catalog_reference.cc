// SPDX-License-Identifier: Apache-2.0
//
// The catalog's page: docs/reference/catalog.md.
#include <fmt/format.h>

#include "orrery/core/text/units.h"
#include "orrery/platform/catalog/catalog.h"

namespace orrery::platform {
namespace {

/// "–" for what is not known.
std::string or_dash(bool known, const std::string& text) { return known ? text : "–"; }

void add_devices(std::string& text) {
  text +=
      "## Devices\n\nPeaks are dense (no sparsity), in TFLOP/s; the first is the default.\n\n"
      "| name | device | peaks | memory bandwidth | memory | source |\n|---|---|---|---|---|---|\n";
  for (const DeviceEntry& each : devices()) {
    std::string peaks;
    for (const Peak& peak : each.peaks) {
      peaks += fmt::format("{}{} {}", peaks.empty() ? "" : ", ", peak.precision,
                           peak.rate.count() / 1e12);
    }
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", each.name, each.title, peaks,
                        format_bandwidth(each.memory_bandwidth), format_bytes(each.memory),
                        each.source);
  }
}

void add_facts(std::string& text) {
  text +=
      "\n"
      "## What is inside\n"
      "\n"
      "Kernel models use these values. For other vendors, SMs are compute units or cores with "
      "matrix units. The clock is the boost clock (if there are two, that of the matrix peaks). "
      "Vector is fp32 outside the matrix units. L2 is the cache that all SMs share, and shared is "
      "the programmable memory of one SM. Power is the maximum of the device. Values without a "
      "public source are omitted.\n"
      "\n"
      "| name | architecture | SMs | clock | vector | L2 | shared | power | source |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const DeviceEntry& each : devices()) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |\n", each.name,
                        name(each.architecture), or_dash(each.sms > 0, fmt::format("{}", each.sms)),
                        or_dash(each.clock_mhz > 0, fmt::format("{} MHz", each.clock_mhz)),
                        or_dash(each.vector.count() > 0, format_flops(each.vector)),
                        or_dash(each.l2.count() > 0, format_bytes(each.l2)),
                        or_dash(each.shared.count() > 0, format_bytes(each.shared)),
                        or_dash(each.power_w > 0, fmt::format("{} W", each.power_w)),
                        or_dash(!each.facts_source.empty(), each.facts_source));
  }
}

void add_steps(std::string& text) {
  text +=
      "\n"
      "## In a step\n"
      "\n"
      "The factor is the duration of matrix products in training steps, divided by the duration "
      "that kernel models predict for them alone. It is fitted to published steps after all other "
      "effects (see [scoreboard](../scoreboard.md)); 80 % of the steps lie in the interval. A "
      "cluster file can set other factors (`device.in_step.factors`).\n"
      "\n"
      "| name | bits | factor | 80 % | source |\n"
      "|---|---|---|---|---|\n";
  for (const DeviceEntry& each : devices())
    for (const StepEffects::Factor& one : each.in_step)
      text += fmt::format("| `{}` | {} | {:.3f} | {:.2f} to {:.2f} | {} |\n", each.name, one.bits,
                          one.factor, one.factor * (1 + one.lower), one.factor * (1 + one.upper),
                          each.in_step_source);
}

void add_builds(std::string& text) {
  text +=
      "\n"
      "## Clusters without a file\n"
      "\n"
      "`--cluster h100-sxm:64` builds a cluster of 64 devices according to the vendor's reference "
      "design: islands, and a network between them. Up to one island is one dimension, or a torus "
      "with sizes as equal as possible.\n"
      "\n"
      "| name | island | by | between islands | source |\n"
      "|---|---|---|---|---|\n";
  for (const DeviceEntry& each : devices()) {
    const SystemDesign& build = each.build;
    if (build.island == 0) continue;
    const std::string block = build.dimensions > 1 ? fmt::format("{}D torus", build.dimensions)
                                                   : std::string(name(build.block));
    const std::string ports =
        build.ports == 1 ? "one port per device" : fmt::format("{} ports per device", build.ports);
    text += fmt::format(
        "| `{}` | {} | `{}`, {} | {} | {} |\n", each.name, build.island, build.scale_up, block,
        or_dash(!build.scale_out.empty(), fmt::format("`{}`, {}", build.scale_out, ports)),
        build.source);
  }
}

void add_links(std::string& text) {
  text +=
      "\n"
      "## Links\n"
      "\n"
      "Bandwidth is per direction, from one device into its switch or over one link to a neighbor. "
      "Latency is per hop (two hops through a switch) and always an assumption, because vendors do "
      "not publish it.\n"
      "\n"
      "| name | link | bandwidth | latency | source of the bandwidth | source of the latency |\n"
      "|---|---|---|---|---|---|\n";
  for (const LinkEntry& each : links()) {
    text += fmt::format("| `{}` | {} | {} | {} ns | {} | {} |\n", each.name, each.title,
                        format_bandwidth(each.bandwidth),
                        static_cast<double>(each.latency.count()) / kPsPerNs, each.source,
                        each.latency_source);
  }
}

void add_host_links(std::string& text) {
  text +=
      "\n"
      "## Links to hosts\n"
      "\n"
      "Offloaded data goes to the host over this link, if the cluster has no `remote_memory`. "
      "Devices without a public source are omitted.\n"
      "\n"
      "| name | link | source |\n"
      "|---|---|---|\n";
  for (const DeviceEntry& each : devices())
    if (!each.host_link.empty())
      text +=
          fmt::format("| `{}` | `{}` | {} |\n", each.name, each.host_link, each.host_link_source);
}

}  // namespace

std::string catalog_reference() {
  std::string text =
      "# The catalog\n\n"
      "<!-- Generated from data/catalog. To renew it, run the platform tests "
      "with "
      "ORRERY_UPDATE_DOCS=1. -->\n\n";
  add_devices(text);
  add_facts(text);
  add_steps(text);
  add_builds(text);
  add_links(text);
  add_host_links(text);
  return text;
}

}  // namespace orrery::platform
