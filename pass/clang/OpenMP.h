// Loops under OpenMP and DVM at once.
#ifndef DVM_CLANG_OPENMP_H
#define DVM_CLANG_OPENMP_H

namespace clang {
class Preprocessor;
}

namespace dvm {
// From now on directives of OpenMP for a loop that has a '#pragma dvm parallel' too have no effect.
void passOverOpenMP(clang::Preprocessor &PP);
} // namespace dvm
#endif
