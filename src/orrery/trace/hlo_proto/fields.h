// SPDX-License-Identifier: Apache-2.0
//
// The fields of XLA's HLO messages that are read.
//
// Sources: openxla/xla, xla/service/hlo.proto (modules, computations, instructions) and
// xla/xla_data.proto (shapes, windows, dimension numbers, replica groups, device assignments).
#pragma once

#include <cstdint>

namespace orrery::trace::hlo_proto {

enum HloField : std::uint32_t { kModule = 1 };

enum ModuleField : std::uint32_t {
  kModuleName = 1,
  kComputations = 3,
  kEntryComputationId = 6,
  kDeviceAssignment = 15,
};

enum DeviceAssignmentField : std::uint32_t { kReplicaCount = 1, kComputationCount = 2 };

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
  kParameterNumber = 9,
  kTupleIndex = 13,
  kInstructionDimensions = 14,
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
  kBatchGroupCount = 58,
  kComparisonDirection = 63,
  kUseGlobalDeviceIds = 71,
  kCollectiveDeviceList = 87,  ///< instead of kReplicaGroups in newer files
};

enum OpMetadataField : std::uint32_t { kOpName = 2 };

enum ShapeField : std::uint32_t { kElementType = 2, kShapeDimensions = 3, kTupleShapes = 4 };

enum WindowField : std::uint32_t { kWindowDimensions = 1 };

enum WindowDimensionField : std::uint32_t {
  kSize = 1,
  kStride = 2,
  kPaddingLow = 3,
  kPaddingHigh = 4,
  kWindowDilation = 5,
  kBaseDilation = 6,
};

enum ConvolutionField : std::uint32_t {
  kKernelInputFeature = 3,
  kKernelOutputFeature = 4,
  kKernelSpatial = 6,
  kInputBatch = 7,
  kInputFeature = 8,
  kOutputBatch = 9,
  kOutputFeature = 10,
  kInputSpatial = 11,
  kOutputSpatial = 12,
};

enum DotField : std::uint32_t {
  kLhsContracting = 1,
  kRhsContracting = 2,
  kLhsBatch = 3,
  kRhsBatch = 4,
};

enum ReplicaGroupField : std::uint32_t { kReplicaIds = 1 };

enum SourceTargetField : std::uint32_t { kSource = 1, kTarget = 2 };

enum DeviceListField : std::uint32_t { kListedGroups = 1, kIotaGroups = 2 };

/// Groups as an enumeration of devices that is reshaped, transposed and cut.
enum IotaGroupsField : std::uint32_t {
  kGroupCount = 1,
  kGroupSize = 2,
  kReshapeDims = 3,
  kTransposePermutation = 4,
};

}  // namespace orrery::trace::hlo_proto
