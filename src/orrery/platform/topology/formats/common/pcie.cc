// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/common/pcie.h"

namespace orrery::platform {

NodeClass class_of_pci(std::string_view digits, bool displays) {
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  const std::string_view base = digits.substr(0, 2), both = digits.substr(0, 4);
  if (both == "0300" || both == "0380") return displays ? NodeClass::device : NodeClass::other;
  if (both == "0302" || both == "0b40" || base == "12") return NodeClass::device;
  if (base == "02" || both == "0c06") return NodeClass::nic;
  if (both == "0604" || both == "0609") return NodeClass::pcie_switch;
  if (both == "0680") return NodeClass::nvswitch;
  if (base == "05") return NodeClass::memory;
  return NodeClass::other;
}

Bandwidth pcie_rate(double gigatransfers, double lanes) {
  const double coded = gigatransfers <= 5 ? 0.8 : gigatransfers <= 32 ? 128.0 / 130 : 242.0 / 256;
  return Bandwidth(gigatransfers * 1e9 * lanes * coded / 8);
}

}  // namespace orrery::platform
