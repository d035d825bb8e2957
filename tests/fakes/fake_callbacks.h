#pragma once

#include <cupti.h>

#include <set>
#include <utility>
#include <vector>

namespace tailwave::fakes {

// What has been asked of CUPTI in this process. Nothing destroys it.
struct Callbacks {
  CUpti_CallbackFunc called = nullptr;
  void* user = nullptr;
  std::set<std::pair<int, unsigned>> enabled;
  CUpti_BuffersCallbackRequestFunc hand_out = nullptr;
  CUpti_BuffersCallbackCompleteFunc take_back = nullptr;
  std::vector<CUpti_ActivityKernel9> records;

  static Callbacks& here() {
    static auto* const one = new Callbacks;
    return *one;
  }
};

inline void call_back(CUpti_CallbackDomain domain, unsigned id, const void* data) {
  Callbacks& state = Callbacks::here();
  if (state.called != nullptr && state.enabled.contains({domain, id}))
    state.called(state.user, domain, id, data);
}

// What a call of the driver does, between what CUPTI calls before and after it.
template <class Parameters, class Call>
CUresult announced(unsigned id, const Parameters& parameters, Call call) {
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};
  data.functionParams = &parameters;
  data.functionReturnValue = &result;
  data.callbackSite = CUPTI_API_ENTER;
  call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  result = call();
  data.callbackSite = CUPTI_API_EXIT;
  call_back(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
  return result;
}

}  // namespace tailwave::fakes
