// Arguments of functions that read or write so many bytes: what they reach is judged as if the program accessed it.
#include "Members.h"
#include "Rewriter.h"
#include "pass/Ranges.h"
#include "pass/markers.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace dvm;

// The function of the library, not one of the program by that name.
static const FunctionDecl *libraryFunction(const ASTContext &Ctx, const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F || !F->getIdentifier())
    return nullptr;
  const SourceManager &SM = Ctx.getSourceManager();
  if (const FunctionDecl *Body = F->getDefinition())
    return SM.isInSystemHeader(Body->getLocation()) ? F : nullptr;
  return !F->isStatic() && (F->getBuiltinID() || SM.isInSystemHeader(F->getLocation())) ? F : nullptr;
}

// What the argument points to: the lvalue under '&', the array that decays, or what a pointer is computed from.
static Chain chainOfRange(Expr *&E, bool &Pointer) {
  Pointer = false;
  E = E->IgnoreParenCasts();
  if (auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf) {
    E = U->getSubExpr()->IgnoreParens();
    return chainOf(E);
  }
  Pointer = true;
  if (E->getType()->isArrayType())
    return chainOf(E);
  Chain Ch;
  const Expr *Base = pointerBase(E);
  Ch.Root = asVariable(Base);
  Ch.OnRoot = Base == E->IgnoreParenCasts() || isa<BinaryOperator>(E);
  Ch.ThroughPointer = !Ch.Root || !Ch.Root->getType()->isArrayType() || !insideVariable(E);
  return Ch;
}

// Nothing can be wrong with writing or copying what the function has for itself, outside of constructs or inside of an iteration.
bool Rewriter::rangeMatters(const Chain &Ch, char Way) const {
  const VarDecl *V = Ch.Root;
  const Construct *Nest = innermostNest();
  bool Own = V && !Ch.ThroughPointer && V->hasLocalStorage() && !Decls.isDistributed(V, FD) &&
             (!Nest || Ctx.getSourceManager().isBeforeInTranslationUnit(Nest->Dir.Start, V->getLocation()));
  return !Own || (Way != 'w' && Way != 'c');
}

static QualType elementOf(const ASTContext &Ctx, QualType T, bool Pointer) {
  if (const auto *P = T->getAs<PointerType>(); P && Pointer)
    T = P->getPointeeType();
  return Ctx.getBaseElementType(T);
}

// The text of the site; empty where it only says that the function is the library's.
std::string Rewriter::rangeText(Expr *E, char Way, bool Stream, bool Each) {
  bool Pointer;
  Chain Ch = chainOfRange(E, Pointer);
  if (!rangeMatters(Ch, Way) || isa<StringLiteral>(E))
    return "";
  SourceLocation L = E->getBeginLoc();
  const Construct *Nest = innermostNest();
  SiteText T(Ctx, B, L);
  T.key(DVMRT_ANY_KIND).add(Way == 'w' ? "w" : Way == 'm' ? "m" : "r");
  T.place(Ctx.getSourceManager(), L);
  T.key(DVMRT_ACCESS_TEXT).add(sourceText(Ctx, E));
  rootText(T, Ch);
  QualType Element = Each ? Ctx.CharTy : elementOf(Ctx, E->getType(), Pointer);
  const InRecord Record = Way == 'r' && !Each ? recordOf(Ctx, E, Pointer) : InRecord{};
  const QualType Unit = Record.Type ? QualType(Record.Type, 0) : Element;
  T.key(DVMRT_ACCESS_SIZE).add(Twine(Unit->isIncompleteType() || Unit->isFunctionType() ? 1 : Ctx.getTypeSizeInChars(Unit).getQuantity()));
  T.key(DVMRT_ACCESS_RANGE).add(Each || (Element->isScalarType() && !Element->isAnyCharacterType() && !Record.Type) ? "e" : "w");
  if (Record.Type)
    membersText(T, Ctx, Record);
  T.key(DVMRT_ACCESS_CONSTRUCT).add(Twine(Nest ? Nest->Cid : 0));
  if (const VarDecl *V = Ch.Root; V && Ch.OnRoot && !isTemplateVar(V) && Decls.isDistributed(V, FD)) {
    T.key(DVMRT_ACCESS_DISTRIBUTED).add("-");
    if (agreesWithRemote(Ch, Nest, true))
      T.key(DVMRT_ACCESS_BUFFERED).add("?");
  }
  if (!Nest || Nest->Dir.D->kind == DVM_DIR_ON) {
    if (Stream)
      T.key(DVMRT_ACCESS_ROLE).add("io");
    if (Standing)
      T.key(DVMRT_ACCESS_STANDING).add(Twine(Standing));
  }
  return T.Text;
}

