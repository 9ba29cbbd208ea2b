// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/jobs/usable_memory.h"

#include <cstdint>

#include "orrery/platform/catalog/catalog.h"

namespace orrery::study {
namespace {

using platform::Architecture;

constexpr std::int64_t kKibibyte = 1 << 10, kMebibyte = 1 << 20;

/// Context and loaded kernels. PyTorch's maintainers: some 300 MB since CUDA 11.7 loads kernels
/// when they are needed (pytorch/pytorch issue 107667); ncclCommInitRank's share and kernels of a
/// training step on top: 1.06 GB on H100 before any buffer of a collective (NVIDIA/nccl issue
/// 1685).
constexpr std::int64_t kContext = 1'060'000'000;

/// Rings of one communicator: 24 channels, two neighbors, a buffer of 10 MiB for all three
/// protocols towards each (sizes in NVIDIA/nccl issue 1685; channels of an NVLink island of A100 or
/// H100). Seen: 544 and 688 MB for groups of two and of more on A100 (NVIDIA/nccl issue 964).
constexpr std::int64_t kCommunicator = 24 * 2 * 10 * kMebibyte;

/// A first all-to-all of eight H100 takes 3.28 GB for 7 peers (NVIDIA/nccl issue 1685).
constexpr std::int64_t kPeer = 3'280'000'000 / 7;

/// PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp, parseChosenWorkspaceSize: 32 MiB on compute
/// capability 9.0, else :4096:2:16:8; 128 MiB on gfx94 and gfx95, 32 MiB on other AMD devices.
std::int64_t product_workspace(Architecture architecture) {
  switch (architecture) {
    case Architecture::hopper:
    case Architecture::cdna2:
      return 32 * kMebibyte;
    case Architecture::cdna3:
    case Architecture::cdna4:
      return 128 * kMebibyte;
    default:
      return 2 * 4096 * kKibibyte + 8 * 16 * kKibibyte;
  }
}

/// Transformer Engine, pytorch/cpp_extensions/gemm.py, get_cublas_workspace_size_bytes: 32 MiB from
/// compute capability 9 on, else 4 MiB.
std::int64_t transformer_workspace(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
    case Architecture::turing:
    case Architecture::ampere:
    case Architecture::ada:
      return 4 * kMebibyte;
    default:
      return 32 * kMebibyte;
  }
}

/// Whether PyTorch and an NCCL-compatible collective library support it.
bool runs_pytorch(Architecture architecture) {
  switch (architecture) {
    case Architecture::unknown:
    case Architecture::xe2:
    case Architecture::tpu:
    case Architecture::gaudi:
    case Architecture::trainium:
      return false;
    default:
      return true;
  }
}

}  // namespace

workload::DeviceMemory reserved_memory(std::string_view entry) {
  workload::DeviceMemory memory;
  const platform::DeviceEntry* device = platform::find_device(entry);
  if (device == nullptr || !runs_pytorch(device->architecture)) return memory;
  memory.products = product_workspace(device->architecture);
  memory.transformer = transformer_workspace(device->architecture);
  memory.deterministic = 8 * 4096 * kKibibyte;  // CUBLAS_WORKSPACE_CONFIG=:4096:8 (PyTorch's notes
                                                // on reproducibility)
  memory.context = kContext;
  memory.communicator = kCommunicator;
  memory.peer = kPeer;
  return memory;
}

Bytes usable_memory(const platform::Device& device) {
  const platform::DeviceEntry* entry = platform::find_device(device.entry);
  const bool own = entry == nullptr || device.memory_capacity != entry->memory;
  return own || entry->usable == Bytes{} ? device.memory_capacity : entry->usable;
}

Bytes usable_total_memory(const platform::Device& device) {
  const Bytes own = usable_memory(device);
  if (!device.expansion || own == Bytes{}) return own;
  return device.expansion->capacity == Bytes{} ? Bytes{} : own + device.expansion->capacity;
}

}  // namespace orrery::study
