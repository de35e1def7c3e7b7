#ifndef DVM_CLANG_REACH_H
#define DVM_CLANG_REACH_H
#include "SiteText.h"
#include "State.h"

namespace dvm {
// At the end of the file, texts of directives: what else regions use by the functions that they call, and what functions use that regions of
// other files may call.
std::vector<SiteText> reachedTexts(State &St, clang::ASTContext &Ctx, Builder &B);
} // namespace dvm
#endif
