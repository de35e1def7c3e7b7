#ifndef DVM_LLVM_TEMPORARIES_H
#define DVM_LLVM_TEMPORARIES_H

namespace dvmir {
class FunctionState;

// Once the variables are known; S.Temporaries is the object, or null.
void gatherTemporaries(FunctionState &S);

} // namespace dvmir
#endif
