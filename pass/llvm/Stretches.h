// Innermost loops of nests whose turns are judged together before they are executed (runtime/abi.h: dvmrt_stretch).
#ifndef DVM_LLVM_STRETCHES_H
#define DVM_LLVM_STRETCHES_H
#include "Function.h"

namespace dvmir {

// Before any marker is lowered; behind summarizeNests, whose bodies without checks need none.
void findStretches(FunctionState &S);

} // namespace dvmir
#endif
