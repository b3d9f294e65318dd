// SPDX-License-Identifier: BSD-3-Clause
// Names of errors, and CUDA's own words for them.
#include "validation/emulated_device/error_texts.hpp"

#include <algorithm>
#include <array>

namespace shardstone::emulated {

namespace {

struct ErrorText {
    cudaError_t code;
    const char* name;
    const char* text;
};

#define SHARDSTONE_ERROR(name, text) \
    ErrorText {                      \
        name, #name, text            \
    }
constexpr std::array error_texts{
    SHARDSTONE_ERROR(cudaSuccess, "no error"),
    SHARDSTONE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SHARDSTONE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SHARDSTONE_ERROR(cudaErrorInitializationError, "initialization error"),
    SHARDSTONE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SHARDSTONE_ERROR(cudaErrorInsufficientDriver,
                     "CUDA driver version is insufficient for CUDA runtime version"),
    SHARDSTONE_ERROR(cudaErrorDevicesUnavailable,
                     "CUDA-capable device(s) is/are busy or unavailable"),
    SHARDSTONE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    SHARDSTONE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SHARDSTONE_ERROR(cudaErrorNoKernelImageForDevice,
                     "no kernel image is available for execution on the device"),
    SHARDSTONE_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    SHARDSTONE_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    SHARDSTONE_ERROR(cudaErrorPeerAccessUnsupported,
                     "peer access is not supported between these two devices"),
    SHARDSTONE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SHARDSTONE_ERROR(cudaErrorNotReady, "device not ready"),
    SHARDSTONE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SHARDSTONE_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    SHARDSTONE_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    SHARDSTONE_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    SHARDSTONE_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    SHARDSTONE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    SHARDSTONE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    SHARDSTONE_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    SHARDSTONE_ERROR(cudaErrorNotSupported, "operation not supported"),
    SHARDSTONE_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    SHARDSTONE_ERROR(cudaErrorStreamCaptureUnsupported,
                     "operation not permitted when stream is capturing"),
    SHARDSTONE_ERROR(cudaErrorStreamCaptureInvalidated,
                     "operation failed due to a previous error during capture"),
    SHARDSTONE_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not initiated in this stream"),
    SHARDSTONE_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    SHARDSTONE_ERROR(cudaErrorStreamCaptureIsolation,
                     "dependency created on uncaptured work in another stream"),
    SHARDSTONE_ERROR(cudaErrorCapturedEvent,
                     "operation not permitted on an event last recorded in a capturing stream"),
    SHARDSTONE_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef SHARDSTONE_ERROR

const ErrorText* text_of(cudaError_t code) {
    const auto* const found = std::ranges::find(error_texts, code, &ErrorText::code);
    return found == error_texts.end() ? nullptr : found;
}

}  // namespace

bool is_name_of_error(std::string_view name, cudaError_t& code) {
    const auto* const found = std::ranges::find(error_texts, name, &ErrorText::name);
    if (found == error_texts.end()) return false;
    code = found->code;
    return true;
}

}  // namespace shardstone::emulated

extern "C" {

const char* cudaGetErrorName(cudaError_t code) {
    const auto* const found = shardstone::emulated::text_of(code);
    return found == nullptr ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t code) {
    const auto* const found = shardstone::emulated::text_of(code);
    return found == nullptr ? "unrecognized error code" : found->text;
}

}  // extern "C"
