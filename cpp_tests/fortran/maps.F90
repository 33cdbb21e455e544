! Maps on this thread and on threads.
program test_maps
  use jobs
  implicit none
  type(admpi_map) :: map, none
  type(admpi_map_function) :: same
  type(admpi_map_data) :: data
  integer :: ierr

  call begin()
  call register_jobs()
  call same%register('model', model, ierr)
  call equal(ierr, 2, 'a name that is taken')
  if (index(admpi_last_error(), 'model') == 0) call fail(admpi_last_error())

  call try_map(none, 'no map')
  call map%new(ADMPI_MAP_SERIAL)
  call try_map(map, 'serial')
  call map%set_backend(ADMPI_MAP_THREADS, 3)
  call try_map(map, 'threads')
  call map%set_backend(ADMPI_MAP_MPI, ierr=ierr)
  call equal(ierr, 15, 'ranks')
  call map%data_new(data, x_r=of_all, ierr=ierr)
  call equal(ierr, 2, 'data of no job')
  call map%free()

  call model_function%unregister()
  call map%run(model_function, shared, own, own(:2, :), ierr=ierr)
  call equal(ierr, 2, 'a job that is not registered')
  call same%register('model', model)
  call same%unregister()
  call failing_function%unregister()
  call printing_function%unregister()
  call lengths_function%unregister()
  call same%unregister(ierr)
  call equal(ierr, 2, 'unregistered twice')
  call finish()
end program
