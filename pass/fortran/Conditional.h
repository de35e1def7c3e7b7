#ifndef DVM_FORTRAN_CONDITIONAL_H
#define DVM_FORTRAN_CONDITIONAL_H
#include "flang/Parser/parsing.h"
#include <string>

namespace dvmf {

// The text with empty lines in place of those in branches of '#if' that are not compiled; 'Name' is its file.
std::string onlyCompiled(const std::string &Raw, const std::string &Name, const Fortran::parser::Options &Options);

} // namespace dvmf
#endif
