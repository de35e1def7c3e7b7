#include "mpir/image/host_facts.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include "mpir/image/crc32c.h"

#define TEXT_MAX (256u << 20)
#define HEAD "dvm-host 1\n"
#define END "end\n"

struct host_file {
  uint64_t size;
  int64_t mtime_ns;
  char *path;
};
struct host_area {
  char name[32];
  uint64_t size;
};

struct mpir_host_facts {
  char kernel[128];
  uint64_t vdso_size;
  uint32_t vdso_crc;
  struct host_area areas[16];
  struct host_file *files; /* by path */
  size_t area_count, file_count;
};

static const char *const usual_folders[] = {
    "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/local/lib", NULL};

static void write_file(FILE *to, const char *path) {
  char real[PATH_MAX];
  struct stat st;

  if (realpath(path, real) && !stat(real, &st) && S_ISREG(st.st_mode) && !strchr(real, '\n'))
    fprintf(to, "file %" PRIu64 " %" PRId64 " %s\n", (uint64_t)st.st_size, st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec,
            real);
}

static void write_folder(FILE *to, const char *folder, bool libraries) {
  DIR *dir = opendir(folder);
  char path[PATH_MAX];
  struct dirent *d;

  while (dir && (d = readdir(dir)))
    if (*d->d_name != '.' && (!libraries || strstr(d->d_name, ".so")) &&
        snprintf(path, sizeof(path), "%s/%s", folder, d->d_name) < (int)sizeof(path))
      write_file(to, path);
  if (dir)
    closedir(dir);
}

/* The kernel's own mappings, whose places in an image only the same ones can take. */
static int write_areas(FILE *to, struct dvm_error *err) {
  const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
  FILE *f = fopen("/proc/self/maps", "re");
  char text[4096], name[64];
  uint64_t start, end, size = 0;

  if (!f)
    return dvm_error_errno(err, "cannot read /proc/self/maps");
  while (fgets(text, sizeof(text), f)) {
    name[0] = '\0';
    if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %63s", &start, &end, name) < 3 ||
        (strncmp(name, "[vdso]", 6) != 0 && strncmp(name, "[vvar", 5) != 0))
      continue;
    fprintf(to, "area %s %" PRIu64 "\n", name, end - start);
    size = start == (uint64_t)vdso ? end - start : size;
  }
  fclose(f);
  fprintf(to, "vdso %" PRIu64 " %08x\n", size, size ? mpir_crc32c(0, vdso, size) : 0);
  return 0;
}

int mpir_host_facts_write(FILE *to, char *const *folders, struct dvm_error *err) {
  struct utsname host;
  int rc;

  uname(&host);
  fprintf(to, HEAD "kernel %s\n", host.release);
  rc = write_areas(to, err);
  for (size_t i = 0; usual_folders[i]; i++)
    write_folder(to, usual_folders[i], true);
  for (; *folders && !rc; folders++) {
    struct stat st;

    if (stat(*folders, &st))
      rc = dvm_error_errno(err, "cannot look at '%s'", *folders);
    else if (S_ISDIR(st.st_mode))
      write_folder(to, *folders, false);
    else
      write_file(to, *folders);
  }
  fputs(END, to);
  return rc;
}

void mpir_host_facts_free(struct mpir_host_facts *facts) {
  for (size_t i = 0; facts && i < facts->file_count; i++)
    free(facts->files[i].path);
  if (facts)
    free(facts->files);
  free(facts);
}

static bool parse_line(struct mpir_host_facts *facts, const char *line) {
  struct host_area area;
  struct host_file file;
  int used = 0;

  if (sscanf(line, "kernel %127[^\n]", facts->kernel) == 1 || sscanf(line, "vdso %" SCNu64 " %x", &facts->vdso_size, &facts->vdso_crc) == 2)
    return true;
  if (sscanf(line, "area %31s %" SCNu64, area.name, &area.size) == 2) {
    if (facts->area_count == sizeof(facts->areas) / sizeof(facts->areas[0]))
      return false;
    facts->areas[facts->area_count++] = area;
    return true;
  }
  if (sscanf(line, "file %" SCNu64 " %" SCNd64 " %n", &file.size, &file.mtime_ns, &used) != 2 || !used || line[used] != '/')
    return false;
  file.path = strdup(line + used);
  if (!file.path)
    return false;
  facts->files[facts->file_count++] = file;
  return true;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const struct host_file *)a)->path, ((const struct host_file *)b)->path);
}

