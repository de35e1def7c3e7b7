#include "sdm/server/by_rank.h"

#include <string.h>

#include "base/text.h"
#include "sdm/bytes.h"

static json_t *filled(const char *word, sdm_id id, uint32_t place) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (; *word; word++)
    if (word[0] == '%' && (word[1] == 't' || word[1] == 'o'))
      dvm_text_printf(&t, "%u", *++word == 't' ? id : place);
    else
      dvm_text_add_n(&t, word, 1);
  json_t *j = json_string(dvm_text_str(&t));
  dvm_text_fini(&t);
  return j;
}

/* True: 'ranks' names it, as number '*place' of them. */
static bool names(const char *ranks, sdm_id id, uint32_t *place) {
  struct sdm_set *set = sdm_set_new();
  struct dvm_error err = DVM_ERROR_INIT;
  bool all = !strcmp(ranks, "*"), is = all || (!sdm_set_parse(set, ranks, &err) && sdm_set_contains(set, id));
  struct sdm_set_iter it = sdm_set_iter(set);
  sdm_id one;
  for (*place = all ? id : 0; is && !all && sdm_set_iter_id(&it, &one) && one < id;)
    ++*place;
  sdm_set_free(set);
  return is;
}

bool sdm_server_choose_program(json_t *command, sdm_id id) {
  json_t *list = json_object_get(command, "by_rank"), *one, *word;
  size_t i, k;
  uint32_t place;
  json_array_foreach(list, i, one) {
    const char *ranks = json_string_value(json_object_get(one, "ranks"));
    if (!ranks || !names(ranks, id, &place))
      continue;
    json_t *args = json_array();
    json_array_foreach(json_object_get(one, "args"), k, word)
        json_array_append_new(args, filled(json_string_value(word) ? json_string_value(word) : "", id, place));
    json_object_set(command, "program", json_object_get(one, "program"));
    json_object_set_new(command, "args", args);
    return true;
  }
  return !list;
}
