/* AdjoinableMPI's interface by admpi, for source transformation: docs/tools.md. Compile with
 * -I<prefix>/include/admpi/adjoinable and link with -ladmpi_adjoinable. Do not include admpi.h in the same file: its calls have the same
 * names. */
#ifndef ADMPI_ADJOINABLE_AMPI_H
#define ADMPI_ADJOINABLE_AMPI_H

#include "userIF/modified.h"
#include "userIF/nt.h"
#include "userIF/passThrough.h"
#include "userIF/st.h"
#include "libCommon/modified.h"
#include "libCommon/st.h"
#include "adTool/support.h"

#endif
