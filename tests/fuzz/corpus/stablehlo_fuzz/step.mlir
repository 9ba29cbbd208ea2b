module @step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 4 : i32} {
  func.func public @main(%a: tensor<8x16x16x4xf16> {mhlo.sharding = "{replicated}"}, %w: tensor<3x3x4x6xf16>, %d: tensor<6x8xf32>) -> (tensor<6x8xf32>) {
    %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x16x16x4xf16>, tensor<3x3x4x6xf16>) -> tensor<8x8x8x6xf16>
    %1 = stablehlo.convert %0 : (tensor<8x8x8x6xf16>) -> tensor<8x8x8x6xf32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x8x8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %3 = call @act(%2) : (tensor<8x6xf32>) -> tensor<8x6xf32>
    %4 = stablehlo.dot_general %3, %d, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
    %5 = "stablehlo.dot_general"(%3, %4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8x6xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
    %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %7 = stablehlo.subtract %d, %6 : tensor<6x8xf32>
    return %7 : tensor<6x8xf32>
  }
  func.func private @act(%x: tensor<8x6xf32>) -> tensor<8x6xf32> {
    %0 = stablehlo.tanh %x : tensor<8x6xf32>
    return %0 : tensor<8x6xf32>
  }
}
