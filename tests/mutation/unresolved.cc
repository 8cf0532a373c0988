// SPDX-License-Identifier: Apache-2.0
//
// A reference that nothing resolves: the library links, and fails to load.
extern "C" void SdkFunctionOfAnotherVersion(void);

extern "C" void (*const unresolved)(void) = SdkFunctionOfAnotherVersion;
