// Where the file was compiled, for commands that show lines of its source from another folder.
#ifndef DVM_LLVM_FOLDER_H
#define DVM_LLVM_FOLDER_H
#include "llvm/IR/Module.h"

namespace dvmir {

// Leaves a text in the object, as debug information has it; without that nothing.
void tellFolder(llvm::Module &M);

} // namespace dvmir
#endif