// Each byte of a text that is printed needs a value.  Ranks print elements of the array themselves, but for those that go into other memory.
void Rewriter::printedRanges(const CallExpr *C, StringRef Name, bool Stream, SmallVectorImpl<Range> &Found) {
  auto Add = [&](unsigned N) {
    Expr *Text = N < C->getNumArgs() ? const_cast<Expr *>(C->getArg(N)) : nullptr;
    if (Text && (!St.Opts.Parallel || isDistributedRange(Text)) && Text->getType()->isPointerType() && !Text->containsErrors() &&
        !isa<StringLiteral>(Text->IgnoreParenCasts()))
      Found.push_back({N, rangeText(Text, 'r', Stream, true)});
  };
  const int At = printedFormat(Name);
  if (printsText(Name) && !St.Opts.Parallel)
    Add(0);
  const auto *Format = At >= 0 && unsigned(At) < C->getNumArgs() ? dyn_cast<StringLiteral>(C->getArg(At)->IgnoreParenCasts()) : nullptr;
  if (!Format || !Format->isOrdinary() || (St.Opts.Parallel && !printsInMemory(Name)))
    return;
  for (const RangeArgument &R : printedTexts(Format->getString(), At))
    Add(R.Argument);
}

// What a parallel loop reads into variables.
void Rewriter::scannedRanges(const CallExpr *C, StringRef Name, SmallVectorImpl<Range> &Found) {
  const int At = scannedFormat(Name);
  if (At < 0 || !innermostNest() || St.Opts.Parallel)
    return;
  for (unsigned N = unsigned(At) + 1; N < C->getNumArgs(); N++)
    if (auto *To = const_cast<Expr *>(C->getArg(N)); To->getType()->isPointerType() && !To->containsErrors())
      Found.push_back({N, rangeText(To, 'w', false)});
}

// Does it name an element, or a row of them, of a distributed array?
bool Rewriter::isDistributedRange(const Expr *Argument) const {
  bool Pointer;
  Expr *E = const_cast<Expr *>(Argument);
  const VarDecl *V = chainOfRange(E, Pointer).Root;
  return V && !isTemplateVar(V) && Decls.isDistributed(V, FD);
}

SmallVector<Range, 2> Rewriter::rangesOf(const CallExpr *C, bool Stream) {
  SmallVector<Range, 2> Found;
  const FunctionDecl *F = libraryFunction(Ctx, C);
  if (!F || !Emit || St.Opts.Trace || Ctx.getSourceManager().isInSystemHeader(C->getBeginLoc()))
    return Found;
  for (const RangeArgument *R : rangeArguments(F->getName())) {
    if (R->Argument >= C->getNumArgs() || !C->getArg(R->Argument)->getType()->isPointerType() || C->getArg(R->Argument)->containsErrors() ||
        C->getArg(R->Argument)->isNullPointerConstant(Ctx, Expr::NPC_ValueDependentIsNull))
      continue;
    const bool String = R->Size == dvm::Text || R->Size == Bounded;
    if (!String || (innermostNest() && !isTextRow(*R)) || isDistributedRange(C->getArg(R->Argument)))
      Found.push_back({R->Argument, rangeText(const_cast<Expr *>(C->getArg(R->Argument)), R->Way, Stream)});
  }
  printedRanges(C, F->getName(), Stream, Found);
  scannedRanges(C, F->getName(), Found);
  return Found;
}

void Rewriter::markRange(CallExpr *C, const Range &R) {
  Expr *Argument = C->getArg(R.Argument);
  SourceLocation L = Argument->getBeginLoc();
  Expr *Call = B.call(DVMM_RANGE, {B.toVoidPtr(Argument), B.string(R.Text, L)}, L);
  C->setArg(R.Argument, Ctx.hasSameType(Call->getType(), Argument->getType()) ? Call : B.cast(Call, Argument->getType(), CK_BitCast));
}
