#include "core/version.h"

namespace tailwave {

const char* program_version() {
  return TAILWAVE_VERSION;
}
const char* program_commit() {
  return TAILWAVE_COMMIT;
}

}  // namespace tailwave
