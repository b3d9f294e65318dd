// SPDX-License-Identifier: BSD-3-Clause
// Columns of the tables of a core's measured peaks and of kernels against their roofline bound.
#include "results/schema/machine.hpp"

#include "results/schema/disturbance.hpp"

namespace shardstone::results {

const TableSchema<MachineRow> MachineRow::schema{
    "machine", Role::derived, "Peak rates of one core, one quantity per row.",
    with_disturbance<Row>({{"quantity", "", "Measured quantity.", &Row::quantity},
                           {"unit", "", "Unit of the numbers in the row.", &Row::unit},
                           {"value", "", "Value of the best call.", &Row::value},
                           {"low", "", "Value of the lowest call.", &Row::low},
                           {"high", "", "Value of the highest call.", &Row::high}})};

const TableSchema<MachineRateRow> MachineRateRow::schema{
    "machine_rates",
    Role::samples,
    "One call of the measurements of a core's rates.",
    {{"peak_flop_s", "FLOP/s", "FP32 multiply-adds, two operations each.", &Row::peak_flop_s},
     {"bandwidth_b_s", "B/s", "Rate of reading and writing outside the caches.",
      &Row::bandwidth_b_s},
     {"bf16_flop_s", "FLOP/s",
      "BF16 factors to FP32 sums by the fastest method: dot products, the matrix unit, products "
      "of matrices, or FP32 multiply-adds after widening.",
      &Row::bf16_flop_s, 2},
     {"fp64_flop_s", "FLOP/s", "FP64 multiply-adds, two operations each.", &Row::fp64_flop_s, 2},
     {"operations_s", "1/s",
      "Vector operations in the fastest mixture of kinds, on elements as wide as FP32.",
      &Row::operations_s, 2},
     {"fp64_operations_s", "1/s", "The same on elements as wide as FP64.", &Row::fp64_operations_s,
      2}}};

const TableSchema<KernelRow> KernelRow::schema{
    "kernels", Role::derived, "One kernel at one size on one core.",
    with_disturbance<Row>(
        {{"name", "", "The kernel.", &Row::name},
         {"size_of", "", "Quantity that the size counts.", &Row::size_of},
         {"size", "1", "Its size.", &Row::size},
         {"time_s", "s", "Median over the repetitions.", &Row::time_s},
         {"time_low_s", "s", "Lower end of the distribution-free 95 % interval for the median.",
          &Row::time_low_s},
         {"time_high_s", "s", "Upper end of that interval.", &Row::time_high_s},
         {"gflop_s", "GFLOP/s", "Operations in the definition over the median time.",
          &Row::gflop_s},
         {"gb_s", "GB/s", "Bytes that must be read and written over the median time.", &Row::gb_s},
         {"intensity", "FLOP/B", "Operations over bytes.", &Row::intensity},
         {"bandwidth_gb_s", "GB/s",
          "Measured rate over as many arrays of the same sizes as the kernel's.",
          &Row::bandwidth_gb_s},
         {"operations", "1", "Arithmetic counted by the bound, in instructions.", &Row::operations,
          2},
         {"roofline_gflop_s", "GFLOP/s", "Rate at which the bound would be reached.",
          &Row::roofline_gflop_s},
         {"best_s", "s", "Time of the fastest repetition.", &Row::best_s, 2},
         {"share", "1", "Time of the bound over the kernel's median time.", &Row::share},
         {"bound_noise", "1",
          "Relative difference between the best and the second-best reading of the rate behind the "
          "bound.",
          &Row::bound_noise, 2},
         {"of_library", "1",
          "For products: speed relative to the fastest library for the same product in FP32.",
          &Row::of_library, 2},
         {"of_library_low", "1", "Its lowest round.", &Row::of_library_low, 2},
         {"of_library_high", "1", "Its highest round.", &Row::of_library_high, 2}})};

const TableSchema<KernelTimeRow> KernelTimeRow::schema{
    "kernel_times",
    Role::samples,
    "One repetition of one kernel.",
    {{"name", "", "The kernel.", &Row::name},
     {"size", "1", "Its size.", &Row::size},
     {"time_s", "s", "Time of one call, averaged over the calls of a repetition.", &Row::time_s}}};

}  // namespace shardstone::results
