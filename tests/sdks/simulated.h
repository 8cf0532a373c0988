// SPDX-License-Identifier: Apache-2.0
//
// Every library of a simulated SDK includes this once. The section says what the library is wherever it is copied to,
// and exports no symbol that the vendor's own library lacks.
#pragma once

__attribute__((section(".flagos.simulated"), used)) static const char flagos_simulated[] =
    "simulated SDK: no evidence for hardware";
