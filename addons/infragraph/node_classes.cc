// SPDX-License-Identifier: Apache-2.0
#include "addons/infragraph/node_classes.h"

#include "orrery/platform/topology/formats/common/line_reader.h"

namespace orrery::platform::infragraph {
namespace {

NodeClass class_of_switch(std::string_view name, std::string_view description) {
  for (const std::string_view text : {name, description}) {
    if (mentions_any(text, {"nvsw", "nvlsw", "nv-sw", "nvlink", "nvswitch", "xgmi", "ualink",
                            "npu_interconnect"}))
      return NodeClass::nvswitch;
    if (mentions_any(text, {"pci", "plx"})) return NodeClass::pcie_switch;
  }
  return NodeClass::switched;
}

NodeClass class_of_custom(std::string_view type, std::string_view name,
                          std::string_view description) {
  for (const std::string_view text : {type, name}) {
    if (mentions(text, "nvme") || mentions(text, "storage")) return NodeClass::other;
    if (mentions_any(text, {"slot", "endpoint", "connector", "port", "transceiver", "sfp"}))
      return NodeClass::port;
    if (mentions_any(text, {"nic", "hca", "dpu"})) return NodeClass::nic;
    if (mentions_any(text, {"xpu", "npu", "gpu", "tpu", "accelerator"})) return NodeClass::device;
    if (mentions_any(text, {"switch", "nvsw", "nvlsw", "nv-sw", "pcie-sw", "pciesw", "asic"}))
      return class_of_switch(name, description);
    if (mentions_any(text, {"hbm", "dram", "memory", "cxl"})) return NodeClass::memory;
    if (mentions(text, "cpu")) return NodeClass::cpu;
    if (mentions(text, "optical") || mentions(text, "ocs")) return NodeClass::optical;
  }
  return NodeClass::other;
}

}  // namespace

NodeClass class_of(const Component& component, std::string_view device, bool holds_devices,
                   std::uint64_t ports) {
  const std::string& type = component.type;
  if (type == "xpu" || type == "npu" || type == "gpu" || type == "tpu") return NodeClass::device;
  if (type == "nic") return NodeClass::nic;
  if (type == "port") return NodeClass::port;
  if (type == "memory") return NodeClass::memory;
  if (type == "switch") return class_of_switch(component.name, component.description);
  if (type != "cpu") return class_of_custom(type, component.name, component.description);
  const bool chip = mentions(component.name, "asic") || (ports > 0 && !holds_devices);
  if (!chip) return NodeClass::cpu;
  return ports > 2 || mentions(device, "switch") ? NodeClass::switched : NodeClass::nic;
}

NodeClass class_of_name(std::string_view name) {
  if (mentions_any(name, {"asic", "switch"}) || name == "sw") return class_of_switch(name, {});
  return class_of_custom({}, name, {});
}

LinkClass class_of_link(std::string_view name, std::string_view description, NodeClass a,
                        NodeClass b, bool same_host) {
  const auto either = [&](NodeClass kind) { return a == kind || b == kind; };
  const bool memory = either(NodeClass::memory);
  if (memory || (a == NodeClass::cpu && b == NodeClass::cpu)) return LinkClass::host;
  for (const std::string_view text : {name, description}) {
    if (mentions_any(text, {"pcie", "pci express"})) return LinkClass::pcie;
    if (mentions_any(text, {"nvlink", "nvl", "xgmi", "infinity", "ualink", "xpu_fabric", "c2c",
                            "npu_interconnect", "scaleup", "scale-up", "scale_up"}) ||
        text.starts_with("ici"))
      return LinkClass::scale_up;
    if (mentions_any(text, {"ethernet", "infiniband", "roce"})) return LinkClass::network;
  }
  if (either(NodeClass::nvswitch) && either(NodeClass::device)) return LinkClass::scale_up;
  if (a == NodeClass::device && b == NodeClass::device && same_host) return LinkClass::scale_up;
  if (either(NodeClass::port) && same_host) return LinkClass::inside;
  if (!same_host) return LinkClass::network;
  return either(NodeClass::pcie_switch) ? LinkClass::pcie : LinkClass::other;
}

}  // namespace orrery::platform::infragraph
