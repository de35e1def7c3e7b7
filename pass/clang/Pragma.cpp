// '#pragma dvm': reads the directive's tokens (macros expanded), has them parsed, and enters tokens that make the
// compiler parse and type the operands in the scope of the directive:
//   before a declaration   constants for the operands, then __attribute__((annotate("dvm:N")))
//   before a loop or block while (__dvmm_enter("N", operands..))          - a statement stays one statement
//   stand-alone            __dvmm_direct("N", operands..);
// With -E one literal '#pragma dvm' line is entered, so that the preprocessed text still holds the directive.
#include "Derived.h"
#include "OldText.h"
#include "pass/markers.h"
#include "clang/Basic/TokenKinds.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/TokenConcatenation.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace dvm;

namespace {

// ---- Operands: one walk over the parsed directive, in a fixed order ------------------------------------------------

class OperandWalk {
  std::vector<Operand> &Out;
  const Options &Opts;

public:
  OperandWalk(std::vector<Operand> &Out, const Options &Opts) : Out(Out), Opts(Opts) {}

  void value(dvm_range R) {
    if (!R.count)
      return;
    for (const Operand &O : Out)
      if (O.Range.first == R.first && O.K == Operand::Value)
        return; // [w] gives low and high the same tokens
    Out.push_back({Operand::Value, R});
  }
  void address(dvm_range R) {
    if (R.count)
      Out.push_back({Operand::Address, R});
  }
  void name(unsigned Token) { address({Token, 1}); }

  void axis(const dvm_axis &A) {
    switch (A.kind) {
    case DVM_AXIS_EXPR: value(A.expr); break;
    case DVM_AXIS_AFFINE:
      value(A.coef);
      value(A.add);
      break;
    case DVM_AXIS_RANGE:
      value(A.expr);
      value(A.high);
      break;
    case DVM_AXIS_OTHER:
      if (A.affine) {
        Out.push_back({Operand::Value, A.expr, A.index_token, false});
        Out.push_back({Operand::Value, A.expr, A.index_token, true});
      }
      break;
    case DVM_AXIS_EMPTY: break;
    }
  }
  void width(const dvm_width &W) {
    value(W.low);
    value(W.high);
  }
  void ref(const dvm_ref &R, bool Axes) {
    name(R.name);
    for (unsigned I = 0; Axes && R.axes && I < R.naxes; ++I)
      axis(R.axes[I]);
    for (unsigned I = 0; R.widths && I < R.naxes; ++I)
      width(R.widths[I]);
  }
  void dist(const dvm_dist &D) {
    switch (D.kind) {
    case DVM_DIST_WGT_BLOCK:
      address(D.arg);
      value(D.arg2);
      break;
    case DVM_DIST_GEN_BLOCK:
    case DVM_DIST_INDIRECT: address(D.arg); break;
    case DVM_DIST_MULT_BLOCK: value(D.arg); break;
    case DVM_DIST_DERIVED:
      if (Opts.Parallel)
        Out.push_back({Operand::Derived, D.arg});
      break;
    case DVM_DIST_BLOCK:
    case DVM_DIST_NONE: break;
    }
  }
  void clause(const dvm_clause &C) {
    bool Axes = C.kind != DVM_CL_TIE && C.kind != DVM_CL_CONSISTENT;
    for (unsigned I = 0; I < C.nrefs; ++I)
      ref(C.refs[I], Axes);
    for (unsigned I = 0; I < C.nreductions; ++I) {
      address(C.reductions[I].var);
      address(C.reductions[I].loc);
      value(C.reductions[I].len);
    }
    if (C.kind != DVM_CL_TARGETS)
      for (unsigned I = 0; I < C.nexprs; ++I)
        value(C.exprs[I]);
  }
  // The checks evaluate rules of edges too; those of 'derived' they do not need.
  void rules(const dvm_directive &D) {
    for (unsigned I = 0; D.kind == DVM_DIR_SHADOW_ADD && I < D.refs[0].naxes; ++I)
      if (D.refs[0].axes[I].kind == DVM_AXIS_EXPR && (Opts.Parallel || !Opts.Trace))
        Out.push_back({Operand::Derived, D.refs[0].axes[I].expr});
  }
  void directive(const dvm_directive &D) {
    switch (D.kind) {
    case DVM_DIR_INHERIT:
    case DVM_DIR_INSTANTIATIONS: return; // names of parameters that are declared later
    case DVM_DIR_REDISTRIBUTE:
    case DVM_DIR_REALIGN:
    case DVM_DIR_TASK_REGION: name(D.subject); break;
    case DVM_DIR_MAP: // in its reference
    default: break;
    }
    value(D.count);
    for (unsigned I = 0; I < D.nsizes; ++I)
      value(D.sizes[I]);
    for (unsigned I = 0; I < D.ndists; ++I)
      dist(D.dists[I]);
    for (unsigned I = 0; I < D.nwidths; ++I)
      width(D.widths[I]);
    if (D.has_target)
      ref(D.target, true);
    if (D.has_onto)
      ref(D.onto, true);
    for (unsigned I = 0; I < D.nclauses; ++I)
      clause(D.clauses[I]);
    bool Axes = D.kind != DVM_DIR_LOCALIZE && D.kind != DVM_DIR_SHADOW_ADD;
    for (unsigned I = 0; I < D.nrefs; ++I)
      ref(D.refs[I], Axes);
    rules(D);
    for (unsigned I = 0; I < D.nexprs; ++I)
      value(D.exprs[I]);
  }
};

// ---- Tokens to enter -------------------------------------------------------------------------------------------------

class TokenStream {
  Preprocessor &PP;
  SmallVector<Token, 64> Toks;
  SourceLocation Loc;

public:
  TokenStream(Preprocessor &PP, SourceLocation Loc) : PP(PP), Loc(Loc) {}

