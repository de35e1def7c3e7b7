#ifndef DVM_TEST_DIRECTIVE_FORMS_H
#define DVM_TEST_DIRECTIVE_FORMS_H

struct directive_form {
  const char *text; /* what follows '#pragma dvm'; NULL ends the table */
  const char *tree; /* as print_directive writes it */
};
extern const struct directive_form directive_forms[];
#endif
