/* Each object that records says where it was compiled, in a section of texts that end with a zero: the mark, the file as the compiler was given it,
 * the mark, the folder that the compiler was called in.  Nothing in the program reads it. */
#ifndef DVMT_FOLDER_H
#define DVMT_FOLDER_H
#define DVMT_FOLDER_SECTION "dvm_folders"
#define DVMT_FOLDER_MARK "\001dvm folder\001"
#endif
