# dvm compare: what the headers of the C library make of calls (macros and inline functions of their own at some levels of optimisation,
# checking forms with _FORTIFY_SOURCE) is no difference, and what they write is compared.
. "$(dirname "$0")/lib.sh"
cat >library.c <<'C'
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/queue.h>
#include <sys/select.h>
#include <unistd.h>
struct node { int v; TAILQ_ENTRY(node) link; };
TAILQ_HEAD(head, node);
struct named { char name[8]; double weight; };
static double given[4] = {1, 2, GIVEN, 4}, taken[4];
static char text[64], line[64], raw[16];
static int upper, order, found, number, sum;
static fd_set set;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int fold(int c) { return toupper(c); }
int main(int argc, char **argv) {
  const char *word = "Hello, World";
  static const int sorted[] = {1, 3, 5, 7};
  int key = 5;
  for (int i = 0; word[i]; i++) {
    text[i] = toupper(word[i]);
    upper += isupper((unsigned char)word[i]) != 0;
    text[i] = fold(tolower((unsigned char)text[i])) + SHIFT * (i == 3);
    line[i] = isalnum(text[i]) ? text[i] : ' ';
  }
  text[20] = tolower('A');
  const int *at = bsearch(&key, sorted, 4, sizeof(int), compare);
  found = at ? *at : -1;
  number = atoi("42") + (int)strtol("7", NULL, 10);
  order = htonl(1) == 1;
  memcpy(taken, given, sizeof(taken));
  memmove(taken + 1, taken, 2 * sizeof(double));
  strcpy(text, "abc");
  strncat(text, "defgh", 3);
  snprintf(line, sizeof(line), "%s %d", text, number);
  sprintf(raw, "%d", sum);
  FD_ZERO(&set);
  FD_SET(3, &set);
  sum += FD_ISSET(3, &set) ? MAX(2, key) : MIN(2, key);
  struct head head;
  struct node nodes[3], *n;
  TAILQ_INIT(&head);
  for (int i = 0; i < 3; i++) { nodes[i].v = i; TAILQ_INSERT_TAIL(&head, &nodes[i], link); }
  TAILQ_FOREACH(n, &head, link) sum += n->v;
  char *copy = strdupa("dup");
  sum += strlen(copy);
  char *all = NULL;
  size_t room = 0;
  FILE *f = fopen(argv[1], "r");
  assert(f && argc > 1);
  while (getline(&all, &room, f) > 0) number += all[0];
  rewind(f);
  if (fgets(line, sizeof(line), f)) number += line[1];
  number += getc_unlocked(f);
  if (fread(raw, 1, 4, f) == 4) number += raw[3];
  if (pread(fileno(f), raw, 8, 1) == 8) number += raw[0];
  fclose(f);
  free(all);
  putchar('x'), putc('\n', stdout);
  errno = 0;
  taken[0] = isnan(taken[1]) || signbit(taken[2]) ? 0 : fabs(taken[3]) + fmax(1, 2);
  return 0;
}
C
printf 'one line\nand another one\n' >input
build_() { # PROGRAM SHIFT GIVEN FLAGS..
  status 0 "$dvmcc" -fdvm=trace -w library.c -DSHIFT="$2" -DGIVEN="$3" -o "$1" "${@:4}"
}
build_ plain 0 3 -O0
status 0 "$dvm" record --level full -o ref.dvmt -- ./plain input
for flags in -O1 -O2 "-O2 -D_FORTIFY_SOURCE=2" "-O3 -ffast-math"; do
  # shellcheck disable=SC2086
  build_ other 0 3 $flags
  status 0 "$dvm" compare ref.dvmt -- ./other input
  agreed "(100 % of the reference, 100 % of the run)"
done
build_ other 1 3 -O2
status 66 "$dvm" compare ref.dvmt -- ./other input
has err "library.c:30:5: error: 'text[3]' is 77, the reference has 76"
for flags in -O0 "-O2 -D_FORTIFY_SOURCE=2"; do # through memcpy alone
  # shellcheck disable=SC2086
  build_ other 0 3.5 $flags
  status 66 "$dvm" compare ref.dvmt -- ./other input
  has err "'taken[2]' is 3.5, the reference has 3"
done
finish
