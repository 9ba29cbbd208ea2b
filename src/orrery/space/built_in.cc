// SPDX-License-Identifier: Apache-2.0
//
// The case studies of examples/case-studies, which the build takes in (cmake/OrreryEmbed.cmake).
#include "orrery/space/case_study.h"

namespace orrery::space {

extern const std::string_view kThemisTutorialText, kWaferScaleText, kThemisText, kScalingText,
    kV100RingText, kTutorialsText, kCometText, kCometFootprintText, kCometMemoryText,
    kCometComputeText, kCometBandwidthText, kCometClustersText, kCometDlrmText, kMemoryPoolsText,
    kLibraText, kCalculonText;

std::vector<BuiltIn> built_in_studies() {
  return {{"themis-tutorial", kThemisTutorialText},
          {"wafer-scale", kWaferScaleText},
          {"themis", kThemisText},
          {"scaling", kScalingText},
          {"v100-ring", kV100RingText},
          {"tutorials", kTutorialsText},
          {"comet", kCometText},
          {"comet-footprint", kCometFootprintText},
          {"comet-memory", kCometMemoryText},
          {"comet-compute", kCometComputeText},
          {"comet-bandwidth", kCometBandwidthText},
          {"comet-clusters", kCometClustersText},
          {"comet-dlrm", kCometDlrmText},
          {"memory-pools", kMemoryPoolsText},
          {"libra", kLibraText},
          {"calculon", kCalculonText}};
}

}  // namespace orrery::space
