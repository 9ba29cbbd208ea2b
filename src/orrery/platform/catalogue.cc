// SPDX-License-Identifier: Apache-2.0
//
// Figures are the makers' own, for dense arithmetic at boost clock. Where a datasheet prints
// figures "with sparsity", half of it stands here.
#include "orrery/platform/catalogue.h"

#include <array>

namespace orrery::platform {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;
constexpr double kGibi = 1073741824.0;

constexpr std::array kV100 = {Peak{"fp16", 125 * kTera}, Peak{"fp32", 15.7 * kTera},
                              Peak{"fp64", 7.8 * kTera}};
constexpr std::array kA100 = {Peak{"bf16", 312 * kTera}, Peak{"fp16", 312 * kTera},
                              Peak{"tf32", 156 * kTera}, Peak{"fp32", 19.5 * kTera},
                              Peak{"fp64", 9.7 * kTera}, Peak{"int8", 624 * kTera}};
constexpr std::array kH100Sxm = {Peak{"bf16", 989.4 * kTera}, Peak{"fp16", 989.4 * kTera},
                                 Peak{"fp8", 1978.9 * kTera}, Peak{"tf32", 494.7 * kTera},
                                 Peak{"fp32", 66.9 * kTera},  Peak{"fp64", 33.5 * kTera},
                                 Peak{"int8", 1978.9 * kTera}};
constexpr std::array kH100Pcie = {Peak{"bf16", 756 * kTera},  Peak{"fp16", 756 * kTera},
                                  Peak{"fp8", 1513 * kTera},  Peak{"tf32", 378 * kTera},
                                  Peak{"fp32", 51.2 * kTera}, Peak{"fp64", 25.6 * kTera},
                                  Peak{"int8", 1513 * kTera}};
constexpr std::array kB200 = {Peak{"bf16", 2250 * kTera}, Peak{"fp16", 2250 * kTera},
                              Peak{"fp8", 4500 * kTera},  Peak{"fp4", 9000 * kTera},
                              Peak{"tf32", 1100 * kTera}, Peak{"fp32", 80 * kTera},
                              Peak{"fp64", 40 * kTera},   Peak{"int8", 4500 * kTera}};
constexpr std::array kGb200 = {Peak{"bf16", 2500 * kTera}, Peak{"fp16", 2500 * kTera},
                               Peak{"fp8", 5000 * kTera},  Peak{"fp4", 10000 * kTera},
                               Peak{"tf32", 1250 * kTera}, Peak{"fp32", 80 * kTera},
                               Peak{"fp64", 40 * kTera},   Peak{"int8", 5000 * kTera}};
constexpr std::array kMi300x = {Peak{"bf16", 1307.4 * kTera}, Peak{"fp16", 1307.4 * kTera},
                                Peak{"fp8", 2614.9 * kTera},  Peak{"tf32", 653.7 * kTera},
                                Peak{"fp32", 163.4 * kTera},  Peak{"fp64", 81.7 * kTera},
                                Peak{"int8", 2614.9 * kTera}};
constexpr std::array kTpuV4 = {Peak{"bf16", 275 * kTera}, Peak{"int8", 275 * kTera}};
constexpr std::array kTpuV5p = {Peak{"bf16", 459 * kTera}, Peak{"fp8", 459 * kTera}};

// Machines as their makers build them.
constexpr Build kDgx1{8,
                      Block::switched,
                      "nvlink2",
                      "ib-edr",
                      0.5,
                      "NVIDIA DGX-1 with V100 datasheet: 8 GPUs, 4 EDR ports; its cube mesh of "
                      "NVLinks is taken for a switch"};
constexpr Build kDgxA100{8,         Block::switched,
                         "nvlink3", "ib-hdr",
                         1,         "NVIDIA DGX A100 datasheet: 8 GPUs, 8 HDR ports for compute"};
constexpr Build kDgxH100{8,         Block::switched,
                         "nvlink4", "ib-ndr",
                         1,         "NVIDIA DGX H100/H200 datasheet: 8 GPUs, 8 NDR ports"};
constexpr Build kPcie8{8,
                       Block::switched,
                       "pcie5-x16",
                       "roce-200",
                       1,
                       "NVIDIA Enterprise Reference Architecture 2-8-5-200: 8 PCIe GPUs, 200 Gb/s "
                       "each"};
constexpr Build kDgxB200{8,         Block::switched,
                         "nvlink5", "ib-ndr",
                         1,         "NVIDIA DGX B200 datasheet: 8 GPUs, 8 ports of 400 Gb/s"};
constexpr Build kNvl72{72,        Block::switched,
                       "nvlink5", "ib-ndr",
                       1,         "NVIDIA DGX GB200 datasheet: 72 GPUs, 72 ports of 400 Gb/s"};
constexpr Build kMi300xPlatform{8,
                                Block::fully_connected,
                                "infinity-fabric-mi300x",
                                "roce-400",
                                1,
                                "AMD Instinct MI300X Platform data sheet (8 devices, all joined); "
                                "AMD's cluster guide: a 400 Gb/s port each"};

constexpr std::array kDevices = {
    DeviceEntry{"v100-sxm2", "NVIDIA V100 SXM2 32 GB", kV100, 900 * kGiga, 32 * kGiga,
                "NVIDIA V100 Tensor Core GPU datasheet (2020)", kDgx1},
    DeviceEntry{"a100-40gb", "NVIDIA A100 SXM4 40 GB", kA100, 1555 * kGiga, 40 * kGiga,
                "NVIDIA A100 Tensor Core GPU datasheet (2020); A100 architecture whitepaper",
                kDgxA100},
    DeviceEntry{"a100-80gb", "NVIDIA A100 SXM4 80 GB", kA100, 2039 * kGiga, 80 * kGiga,
                "NVIDIA A100 Tensor Core GPU datasheet (2021)", kDgxA100},
    DeviceEntry{
        "h100-sxm", "NVIDIA H100 SXM5 80 GB", kH100Sxm, 3.35 * kTera, 80 * kGiga,
        "NVIDIA H100 Tensor Core GPU architecture whitepaper (peaks); H100 datasheet (memory)",
        kDgxH100},
    DeviceEntry{
        "h100-pcie", "NVIDIA H100 PCIe 80 GB", kH100Pcie, 2 * kTera, 80 * kGiga,
        "NVIDIA H100 Tensor Core GPU architecture whitepaper (peaks); H100 datasheet (memory)",
        kPcie8},
    DeviceEntry{"h200-sxm", "NVIDIA H200 SXM 141 GB", kH100Sxm, 4.8 * kTera, 141 * kGiga,
                "NVIDIA H200 Tensor Core GPU datasheet (memory; arithmetic equals H100 SXM)",
                kDgxH100},
    DeviceEntry{"b200", "NVIDIA B200 SXM (HGX, 1000 W) 180 GB", kB200, 8 * kTera, 180 * kGiga,
                "NVIDIA Blackwell architecture technical brief (peaks); DGX B200 datasheet (1,440 "
                "GB and 64 TB/s for 8)",
                kDgxB200},
    DeviceEntry{"gb200", "NVIDIA GB200 (one GPU of NVL72) 186 GB", kGb200, 8 * kTera, 186 * kGiga,
                "NVIDIA GB200 NVL72 datasheet (for 72 GPUs: 360 PFLOP/s sparse bf16, 13.4 TB, 576 "
                "TB/s)",
                kNvl72},
    DeviceEntry{"mi300x", "AMD Instinct MI300X 192 GB", kMi300x, 5.3 * kTera, 192 * kGiga,
                "AMD Instinct MI300X data sheet (2023)", kMi300xPlatform},
    DeviceEntry{"tpu-v4", "Google TPU v4", kTpuV4, 1200 * kGiga, 32 * kGibi,
                "Google Cloud TPU v4 documentation, key specifications"},
    DeviceEntry{"tpu-v5p", "Google TPU v5p", kTpuV5p, 2765 * kGiga, 95 * kGibi,
                "Google Cloud TPU v5p documentation, key specifications"},
};

// Latencies are assumptions: makers do not publish what a collective step costs. The step latencies
// of NCCL's own cost model (low-latency protocol: NVLink 0.47 us, PCIe 1.0 us, network 2.7 us) are
// taken, halved because a step through a switch is two hops, and rounded.
constexpr std::string_view kNcclNvlink =
    "assumption: NCCL cost model, 0.47 us per step of two hops";
constexpr std::string_view kNcclPcie = "assumption: NCCL cost model, 1.0 us per step of two hops";
constexpr std::string_view kNcclNet = "assumption: NCCL cost model, 2.7 us per step of two hops";
constexpr std::string_view kNeighbour = "assumption: 0.5 us to a neighbour";
constexpr std::string_view kPcie = "PCI Express Base Specification: GT/s x 16 lanes x 128/130";
constexpr std::string_view kInfiniband = "InfiniBand roadmap (IBTA), 4x port rate";
constexpr std::string_view kEthernet = "IEEE 802.3 port rate";

constexpr std::array kLinks = {
    LinkEntry{"nvlink2", "NVLink 2 (V100: 6 links of 25 GB/s each way)", 150 * kGiga, 235,
              "NVIDIA V100 datasheet: 300 GB/s both ways", kNcclNvlink},
    LinkEntry{"nvlink3", "NVLink 3 (A100: 12 links of 25 GB/s each way)", 300 * kGiga, 235,
              "NVIDIA A100 datasheet: 600 GB/s both ways", kNcclNvlink},
    LinkEntry{"nvlink4", "NVLink 4 (H100, H200: 18 links of 25 GB/s each way)", 450 * kGiga, 235,
              "NVIDIA H100 datasheet: 900 GB/s both ways", kNcclNvlink},
    LinkEntry{"nvlink5", "NVLink 5 (B200: 18 links of 50 GB/s each way)", 900 * kGiga, 235,
              "NVIDIA DGX B200 datasheet: 14.4 TB/s both ways for 8", kNcclNvlink},
    LinkEntry{"infinity-fabric-mi300x", "AMD Infinity Fabric, one of 7 links to the 7 other MI300X",
              64 * kGiga, 500, "AMD Instinct MI300X data sheet: 128 GB/s both ways per link",
              kNeighbour},
    LinkEntry{"pcie3-x16", "PCI Express 3.0 x16", 8e9 * 16 / 8 * 128 / 130, 500, kPcie, kNcclPcie},
    LinkEntry{"pcie4-x16", "PCI Express 4.0 x16", 16e9 * 16 / 8 * 128 / 130, 500, kPcie, kNcclPcie},
    LinkEntry{"pcie5-x16", "PCI Express 5.0 x16", 32e9 * 16 / 8 * 128 / 130, 500, kPcie, kNcclPcie},
    LinkEntry{"ib-edr", "InfiniBand EDR, 100 Gb/s", 12.5 * kGiga, 1350, kInfiniband, kNcclNet},
    LinkEntry{"ib-hdr", "InfiniBand HDR, 200 Gb/s", 25 * kGiga, 1350, kInfiniband, kNcclNet},
    LinkEntry{"ib-ndr", "InfiniBand NDR, 400 Gb/s", 50 * kGiga, 1350, kInfiniband, kNcclNet},
    LinkEntry{"ib-xdr", "InfiniBand XDR, 800 Gb/s", 100 * kGiga, 1350, kInfiniband, kNcclNet},
    LinkEntry{"roce-100", "RoCE, 100 Gb/s Ethernet", 12.5 * kGiga, 1350, kEthernet, kNcclNet},
    LinkEntry{"roce-200", "RoCE, 200 Gb/s Ethernet", 25 * kGiga, 1350, kEthernet, kNcclNet},
    LinkEntry{"roce-400", "RoCE, 400 Gb/s Ethernet", 50 * kGiga, 1350, kEthernet, kNcclNet},
    LinkEntry{"tpu-v4-ici", "TPU v4 inter-chip interconnect, one of 6 links", 50 * kGiga, 500,
              "TPU v4 (ISCA 2023), 50 GB/s each way per link", kNeighbour},
    LinkEntry{"tpu-v5p-ici", "TPU v5p inter-chip interconnect, one of 6 links", 100 * kGiga, 500,
              "Google Cloud TPU v5p documentation: 1,200 GB/s both ways per chip", kNeighbour},
};

}  // namespace

const Peak* DeviceEntry::peak(std::string_view precision) const {
  for (const Peak& each : peaks) {
    if (each.precision == precision) return &each;
  }
  return nullptr;
}

std::span<const DeviceEntry> devices() { return kDevices; }
std::span<const LinkEntry> links() { return kLinks; }

const DeviceEntry* find_device(std::string_view name) {
  for (const DeviceEntry& each : kDevices) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const LinkEntry* find_link(std::string_view name) {
  for (const LinkEntry& each : kLinks) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

}  // namespace orrery::platform