  TokenStream &at(SourceLocation L) {
    Loc = L;
    return *this;
  }
  TokenStream &word(StringRef W) {
    IdentifierInfo *II = PP.getIdentifierInfo(W);
    Token T = start(II->getTokenID());
    T.setIdentifierInfo(II);
    T.setLength(W.size());
    Toks.push_back(T);
    return *this;
  }
  TokenStream &punct(tok::TokenKind K) {
    Token T = start(K);
    T.setLength(1);
    Toks.push_back(T);
    return *this;
  }
  TokenStream &string(StringRef S) {
    Token T = start(tok::string_literal);
    PP.CreateString(("\"" + S + "\"").str(), T, Loc, Loc);
    Toks.push_back(T);
    return *this;
  }
  TokenStream &number(StringRef Digits) {
    Token T = start(tok::numeric_constant);
    PP.CreateString(Digits, T, Loc, Loc);
    Toks.push_back(T);
    return *this;
  }
  TokenStream &tokens(const Directive &D, dvm_range R) {
    for (unsigned I = R.first; I < R.first + R.count; ++I)
      Toks.push_back(D.Tokens[I]);
    return *this;
  }
  TokenStream &operand(const Directive &D, const Operand &O) {
    at(D.loc(O.Range.first));
    if (O.K == Operand::Derived)
      return derived(D, O);
    if (O.K == Operand::Address)
      punct(tok::amp);
    punct(tok::l_paren);
    for (unsigned I = O.Range.first; I < O.Range.first + O.Range.count; ++I) {
      if (I == O.IndexToken)
        number(O.IndexIsOne ? "1" : "0");
      else
        Toks.push_back(D.Tokens[I]);
    }
    return punct(tok::r_paren);
  }
  TokenStream &unused() {
    return word("__attribute__").punct(tok::l_paren).punct(tok::l_paren).word("unused").punct(tok::r_paren).punct(tok::r_paren);
  }
  // '{ extern void __dvmp_rule_begin(..); ..; long i; begin(); for (over(0, &T, dim), edge(0, "e"); next(0, &i);) .. { give(low, high); .. }';
  // what follows is 'end()' and its bracket.
  TokenStream &derivedLoop(const Directive &D, const Operand &O) {
    DerivedRule Rule;
    punct(tok::l_brace).function("long", "end", {"void"});
    if (!readDerived(*currentState(), D, O.Range, Rule))
      return *this; // the error has been given
    function("void", "begin", {"void"})
        .function("void", "over", {"int", "volatile void*", "int"})
        .function("void", "edge", {"int", "char*"});
    function("int", "next", {"int", "long*"}).function("void", "give", {"long", "long"});
    for (const RuleIndex &I : Rule.Indices)
      word("long").tokens(D, {I.Name, 1}).punct(tok::semi);
    call("begin").punct(tok::r_paren).punct(tok::semi);
    for (unsigned Level = 0; Level < Rule.Indices.size(); ++Level)
      derivedFor(D, Rule, Level);
    punct(tok::l_brace);
    for (const auto &[Low, High] : Rule.Values)
      call("give").tokens(D, Low).punct(tok::comma).tokens(D, High).punct(tok::r_paren).punct(tok::semi);
    return punct(tok::r_brace);
  }
  TokenStream &derivedFor(const Directive &D, const DerivedRule &Rule, unsigned Level) {
    const RuleIndex &I = Rule.Indices[Level];
    const std::string Number = llvm::utostr(Level);
    word("for").punct(tok::l_paren).call("over").number(Number).punct(tok::comma).punct(tok::amp).tokens(D, Rule.Target);
    punct(tok::comma).number(llvm::utostr(I.Dim)).punct(tok::r_paren);
    for (unsigned Edge : I.Edges)
      punct(tok::comma).call("edge").number(Number).punct(tok::comma).tokens(D, {Edge, 1}).punct(tok::r_paren);
    punct(tok::semi).call("next").number(Number).punct(tok::comma).punct(tok::amp).tokens(D, {I.Name, 1});
    return punct(tok::r_paren).punct(tok::semi).punct(tok::r_paren);
  }
  TokenStream &derivedEnd() { return call("end").punct(tok::r_paren).punct(tok::semi).punct(tok::r_brace); }
  TokenStream &derived(const Directive &D, const Operand &O) {
    return punct(tok::l_paren).derivedLoop(D, O).derivedEnd().punct(tok::r_paren);
  }
  void enter(bool Expand = false) {
    auto Copy = std::make_unique<Token[]>(Toks.size());
    std::copy(Toks.begin(), Toks.end(), Copy.get());
    // The first one must not look like the start of a line: '#' handling and diagnostics go by that flag.
    PP.EnterTokenStream(std::move(Copy), Toks.size(), /*DisableMacroExpansion=*/!Expand, /*IsReinject=*/false);
  }

private:
  TokenStream &type(StringRef T) {
    while (!T.empty()) {
      auto [Word, Rest] = T.split(' ');
      bool Pointer = Word.consume_back("*");
      word(Word);
      if (Pointer)
        punct(tok::star);
      T = Rest;
    }
    return *this;
  }
  // Of the run-time library that the program is linked with.
  static std::string derivedName(StringRef Name) {
    return ((currentState()->Opts.Parallel ? "__dvmp_rule_" : "__dvmrt_rule_") + Name).str();
  }
  TokenStream &call(StringRef Name) { return word(derivedName(Name)).punct(tok::l_paren); }
  TokenStream &function(StringRef Result, StringRef Name, ArrayRef<StringRef> Parameters) {
    word("extern").type(Result).call(Name);
    for (const StringRef &P : Parameters)
      (&P == Parameters.begin() ? *this : punct(tok::comma)).type(P);
    return punct(tok::r_paren).punct(tok::semi);
  }
  Token start(tok::TokenKind K) {
    Token T;
    T.startToken();
    T.setKind(K);
    T.setLocation(Loc);
    return T;
  }
};

bool beforeDeclaration(dvm_directive_kind K) { return K <= DVM_DIR_INSTANTIATIONS; }
bool beforeStatement(dvm_directive_kind K) { return K >= DVM_DIR_PARALLEL && K <= DVM_DIR_ON; }

void enterCall(TokenStream &TS, const char *Function, const Directive &D) {
  TS.at(D.Start).word(Function).punct(tok::l_paren).string(llvm::utostr(D.Number));
  for (const Operand &O : D.Operands)
    TS.at(D.Start).punct(tok::comma).operand(D, O);
  TS.at(D.Start).punct(tok::r_paren);
}

// 'static long dvm_rule_N_I(void) { ..; return end(); }': what stands outside of functions is counted through when the array is placed.
void enterRule(TokenStream &TS, const Directive &D, const Operand &O, const std::string &Name) {
  TS.unused().word("static").word("long").word(Name).punct(tok::l_paren).word("void").punct(tok::r_paren);
  TS.derivedLoop(D, O).word("return").derivedEnd();
}

// '[static] const long dvm_operand_N_I = (long)(e);' and '.. const volatile void *const dvm_operand_N_I = &(v);'
void enterOperandConstants(TokenStream &TS, const Directive &D, bool AtFileScope) {
  for (unsigned I = 0; I < D.Operands.size(); ++I) {
    const Operand &O = D.Operands[I];
    const bool IsRule = AtFileScope && O.K == Operand::Derived;
    const std::string Rule = RulePrefix + llvm::utostr(D.Number) + "_" + llvm::utostr(I);
    TS.at(D.loc(O.Range.first));
    if (IsRule)
      enterRule(TS, D, O, Rule);
    TS.unused();
    if (AtFileScope)
      TS.word("static");
    TS.word("const");
    bool IsValue = O.K != Operand::Address;
    if (IsValue)
      TS.word("long");
    else
      TS.word("volatile").word("void").punct(tok::star).word("const");
    TS.word(OperandPrefix + llvm::utostr(D.Number) + "_" + llvm::utostr(I)).punct(tok::equal);
    if (IsValue)
      TS.punct(tok::l_paren).word("long").punct(tok::r_paren);
    if (IsRule)
      TS.word(Rule);
    else
      TS.operand(D, O);
    TS.at(D.loc(O.Range.first)).punct(tok::semi);
  }
}

void enterAnnotation(TokenStream &TS, const Directive &D) {
  TS.at(D.Start)
      .word("__attribute__")
      .punct(tok::l_paren)
      .punct(tok::l_paren)
      .word("annotate")
      .punct(tok::l_paren)
      .string(AnnotationPrefix + llvm::utostr(D.Number))
      .punct(tok::r_paren)
      .punct(tok::r_paren)
      .punct(tok::r_paren);
}

// ---- The handler -----------------------------------------------------------------------------------------------------

dvm_token_kind tokenKind(const Token &T) {
  if (T.isAnyIdentifier() || T.getIdentifierInfo())
    return DVM_TOK_WORD;
  if (T.is(tok::numeric_constant))
    return DVM_TOK_NUMBER;
  if (tok::isStringLiteral(T.getKind()))
    return DVM_TOK_STRING;
  if (T.isOneOf(tok::char_constant, tok::wide_char_constant, tok::utf8_char_constant, tok::utf16_char_constant, tok::utf32_char_constant))
    return DVM_TOK_CHAR;
  return DVM_TOK_PUNCT;
}

bool parse(State &St, Directive &D, SourceLocation End) {
  dvm_parse_error Error = {};
  int RC = dvm_directive_parse(D.ParserTokens.data(), D.ParserTokens.size(), D.ParserTokens.size(), &D.D, &Error);
  if (!RC)
    return true;
  SourceLocation L = Error.token < D.Tokens.size() ? D.Tokens[Error.token].getLocation() : End;
  if (Error.suggestion[0] && Error.token < D.Tokens.size() && !D.OldText)
    St.errorHint(L, Twine(Error.text) + "; did you mean '" + Error.suggestion + "'?", CharSourceRange::getTokenRange(L), Error.suggestion);
  else
    St.error(L, RC == -ENOMEM ? "out of memory in '#pragma dvm'" : Error.text);
  D.D = nullptr;
  return false;
}

bool standsAtScope(const State &St, const Directive &D, bool AtFileScope) {
  if (!AtFileScope || beforeDeclaration(D.D->kind))
    return true;
  St.error(D.Start, Twine("'#pragma dvm ") + dvm_directive_name(D.D->kind) + "' must stand inside a function");
  return false;
}

void answer(Preprocessor &PP, Directive &D, bool AtFileScope) {
  TokenStream TS(PP, D.Start);
  dvm_directive_kind K = D.D->kind;
  if (K == DVM_DIR_INSTANTIATIONS)
    return;
  if (beforeDeclaration(K)) {
    enterOperandConstants(TS, D, AtFileScope);
    enterAnnotation(TS, D);
  } else if (beforeStatement(K)) {
    TS.word("while").punct(tok::l_paren);
    enterCall(TS, DVMM_ENTER, D);
    TS.punct(tok::r_paren);
  } else {
    enterCall(TS, DVMM_DIRECT, D);
    TS.punct(tok::semi);
  }
  TS.enter(D.OldText);
}

class DvmPragmaHandler : public PragmaHandler {
public:
  DvmPragmaHandler() : PragmaHandler("dvm") {}

