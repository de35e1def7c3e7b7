/* What stands before and behind the data of a page. */
#ifndef DVM_TRACE_HTML_PAGE_H
#define DVM_TRACE_HTML_PAGE_H
extern const char dvmt_html_head[], dvmt_html_tail[];
#endif
