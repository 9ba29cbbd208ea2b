// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/clusters/host_links.h"

#include <algorithm>
#include <array>

namespace orrery::study {

namespace {

constexpr std::string_view kA100 = "NVIDIA A100 datasheet: PCIe Gen4, 64 GB/s both ways";
constexpr std::string_view kH100 = "NVIDIA H100 datasheet: PCIe Gen5, 128 GB/s both ways";
constexpr std::string_view kH200 = "NVIDIA H200 datasheet: PCIe Gen5, 128 GB/s both ways";
constexpr std::string_view kGh200 = "NVIDIA GH200 data sheet: NVLink-C2C, 900 GB/s both ways";

constexpr std::array kHostLinks = {
    HostLink{"a100-40gb", "pcie4-x16", kA100},      HostLink{"a100-80gb", "pcie4-x16", kA100},
    HostLink{"a100-pcie-80gb", "pcie4-x16", kA100}, HostLink{"h100-sxm", "pcie5-x16", kH100},
    HostLink{"h100-pcie", "pcie5-x16", kH100},      HostLink{"h200-sxm", "pcie5-x16", kH200},
    HostLink{"gh200", "nvlink-c2c", kGh200},        HostLink{"gh200-144gb", "nvlink-c2c", kGh200}};

}  // namespace

const HostLink* find_host_link(const platform::Device& device) {
  const auto* const found =
      std::find_if(kHostLinks.begin(), kHostLinks.end(),
                   [&](const HostLink& one) { return one.device == device.entry; });
  return found == kHostLinks.end() ? nullptr : found;
}

}  // namespace orrery::study