struct mpir_host_facts *mpir_host_facts_parse(const char *from, size_t size, struct dvm_error *err) {
  struct mpir_host_facts *facts = NULL;
  char *text = NULL, *line, *save = NULL;
  size_t lines = 0;
  bool good = size > strlen(HEAD END) && !memchr(from, 0, size) && memcmp(from, HEAD, strlen(HEAD)) == 0 &&
              memcmp(from + size - strlen(END), END, strlen(END)) == 0;

  for (size_t i = 0; good && i < size; i++)
    lines += from[i] == '\n';
  if (good && (text = strndup(from + strlen(HEAD), size - strlen(HEAD) - strlen(END))) && (facts = calloc(1, sizeof(*facts))))
    good = (facts->files = calloc(lines + 1, sizeof(*facts->files))) != NULL;
  for (line = good && facts ? strtok_r(text, "\n", &save) : NULL; line && good; line = strtok_r(NULL, "\n", &save))
    good = parse_line(facts, line);
  free(text);
  if (good && facts) {
    qsort(facts->files, facts->file_count, sizeof(*facts->files), by_path);
    return facts;
  }
  mpir_host_facts_free(facts);
  dvm_error_set(err, -EBADMSG, "this is not a complete list of host facts ('dvm checkpoint facts' writes them)");
  return NULL;
}

struct mpir_host_facts *mpir_host_facts_read(const char *path, struct dvm_error *err) {
  struct mpir_host_facts *facts = NULL;
  FILE *f = fopen(path, "re");
  char *text = NULL;
  struct stat st;

  if (!f || fstat(fileno(f), &st))
    dvm_error_errno(err, "cannot open '%s'", path);
  else if (!S_ISREG(st.st_mode) || st.st_size > TEXT_MAX || !(text = malloc((size_t)st.st_size + 1)) ||
           fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
    dvm_error_set(err, -EBADMSG, "'%s' contains no host facts", path);
  else if (!(facts = mpir_host_facts_parse(text, (size_t)st.st_size, err)))
    dvm_error_wrap(err, "'%s'", path);
  free(text);
  if (f)
    fclose(f);
  return facts;
}

static unsigned check_kernel(const struct mpir_host_facts *facts, const struct mpir_image *image, FILE *to) {
  const struct mpir_image_header *h = image->header;
  size_t wanted = 0, found = 0;

  for (size_t i = 0; i < image->map_count; i++) {
    const struct mpir_image_map *m = &image->maps[i];

    if (m->kind != MPIR_MAP_KERNEL)
      continue;
    wanted++;
    for (size_t k = 0; k < facts->area_count; k++)
      found += strcmp(facts->areas[k].name, mpir_image_string(image, m->name)) == 0 && facts->areas[k].size == m->end - m->start;
  }
  if (wanted == found && h->vdso_size == facts->vdso_size && (!h->vdso_size || (uint32_t)h->vdso_hash == facts->vdso_crc))
    return 0;
  fprintf(to, "kernel: the image holds addresses inside the vdso of %s, and %s there has a different one\n",
          mpir_image_string(image, h->kernel), facts->kernel);
  return 1;
}

unsigned mpir_host_facts_check(const struct mpir_host_facts *facts, const struct mpir_image *image, FILE *to) {
  unsigned missing = check_kernel(facts, image, to);
  const char *last = "";

  for (size_t i = 0; i < image->map_count; i++) {
    const struct mpir_image_map *m = &image->maps[i];
    struct host_file key = {0, 0, (char *)(uintptr_t)mpir_image_string(image, m->name)};
    const struct host_file *file;

    if (m->kind != MPIR_MAP_FILE || (m->flags & MPIR_MAP_COMPLETE) || strcmp(key.path, last) == 0)
      continue;
    last = key.path;
    file = bsearch(&key, facts->files, facts->file_count, sizeof(key), by_path);
    if (file && file->size == m->file_size && file->mtime_ns == m->file_mtime_ns)
      continue;
    fprintf(to, file ? "file: '%s' is different there\n" : "file: '%s' is not listed, or does not exist there\n", key.path);
    missing++;
  }
  return missing;
}
