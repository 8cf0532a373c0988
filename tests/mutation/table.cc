// SPDX-License-Identifier: Apache-2.0
//
// The table of mutations for Python. It is no part of the interposing library: a runtime exports the contract only.
#include "mutant.h"

// Every mutation as a line `name<TAB>what it breaks`, sorted.
extern "C" FLAGOS_EXPORT const char* MutationTable(void) {
  static const std::string table = [] {
    std::string lines;
    for (const auto& [name, mutation] : mutation::Table()) lines += name + "\t" + mutation.breaks + "\n";
    return lines;
  }();
  return table.c_str();
}
