/* The command 'dvm': what the run-time libraries of checked programs know. */
#include <stdlib.h>
#include <string.h>

#include "base/facts.h"
#include "sdm/console/console_private.h"

/* One breakpoint for it; "off" takes it away. */
static void stop_at_diagnostics(struct sdm_console *c, const char *how) {
  char number[24] = "";
  if (!strcmp(how, "off")) {
    for (size_t i = 0; i < c->nbreaks; i++)
      if (!strcmp(c->breaks[i].what, CONSOLE_DIAGNOSTIC)) {
        snprintf(number, sizeof(number), "%lld", c->breaks[i].id);
        sdm_console_do_delete(c, number);
        return;
      }
    sdm_console_fail(c, "the programs do not stop at diagnostics");
  } else if (*how)
    sdm_console_fail(c, "expected: dvm break-on-diagnostic [off]");
  else
    sdm_console_add_break(c, json_pack("{s:s, s:s}", "cmd", "break", "where", DVM_FACTS_STOP), CONSOLE_DIAGNOSTIC);
}

void sdm_console_do_dvm(struct sdm_console *c, char *arg) {
  static const char *const known[] = {"construct", "arrays", "shadow", "diagnostics", "stats"};
  size_t n = strcspn(arg, " \t");
  if (n && !strncmp("break-on-diagnostic", arg, n)) {
    stop_at_diagnostics(c, arg + n + strspn(arg + n, " \t"));
    return;
  }
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (!arg[n] && !strncmp(known[i], arg, n)) { /* nothing: where the program is */
      sdm_console_ask_and_show(c, json_pack("{s:s, s:s}", "cmd", "dvm", "what", known[i]));
      return;
    }
  sdm_console_fail(c, "expected: dvm construct, arrays, shadow, diagnostics, stats or break-on-diagnostic");
}
