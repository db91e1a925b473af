// SPDX-License-Identifier: Apache-2.0
// What turns a captured program into results: judge, bind, run, and the renderers of what they report.
#pragma once
#include "interp/run.h"
#include "semantics/diag/render.h"
#include "semantics/judge.h"
#include "semantics/program/bind.h"
