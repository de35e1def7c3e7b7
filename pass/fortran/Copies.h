// What the statements of an asynchronous block copy, as sections that can be told behind it.
#ifndef DVM_FORTRAN_COPIES_H
#define DVM_FORTRAN_COPIES_H
#include "Directive.h"
#include "Units.h"
#include <functional>

namespace dvmf {

// Of the statements between 'First' and 'Last' those of the form A(..) = B(..), of sections and of elements in loops of step 1:
// a directive CopyTo and one CopyFrom of each.  'IsArray' says of a name in small letters whether it is an array.
std::vector<Directive> copiesBetween(const std::vector<Statement> &S, const Outline &O, size_t First, size_t Last,
                                     const std::function<bool(const std::string &)> &IsArray);

} // namespace dvmf
#endif
