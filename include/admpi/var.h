/* admpi: the active value, and the cursors of a tape that inline recorders use. */
#ifndef ADMPI_VAR_H
#define ADMPI_VAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADMPI_TAPE_ABI 2

/** An active double: 16 bytes, trivially copyable. Id 0 is passive (its tag is 0 too). */
typedef struct admpi_var {
  double value;
  uint32_t id;
  uint32_t tag;
} admpi_var;

/** An active double and an index, which is passive: an item of AMPI_ADOUBLE_INT, or of AMPI_AFLOAT_INT if the value is a float. */
typedef struct admpi_var_int {
  admpi_var value;
  int index;
} admpi_var_int;

/** A complex number: an item of AMPI_ADOUBLE_COMPLEX, laid out as std::complex<admpi::var> is. */
typedef struct admpi_var_complex {
  admpi_var real;
  admpi_var imag;
} admpi_var_complex;

/** The nearest float, with the derivative of x, as in `float y = x;`. Records nothing. An admpi_var whose value is a float is
 *  an item of AMPI_AFLOAT. */
static inline admpi_var admpi_to_float(admpi_var x) {
  x.value = (float)x.value;
  return x;
}

/** The public cursors of a tape. Inline recorders write statements through them. The rest of a tape is private and follows
 *  them. admpi.h has the contract of its handle. */
typedef struct admpi_tape {
  uint32_t abi;           /**< ADMPI_TAPE_ABI of the library that made the tape */
  uint32_t recording;     /**< 1 while statements are recorded */
  double *jacobian;       /**< next free partial derivative */
  uint32_t *argument;     /**< next free argument id, in lockstep with jacobian */
  uint32_t *argument_end; /**< a statement of n arguments fits if argument_end - argument >= n */
  uint32_t *checked_end;  /**< the same, once its operands have been checked */
  uint8_t *statement;     /**< next free statement byte; written last */
  uint32_t next_id;       /**< id of the next value */
  uint32_t tag;           /**< tag of new values */
  uint32_t checking;      /**< the slow path checks operands; in &admpi_no_tape also 1 while a tape records */
  uint32_t epoch;         /**< changes when a place of the tape is marked; see admpi_block */
  uint8_t merge[256]; /**< possible position of an id in the current statement; validated, never cleared */
} admpi_tape;

/** A place in a tape. Opaque; valid until the tape forgets what is below it. */
typedef struct admpi_position {
  uint64_t argument;
  uint64_t payload;
  uint32_t statement;
  uint32_t id;
  uint32_t event;
  uint32_t tag;
} admpi_position;

/** An open nest, for admpi_tape_recover_nested. */
typedef struct admpi_nest {
  uint64_t token;
} admpi_nest;

/** What a tape holds. Bytes are those in use, except committed_bytes. */
typedef struct admpi_statistics {
  uint64_t statements;      /**< scalar statements */
  uint64_t arguments;       /**< their arguments */
  uint64_t events;          /**< inputs, callbacks, messages and the like */
  uint64_t ids;             /**< active values made */
  uint64_t statement_bytes;
  uint64_t argument_bytes;
  uint64_t event_bytes;     /**< events with their payload */
  uint64_t adjoint_bytes;   /**< memory of the adjoints in a sweep of the current width */
  uint64_t used_bytes;      /**< the sum of the four above */
  uint64_t committed_bytes; /**< memory obtained from the system */
  uint64_t limit_bytes;     /**< memory that the tape may commit */
  uint64_t width;           /**< directions of a sweep */
} admpi_statistics;

/** The calling thread's tape; never NULL: &admpi_no_tape when it has none. */
extern __thread admpi_tape *admpi_tls_tape __attribute__((tls_model("initial-exec")));

/** What the C++ headers keep of a thread. It is the library's: of a variable in the headers, a plugin and a library that
 * hides its symbols have one each. */
typedef struct admpi_detail_cxx_thread {
  void *tape;     /**< the newest admpi::tape */
  void *thrown;   /**< the std::exception_ptr that a callback left, from new */
  int32_t splits; /**< whether operators of tangents are statements of their own */
} admpi_detail_cxx_thread;

extern __thread admpi_detail_cxx_thread admpi_tls_cxx __attribute__((tls_model("initial-exec")));

/* The shim defines this as empty, to export what other languages cannot inline. */
#ifndef ADMPI_TAPE_INLINE
#define ADMPI_TAPE_INLINE static inline
#endif

int32_t admpi_detail_tape_activate(admpi_tape *tape, uint32_t abi, admpi_tape **previous_out);

/** Makes a tape the calling thread's current one, which records the values that the thread then computes.
 *  @param tape               a tape that no other thread uses, or NULL for none
 *  @param[out] previous_out  the previous tape, NULL for none; may be NULL
 *  @return ADMPI_SUCCESS, ADMPI_ERR_ABI (this header and the library are of different versions),
 *          ADMPI_ERR_THREAD (the tape is active on another thread) */
ADMPI_TAPE_INLINE int32_t admpi_tape_activate(admpi_tape *tape, admpi_tape **previous_out) {
  return admpi_detail_tape_activate(tape, ADMPI_TAPE_ABI, previous_out);
}

#ifdef __cplusplus
}
#endif

#endif
