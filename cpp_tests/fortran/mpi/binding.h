! One source for three bindings: ADMPI_TEST_F08, ADMPI_TEST_INCLUDE, or the module ampi.
#if defined(ADMPI_TEST_F08)
#define BINDING_USE use ampi_f08
#define BINDING_INCLUDE
#define HANDLE(name) type(name)
#define STATUS type(AMPI_Status)
#define STATUS_SOURCE(status) status%MPI_SOURCE
#define STATUS_TAG(status) status%MPI_TAG
#define STATUS_ERROR(status) status%MPI_ERROR
#elif defined(ADMPI_TEST_INCLUDE)
#define BINDING_USE
#define BINDING_INCLUDE include 'ampif.h'
#else
#define BINDING_USE use ampi
#define BINDING_INCLUDE
#endif
#if !defined(ADMPI_TEST_F08)
#define HANDLE(name) integer
#define STATUS integer, dimension(AMPI_STATUS_SIZE)
#define STATUS_SOURCE(status) status(AMPI_SOURCE)
#define STATUS_TAG(status) status(AMPI_TAG)
#define STATUS_ERROR(status) status(AMPI_ERROR)
#endif
