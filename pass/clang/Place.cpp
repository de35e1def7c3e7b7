// What stands behind a directive: read ahead without the preprocessor, so that a directive before something that it cannot
// stand before is an error that speaks of the directive, and not one of the tokens that we would enter for it.
#include "State.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;
using namespace dvm;

namespace {

// The next two tokens; 'unknown' where they cannot be told without the preprocessor.
struct Ahead {
  tok::TokenKind First = tok::unknown, Second = tok::unknown;
  SourceLocation Loc;
};

tok::TokenKind kindOf(Preprocessor &PP, Token &T) {
  if (T.is(tok::hash) && T.isAtStartOfLine())
    return tok::unknown; // another directive: its own place is looked at when it is read
  if (T.isNot(tok::raw_identifier))
    return T.getKind();
  IdentifierInfo *II = PP.getIdentifierInfo(T.getRawIdentifier());
  return II->hasMacroDefinition() ? tok::unknown : II->getTokenID();
}

// The next token behind lines '#endif', which change nothing for what follows.
void nextToken(Lexer &Raw, Token &T) {
  Raw.LexFromRawLexer(T);
  while (T.is(tok::hash) && T.isAtStartOfLine()) {
    Token Word;
    Raw.LexFromRawLexer(Word);
    if (Word.isNot(tok::raw_identifier) || Word.getRawIdentifier() != "endif")
      return;
    do
      Raw.LexFromRawLexer(T);
    while (T.isNot(tok::eof) && !T.isAtStartOfLine());
  }
}

Ahead lookAhead(Preprocessor &PP, SourceLocation End) {
  const SourceManager &SM = PP.getSourceManager();
  Ahead A;
  if (End.isInvalid() || End.isMacroID() || SM.isWrittenInScratchSpace(End))
    return A; // _Pragma
  auto [File, Offset] = SM.getDecomposedLoc(End);
  bool Invalid = false;
  StringRef Text = SM.getBufferData(File, &Invalid);
  if (Invalid)
    return A;
  Lexer Raw(SM.getLocForStartOfFile(File), PP.getLangOpts(), Text.begin(), Text.begin() + Offset, Text.end());
  Token T;
  nextToken(Raw, T);
  A.Loc = T.getLocation();
  A.First = kindOf(PP, T);
  Raw.LexFromRawLexer(T);
  A.Second = kindOf(PP, T);
  return A;
}

bool beginsNoDeclaration(const Ahead &A) {
  switch (A.First) {
  case tok::r_brace:
  case tok::l_brace:
  case tok::semi:
  case tok::l_paren:
  case tok::star:
  case tok::amp:
  case tok::plus:
  case tok::minus:
  case tok::plusplus:
  case tok::minusminus:
  case tok::exclaim:
  case tok::tilde:
  case tok::numeric_constant:
  case tok::string_literal:
  case tok::char_constant:
  case tok::kw_for:
  case tok::kw_while:
  case tok::kw_do:
  case tok::kw_if:
  case tok::kw_else:
  case tok::kw_switch:
  case tok::kw_case:
  case tok::kw_default:
  case tok::kw_return:
  case tok::kw_goto:
  case tok::kw_break:
  case tok::kw_continue:
  case tok::kw_sizeof:
  case tok::kw_typedef: return true;
  case tok::identifier:
    switch (A.Second) {
    case tok::equal:
    case tok::l_square:
    case tok::period:
    case tok::arrow:
    case tok::plusplus:
    case tok::minusminus:
    case tok::plusequal:
    case tok::minusequal:
    case tok::starequal:
    case tok::slashequal:
    case tok::percentequal:
    case tok::lesslessequal:
    case tok::greatergreaterequal:
    case tok::ampequal:
    case tok::pipeequal:
    case tok::caretequal:
    case tok::colon: return true;
    default: return false;
    }
  default: return false;
  }
}

bool beginsNoStatement(const Ahead &A) {
  switch (A.First) {
  case tok::r_brace:
  case tok::kw_else:
  case tok::kw_typedef:
  case tok::kw_static:
  case tok::kw_extern:
  case tok::kw_const:
  case tok::kw_volatile:
  case tok::kw_void:
  case tok::kw_char:
  case tok::kw_short:
  case tok::kw_int:
  case tok::kw_long:
  case tok::kw_float:
  case tok::kw_double:
  case tok::kw_signed:
  case tok::kw_unsigned:
  case tok::kw__Bool:
  case tok::kw_struct:
  case tok::kw_union:
  case tok::kw_enum:
  case tok::kw_register:
  case tok::kw__Static_assert:
  case tok::kw_auto:
  case tok::kw_typeof:
  case tok::kw__Atomic:
  case tok::kw_constexpr: return true;
  case tok::identifier: return A.Second == tok::identifier; // 'real x': the name of a type, or nothing
  default: return false;
  }
}

const char *declarationWanted(dvm_directive_kind K) {
  switch (K) {
  case DVM_DIR_ARRAY: return "the declaration of an array, or of a pointer to its elements or rows";
  case DVM_DIR_INHERIT: return "a function";
  default: return "a declaration of the form 'void *name;'";
  }
}

} // namespace

bool dvm::standsWell(const State &St, Preprocessor &PP, const Directive &D, SourceLocation End) {
  dvm_directive_kind K = D.D->kind;
  std::string Name = ("'#pragma dvm " + Twine(dvm_directive_name(K)) + "'").str();
  Ahead A = lookAhead(PP, End);
  if (K <= DVM_DIR_INSTANTIATIONS) {
    bool Over = A.First == tok::eof && PP.getSourceManager().isInMainFile(End);
    if (K == DVM_DIR_INSTANTIATIONS || !(Over || beginsNoDeclaration(A)))
      return true;
    St.error(D.Start, Name + " must stand before " + declarationWanted(K));
    St.note(A.Loc, Over ? "the file ends here" : A.First == tok::kw_typedef ? "this declares a type" : "this is not a declaration");
    return false;
  }
  if (K <= DVM_DIR_ON) {
    if (!beginsNoStatement(A))
      return true;
    St.error(A.Loc, Name + (K == DVM_DIR_PARALLEL ? " must stand before a 'for' loop" : " must stand before a statement or block"));
    St.note(D.Start, "the directive is here");
    return false;
  }
  if (A.First != tok::kw_else)
    return true;
  St.error(D.Start, Name + " cannot stand between a statement and its 'else': enclose both in braces");
  return false;
}
