// CUPTI beside fake_driver.cpp: callbacks, and records of the kernels that ran. With FAKE_CUPTI_IS_TAKEN in the environment another
// tool has subscribed before.
#include "fakes/fake_callbacks.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

using tailwave::fakes::Callbacks;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc called, void* user) {
  Callbacks& state = Callbacks::here();
  if (std::getenv("FAKE_CUPTI_IS_TAKEN") != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  state.called = called;
  state.user = user;
  *subscriber = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(unsigned enable, CUpti_SubscriberHandle /*subscriber*/,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (enable != 0) Callbacks::here().enabled.insert({domain, id});
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult /*result*/, const char** text) {
  *text = "CUPTI_ERROR_FAKE";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind /*kind*/) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc hand_out,
                                           CUpti_BuffersCallbackCompleteFunc take_back) {
  Callbacks::here().hand_out = hand_out;
  Callbacks::here().take_back = take_back;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(unsigned /*flags*/) {
  Callbacks& state = Callbacks::here();
  std::uint8_t* buffer = nullptr;
  std::size_t bytes = 0, records = 0;
  state.hand_out(&buffer, &bytes, &records);
  const std::size_t valid = state.records.size() * sizeof state.records.front();
  std::memcpy(buffer, state.records.data(), valid);
  state.take_back(nullptr, 0, buffer, bytes, valid);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  auto* const next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + sizeof(CUpti_ActivityKernel9);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

}  // extern "C"
