// Distributed arrays of the file lie together, on pages that hold nothing else.
#ifndef DVM_LLVM_ARRAYPAGES_H
#define DVM_LLVM_ARRAYPAGES_H
#include "NestTexts.h"

namespace dvmir {

// Where ordinary data share a page with an array, each access to them by address takes the slow path.
void separateArrays(llvm::Module &M, const DistributedArrays &Arrays);

} // namespace dvmir
#endif
