// SPDX-License-Identifier: Apache-2.0
//
// The fields of the messages of TensorFlow's sessions that are read.
//
// Source: tensorflow/tensorflow, tensorflow/core: protobuf/config.proto (RunMetadata),
// framework/step_stats.proto, tensor_description.proto, tensor_shape.proto, types.proto,
// cost_graph.proto, graph.proto, node_def.proto.
#pragma once

#include <cstdint>

namespace orrery::trace::tensorflow {

enum RunMetadataField : std::uint32_t {
  kStepStats = 1,
  kCostGraph = 2,
  kPartitionGraphs = 3,
};

enum StepStatsField : std::uint32_t { kDeviceStats = 1 };

enum DeviceStepStatsField : std::uint32_t {
  kDeviceName = 1,
  kNodeStats = 2,
  kThreadNames = 3,  ///< a map
};

enum MapField : std::uint32_t { kMapKey = 1, kMapValue = 2 };

enum NodeExecStatsField : std::uint32_t {
  kNodeName = 1,
  kAllStartMicros = 2,  ///< since 1970; the others are relative to it
  kOpStartMicros = 3,
  kOpEndMicros = 4,
  kAllEndMicros = 5,
  kNodeOutput = 7,
  kTimelineLabel = 8,
  kThreadId = 10,
  // The same times in ns, since TensorFlow 1.9
  kAllStartNanos = 13,
  kOpStartNanos = 14,
  kOpEndNanos = 15,
  kAllEndNanos = 16,
};

enum NodeOutputField : std::uint32_t { kOutputSlot = 1, kOutputTensor = 3 };
enum TensorDescriptionField : std::uint32_t { kTensorType = 1, kTensorShape = 2 };
enum TensorShapeField : std::uint32_t { kDimension = 2 };
enum DimensionField : std::uint32_t { kDimensionSize = 1 };

enum GraphField : std::uint32_t { kGraphNode = 1 };
enum NodeDefField : std::uint32_t {
  kNodeDefName = 1,
  kNodeDefOp = 2,
  kNodeDefInput = 3,
  kNodeDefAttribute = 5,  ///< a map
};
enum AttributeField : std::uint32_t { kAttributeInteger = 3 };

enum CostGraphField : std::uint32_t { kCostNode = 1 };
enum CostNodeField : std::uint32_t {
  kCostName = 1,
  kCostDevice = 2,
  kCostId = 3,  ///< unique among the nodes of a device
  kCostInput = 4,
  kCostControlInput = 8,  ///< packed or not
  kComputeCost = 9,       ///< us
};
enum CostInputField : std::uint32_t { kPrecedingNode = 1 };

}  // namespace orrery::trace::tensorflow
