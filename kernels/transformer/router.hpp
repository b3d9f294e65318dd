// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "kernels/base/element_type.hpp"
#include "kernels/tensor/cuda.hpp"
#include "kernels/tensor/host.hpp"
#include "kernels/tensor/matrix.hpp"

namespace shardstone {

// The router of a mixture of experts: a linear layer without bias, a softmax over the E experts,
// and the K experts with the largest probabilities, which are the gates of those experts' outputs
// (Shazeer et al. 2017, "Outrageously Large Neural Networks", and Fedus, Zoph and Shazeer 2022,
// "Switch Transformers"). Positions and the router's weight are in S; logits, probabilities and
// their gradients in Real = compute_t<S>, since a rounded logit could change a choice. The order of
// the sums of a row does not depend on the number of rows: a position is routed identically in any
// batch.

/// logits (N, E) = x (N, C) W^T, with weight W (E, C). A GPU adds in another order than the host,
/// so that they may choose differently where experts are nearly tied.
template <class S>
void router_logits(HostQueue queue, Matrix<const S> x, Matrix<const S> weight,
                   Matrix<compute_t<S>> logits);
template <class S>
void router_logits(CudaQueue queue, Matrix<const S, Cuda> x, Matrix<const S, Cuda> weight,
                   Matrix<compute_t<S>, Cuda> logits);

/// Turns logits (N, E) into probabilities in place, and keeps the log_sum_exp (N) of the logits.
/// choices (N, K), K <= E: the experts with the K largest probabilities, in descending order; of
/// equal ones the lower index comes first. A NaN or infinite logit makes probabilities of its row
/// NaNs; the choices are still K different experts.
template <class Real>
void route(HostQueue queue, Matrix<Real> logits_to_probabilities, Real* log_sum_exp,
           Matrix<std::int32_t> choices);
template <class Real>
void route(CudaQueue queue, Matrix<Real, Cuda> logits_to_probabilities, Real* log_sum_exp,
           Matrix<std::int32_t, Cuda> choices);

/// d_logits (N, E), overwritten, for the rows of one sequence. With dp_e = balance_factor picks[e]
/// + (d_gates[k] where choices[k] == e), per row: d_logit_e = p_e (dp_e - sum_j p_j dp_j) + 2
/// z_factor log_sum_exp p_e. d_gates (N, K): the gradient with respect to the chosen probabilities;
/// picks (E): how often each expert is picked in the whole sequence, times balance_factor the
/// gradient of the balance loss; the last term is the gradient of z_factor log_sum_exp^2 (the z
/// loss of Zoph et al. 2022, "ST-MoE", eq. 5). No choice occurs twice in a row of `choices`.
/// d_logits may not overlap the rest.
template <class Real>
void router_backward(HostQueue queue, Matrix<const Real> probabilities,
                     Matrix<const std::int32_t> choices, Matrix<const Real> d_gates,
                     const Real* log_sum_exp, const Real* picks, Real balance_factor, Real z_factor,
                     Matrix<Real> d_logits);
template <class Real>
void router_backward(CudaQueue queue, Matrix<const Real, Cuda> probabilities,
                     Matrix<const std::int32_t, Cuda> choices, Matrix<const Real, Cuda> d_gates,
                     const Real* log_sum_exp, const Real* picks, Real balance_factor, Real z_factor,
                     Matrix<Real, Cuda> d_logits);

/// d_x (N, C) += d_logits (N, E) W, in R, Real or S, rounded once. Adds, because d_x already holds
/// the gradient through the experts.
template <class S, class R>
void router_backward_input(HostQueue queue, Matrix<const compute_t<S>> d_logits,
                           Matrix<const S> weight, Matrix<R> d_x);
template <class S, class R>
void router_backward_input(CudaQueue queue, Matrix<const compute_t<S>, Cuda> d_logits,
                           Matrix<const S, Cuda> weight, Matrix<R, Cuda> d_x);

/// d_weight (E, C) += d_logits^T x, row after row: splitting the rows among several calls gives the
/// same result. On a GPU in 128 sums, each of every 128th row, which are then added: it does not.
template <class S>
void router_backward_weight(HostQueue queue, Matrix<const compute_t<S>> d_logits, Matrix<const S> x,
                            Matrix<compute_t<S>> d_weight);
template <class S>
void router_backward_weight(CudaQueue queue, Matrix<const compute_t<S>, Cuda> d_logits,
                            Matrix<const S, Cuda> x, Matrix<compute_t<S>, Cuda> d_weight);

/// Of N = B T' positions, T' of each of B sequences: adds to `balance` (1) balance_share times the
/// sum over positions and experts of picks (B, E) of the sequence times probabilities (N, E), and
/// to `z` (1) the sum of log_sum_exp^2, both accumulated in double, position by position. On a GPU
/// in an order that depends on the shape alone, and in one queue of a process at a time.
template <class Real>
void router_losses(HostQueue queue, Matrix<const Real> probabilities, Matrix<const Real> picks,
                   const Real* log_sum_exp, double balance_share, double* balance, double* z);
template <class Real>
void router_losses(CudaQueue queue, Matrix<const Real, Cuda> probabilities,
                   Matrix<const Real, Cuda> picks, const Real* log_sum_exp, double balance_share,
                   double* balance, double* z);

}  // namespace shardstone
