// SPDX-License-Identifier: Apache-2.0
//
// libbpu: how many cores there are. UCP_SIM_CORES is for tests: no driver, or one that fails.
#include <hb_bpu.h>

#include <cstdlib>

#include "simulated.h"

int32_t hb_bpu_core_num(void) {
  const char* const chosen = std::getenv("UCP_SIM_CORES");
  return chosen == nullptr ? 4 : std::atoi(chosen);
}
