/* How much this rank sends, counted through MPI's profiling interface: whatever calls MPI (the program or a library) is seen. */
#ifndef HEAT_FLUX_WIRE_HPP
#define HEAT_FLUX_WIRE_HPP

/** Payload bytes this rank has sent since the program began. Of a collective call it counts what the rank contributes to the
 *  others (a broadcast: a copy for each of them; a reduction: its own operand), whatever tree the MPI sends it along. */
struct WireBytes {
  double messages = 0;
  double collectives = 0;
};

WireBytes wire_bytes();

#endif
