// The macro form of C-DVM, 'DVM(PARALLEL [i] ON A[i]; SHADOW_RENEW A)': its directives in the words of '#pragma dvm'.
#ifndef DVM_CLANG_OLDTEXT_H
#define DVM_CLANG_OLDTEXT_H

#include "State.h"

namespace dvm {

// From now on expansions of a macro DVM that stands for nothing are read as directives.
void readOldText(clang::Preprocessor &PP);

// Pragma.cpp: parses the directive and enters what it means.  'End': behind its last token.
void answerDirective(clang::Preprocessor &PP, State &St, std::unique_ptr<Directive> D, clang::SourceLocation End);
void addToken(Directive &D, const clang::Token &T, llvm::StringRef Spelling);
} // namespace dvm
#endif