  void HandlePragma(Preprocessor &PP, PragmaIntroducer Introducer, Token &First) override {
    auto D = std::make_unique<Directive>();
    D->Start = First.getLocation();
    SourceLocation End = readTokens(PP, *D);
    State *St = currentState();
    if (PP.isPreprocessedOutput())
      return keepLine(PP, *D, Introducer);
    if (!St)
      return; // dependencies only
    answerDirective(PP, *St, std::move(D), End);
  }

private:
  static SourceLocation readTokens(Preprocessor &PP, Directive &D) {
    Token T;
    for (PP.Lex(T); T.isNot(tok::eod); PP.Lex(T)) {
      addToken(D, T, PP.getSpelling(T));
    }
    if (!D.Tokens.empty())
      D.Start = D.Tokens.front().getLocation();
    return T.getLocation();
  }

  // The directive with macros expanded, its tokens in their columns as far as that goes: messages about the preprocessed
  // text name the same places.
  static std::string lineText(Preprocessor &PP, const Directive &D, SourceLocation Loc) {
    const SourceManager &SM = PP.getSourceManager();
    TokenConcatenation Concat(PP);
    SourceLocation FileLoc = SM.getFileLoc(Loc);
    unsigned Indent = SM.getSpellingColumnNumber(FileLoc); // the printer's business
    std::string Line = "#pragma dvm";
    Token None;
    None.startToken();
    for (unsigned I = 0; I < D.Tokens.size(); ++I) {
      const Token &T = D.Tokens[I];
      SourceLocation L = T.getLocation();
      bool Beside = I && !T.hasLeadingSpace() && !Concat.AvoidConcat(I > 1 ? D.Tokens[I - 2] : None, D.Tokens[I - 1], T);
      size_t Column =
          !L.isMacroID() && SM.getSpellingLineNumber(L) == SM.getSpellingLineNumber(FileLoc) ? SM.getSpellingColumnNumber(L) - Indent : 0;
      Line.resize(std::max(Line.size() + !Beside, Column), ' ');
      Line += D.Spelling[I];
    }
    return Line + "\n";
  }

