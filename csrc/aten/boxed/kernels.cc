// SPDX-License-Identifier: Apache-2.0
//
// The one table of all compiled kernels, over the generated ones.
#include "aten/boxing.h"

namespace flagos {

#define SHARD(table, rows) extern const CompiledKernel table[rows];
#include "register.inc"
#undef SHARD

}  // namespace flagos

// The kernel of that number, null behind the last. The library's only export, looked up by name.
extern "C" FLAGOS_EXPORT const flagos::CompiledKernel* flagos_kernel(size_t number) {
#define SHARD(table, rows)                            \
  if (number < (rows)) return flagos::table + number; \
  number -= (rows);
#include "register.inc"
#undef SHARD
  return nullptr;
}
