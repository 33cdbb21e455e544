! Messages and reductions of complex numbers: z and what comes from others, of one type, which is COMPLEX_TYPE.
  call AMPI_Irecv(halo, 1, COMPLEX_TYPE, mod(rank + ranks - 1, ranks), 1, AMPI_COMM_WORLD, requests(1), code)
  call AMPI_Isend(z(2), 1, COMPLEX_TYPE, mod(rank + 1, ranks), 1, AMPI_COMM_WORLD, requests(2), code)
  call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
  u = z*halo + (0d0, 1d0)*conjg(z)
  ! Every other element.
  call AMPI_Type_vector(2, 1, 2, COMPLEX_TYPE, every_other, code)
  call AMPI_Type_commit(every_other, code)
  call AMPI_Sendrecv(u, 1, every_other, mod(rank + 1, ranks), 2, v, 2, COMPLEX_TYPE, mod(rank + ranks - 1, ranks), 2, &
    AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
  call AMPI_Type_free(every_other, code)
  call AMPI_Allreduce(u, total, 3, COMPLEX_TYPE, AMPI_SUM, AMPI_COMM_WORLD, code)
  call AMPI_Allreduce(z(1), factor, 1, COMPLEX_TYPE, AMPI_PROD, AMPI_COMM_WORLD, code)
  call AMPI_Bcast(factor, 1, COMPLEX_TYPE, ranks - 1, AMPI_COMM_WORLD, code)
  call AMPI_Allgather(exp(0d0*z(1)) + v(2), 1, COMPLEX_TYPE, all_of_them, 1, COMPLEX_TYPE, AMPI_COMM_WORLD, code)
  y = abs(total(1)*factor)**2 + aimag(total(2)*v(1)) + real(sum(all_of_them*all_of_them), 8)*real(total(3), 8)