  // '# 7 "file.c"': what follows stands there.
  static std::string marker(const SourceManager &SM, SourceLocation Loc) {
    PresumedLoc P = SM.getPresumedLoc(SM.getFileLoc(Loc));
    return P.isInvalid() ? "" : ("# " + Twine(P.getLine()) + " \"" + Lexer::Stringify(P.getFilename()) + "\"\n").str();
  }

  // One token whose text is the whole line: of an unknown token the printer counts the line breaks.  '_Pragma' is in the middle of a
  // line, which goes on behind it: there the reader is told where he is, and the printer must count nothing.
  static void keepLine(Preprocessor &PP, const Directive &D, PragmaIntroducer Introducer) {
    const bool Within = Introducer.Kind == PIK__Pragma;
    const SourceLocation Loc = Introducer.Loc;
    std::string Line = lineText(PP, D, Loc);
    if (Within) {
      const std::string Here = marker(PP.getSourceManager(), Loc);
      Line = "\n" + Here + Line + Here;
    }
    Token T;
    T.startToken();
    T.setKind(Within ? tok::string_literal : tok::unknown);
    PP.CreateString(Line, T, Loc, Loc);
    T.setFlag(Token::StartOfLine);
    auto Copy = std::make_unique<Token[]>(1);
    Copy[0] = T;
    PP.EnterTokenStream(std::move(Copy), 1, true, false);
  }
};

PragmaHandlerRegistry::Add<DvmPragmaHandler> Handler("dvm", "DVM directives");

} // namespace

