/* Locks, leases and places: locks of an open file description, a lease, descriptors that only name a place, a working folder that was removed.
 * files IMAGE FOLDER */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "self.h"

static bool is_locked(const char *name)
{
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open(name, O_RDWR);
  bool locked;

  CHECK(fd >= 0 && !fcntl(fd, F_OFD_GETLK, &whole));
  locked = whole.l_type != F_UNLCK;
  close(fd);
  return locked;
}

int main(int argc, char **argv)
{
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  char locked_name[4096], leased_name[4096], link_name[4096], folder[4096], text[4096];
  int locked, leased, place, link_place;
  struct stat st;

  if (argc < 3)
    return 2;
  snprintf(locked_name, sizeof(locked_name), "%s/locked", argv[2]);
  snprintf(leased_name, sizeof(leased_name), "%s/leased", argv[2]);
  snprintf(link_name, sizeof(link_name), "%s/link", argv[2]);
  snprintf(folder, sizeof(folder), "%s/removed", argv[2]);
  CHECK((locked = open(locked_name, O_RDWR | O_CREAT, 0600)) >= 0 && !fcntl(locked, F_OFD_SETLK, &whole));
  CHECK((leased = open(leased_name, O_RDWR | O_CREAT, 0600)) >= 0 && !fcntl(leased, F_SETLEASE, F_WRLCK));
  CHECK(!symlink("nowhere", link_name) && (link_place = open(link_name, O_PATH | O_NOFOLLOW)) >= 0);
  CHECK((place = open(locked_name, O_PATH)) >= 0);
  CHECK(!mkdir(folder, 0700) && !chdir(folder) && !rmdir(folder));
  self_save(argv[1]);
  CHECK(is_locked(locked_name));
  CHECK(fcntl(leased, F_GETLEASE) == F_WRLCK);
  CHECK(read(place, text, 1) == -1 && errno == EBADF && (fcntl(place, F_GETFL) & O_PATH) && !fstat(place, &st) && S_ISREG(st.st_mode));
  CHECK(!fstat(link_place, &st) && S_ISLNK(st.st_mode) && readlinkat(link_place, "", text, sizeof(text)) == 7);
  CHECK(!getcwd(text, sizeof(text)) && errno == ENOENT);
  puts("as before");
  return 0;
}
