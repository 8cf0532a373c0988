// SPDX-License-Identifier: Apache-2.0
//
// All that a generated runtime may be made of, beside the calls of its SDK.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "arguments.h"
#include "blocks.h"
#include "copies.h"
#include "devices.h"
#include "events.h"
#include "sdk_call.h"
#include "streamless.h"
#include "streams.h"
