// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/device_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "addons/infragraph/node_classes.h"
#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

class LayoutsBuilder {
 public:
  explicit LayoutsBuilder(const Infrastructure& file) : file_(file), made_(file.devices.size()) {}

  Result<void> make(std::size_t device, int depth) {
    DeviceLayout& layout = made_[device];
    const Device& is = file_.devices[device];
    if (layout.known) return {};
    if (layout.open)
      return fail(Errc::input_cycle, is.place,
                  fmt::format("device {} contains itself, possibly inside nested devices",
                              in_quotes(is.name)),
                  "remove one of the nested devices");
    if (depth > limits::kConfigDepth)
      return fail(Errc::limit_exceeded, is.place,
                  fmt::format("devices nested deeper than {} levels", limits::kConfigDepth));
    layout.open = true;
    for (const Component& component : is.components) {
      std::uint64_t each = 1;
      if (component.device) {
        const auto nested = file_.device_of.find(component.name);
        if (nested == file_.device_of.end())
          return fail(Errc::input_corrupt, is.place,
                      fmt::format("{} contains the device {}, which is not described",
                                  in_quotes(is.name), in_quotes(component.name)),
                      "describe the device under devices");
        if (auto done = make(nested->second, depth + 1); !done) return done;
        each = made_[nested->second].size;
        layout.holds_devices |= made_[nested->second].holds_devices;
      } else {
        const NodeClass kind = class_of(component, is.name, true, 0);
        layout.holds_devices |= kind == NodeClass::device;
        if (component.type == "port") layout.ports = saturating_sum(layout.ports, component.count);
      }
      layout.first.push_back(layout.size);
      layout.each.push_back(each);
      layout.size = saturating_sum(layout.size, saturating_product(each, component.count));
    }
    layout.open = false;
    layout.known = true;
    return {};
  }

  Result<std::vector<DeviceLayout>> all() {
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (auto done = make(i, 0); !done) return tl::unexpected(done.error());
    }
    return std::move(made_);
  }

 private:
  const Infrastructure& file_;
  std::vector<DeviceLayout> made_;
};

}  // namespace

Result<std::vector<DeviceLayout>> make_layouts(const Infrastructure& file) {
  return LayoutsBuilder(file).all();
}

std::uint64_t NodeSelection::at(std::uint64_t i) const {
  std::uint64_t node = base_;
  for (std::size_t d = digits_.size(); d-- > 0;) {
    node += i % digits_[d].size * digits_[d].stride;
    i /= digits_[d].size;
  }
  return node;
}

void NodeSelection::narrow(const IndexRange& range, std::uint64_t stride) {
  base_ += range.first * stride;
  size_ = saturating_product(size_, range.size);
  digits_.push_back(
      {std::max<std::uint64_t>(range.size, 1), saturating_product(range.step, stride)});
}

Result<void> select_nodes(const Infrastructure& file, const std::vector<DeviceLayout>& layouts,
                          std::size_t device, std::span<const Slice> slices,
                          const std::string& place, NodeSelection& nodes, Findings& findings) {
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Device& is = file.devices[device];
    const auto found = is.component_of.find(slices[i].name);
    if (found == is.component_of.end()) {
      nodes.clear();
      findings.add(FindingCode::fabric_edge_without_ends,
                   fmt::format("{}: {} has no {}", place, printable(is.name, kShownBytes),
                               printable(slices[i].name, kShownBytes)));
      return {};
    }
    const Component& component = is.components[found->second];
    Result<IndexRange> range = range_of(slices[i], component.count, place);
    if (!range) return tl::unexpected(range.error());
    nodes.move(layouts[device].first[found->second]);
    nodes.narrow(*range, layouts[device].each[found->second]);
    const bool last = i + 1 == slices.size();
    if (component.device == last)
      return fail(
          Errc::input_corrupt, place,
          last
              ? fmt::format("{} is a device; name one of its components", in_quotes(component.name))
              : fmt::format("{} is not a device and has no components", in_quotes(component.name)));
    if (component.device) device = file.device_of.find(component.name)->second;
  }
  return {};
}

std::uint64_t pair_count(EdgeScheme scheme, const NodeSelection& a, const NodeSelection& b) {
  switch (scheme) {
    case EdgeScheme::one2one:
      return std::min(a.size(), b.size());
    case EdgeScheme::many2many:
      return saturating_product(a.size(), b.size());
    case EdgeScheme::ring:
      return saturating_sum(a.size(), b.size());
  }
  return 0;
}

}  // namespace orrery::platform::infragraph
