// The members of a struct whose values are judged one by one where its bytes are written to a file, compared or sent.
#ifndef DVM_CLANG_MEMBERS_H
#define DVM_CLANG_MEMBERS_H

#include "SiteText.h"

namespace dvm {
// The struct that the address of an argument lies in, or the first of a row of them.
struct InRecord {
  const clang::RecordType *Type = nullptr; // null: none whose members are judged
  uint64_t Begin = 0;                      // of the address, from the struct's beginning
  const clang::Expr *Owner = nullptr;      // the struct, array or pointer as it is written
  char Form = 0;                           // '.' a struct, '[' an array, '>' a pointer
  uint64_t Times = 0;                      // so many follow each other; 0: any number
};
// 'E' is the lvalue whose address is handed over; with 'Pointer' the pointer or array itself.
InRecord recordOf(const clang::ASTContext &Ctx, const clang::Expr *E, bool Pointer);
// Its lines of the site's text.
void membersText(SiteText &T, const clang::ASTContext &Ctx, const InRecord &R);
// Where the data of a struct lie that are assigned one by one, ' <offset> <bytes> <count>' each; nothing where they are too many.
void partsText(SiteText &T, const clang::ASTContext &Ctx, clang::QualType Type);
} // namespace dvm
#endif