void dvm::addToken(Directive &D, const Token &T, StringRef Spelling) {
  D.Tokens.push_back(T);
  D.Tokens.back().clearFlag(Token::StartOfLine);
  D.Spelling.push_back(Spelling.str());
  D.ParserTokens.push_back({tokenKind(T), D.Spelling.back().data(), D.Spelling.back().size(), D.Tokens.size() - 1});
}

void dvm::answerDirective(Preprocessor &PP, State &St, std::unique_ptr<Directive> D, SourceLocation End) {
  D->Number = St.Directives.size();
  if (!parse(St, *D, End))
    return;
  D->Start = D->loc(D->D->word);
  OperandWalk(D->Operands, St.Opts).directive(*D->D);
  bool AtFileScope = St.BraceDepth == 0;
  Directive &Kept = *D;
  St.Directives.push_back(std::move(D));
  if (standsAtScope(St, Kept, AtFileScope) && standsWell(St, PP, Kept, End))
    answer(PP, Kept, AtFileScope);
  else
    Kept.Used = true; // no second error
  if (Kept.OldText && Kept.D->kind == DVM_DIR_INHERIT)
    Kept.Used = true; // at the parameter itself
}

std::string Directive::text(dvm_range R) const {
  std::string Out;
  for (unsigned I = R.first; I < R.first + R.count; ++I)
    Out += (I > R.first && Tokens[I].hasLeadingSpace() ? " " : "") + Spelling[I];
  return Out;
}

int Directive::operand(dvm_range R) const {
  for (unsigned I = 0; R.count && I < Operands.size(); ++I)
    if (Operands[I].Range.first == R.first)
      return I;
  return -1;
}
