// SPDX-License-Identifier: Apache-2.0
//
// The fields of XLA's HLO messages that are read.
//
// Sources: openxla/xla, xla/service/hlo.proto (modules, computations, instructions) and
// xla/xla_data.proto (shapes, element types, replica groups).
#pragma once

#include <cstdint>

namespace orrery::trace::hlo_proto {

enum HloField : std::uint32_t { kModule = 1 };

enum ModuleField : std::uint32_t {
  kModuleName = 1,
  kEntryComputationName = 2,
  kComputations = 3,
  kModuleId = 5,
  kEntryComputationId = 6,
};

enum ComputationField : std::uint32_t {
  kComputationName = 1,
  kInstructions = 2,
  kComputationId = 5,
  kRootId = 6,
};

enum InstructionField : std::uint32_t {
  kInstructionName = 1,
  kOpcode = 2,
  kShape = 3,
  kMetadata = 7,
  kWindow = 15,
  kConvolutionDimensions = 16,
  kChannelId = 26,
  kCustomCallTarget = 28,
  kDotDimensions = 30,
  kInstructionId = 35,
  kOperandIds = 36,
  kCalledComputationIds = 38,
  kReplicaGroups = 49,
  kFeatureGroupCount = 50,
  kSourceTargetPairs = 52,
  kCollectiveDeviceList = 87,  ///< instead of kReplicaGroups in newer files
};

enum ShapeField : std::uint32_t { kElementType = 2, kDimensions = 3, kTupleShapes = 4 };

enum ReplicaGroupField : std::uint32_t { kReplicaIds = 1 };

enum DeviceListField : std::uint32_t { kListedGroups = 1 };

}  // namespace orrery::trace::hlo_proto
