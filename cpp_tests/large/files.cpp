// Files: every form of reading and writing; what is written is read back with plain MPI and the reverse.
#include "large/support.hpp"

#include <cstdio>
#include <functional>
#include <unistd.h>

using namespace large;

namespace {

// A file of the test's own, the same for all ranks, gone at the end.
class File {
 public:
  File() {
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    name = "/tmp/admpi_large_" + std::to_string(id);
    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &fh);
  }
  ~File() { MPI_File_close(&fh); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  MPI_File fh = MPI_FILE_NULL;

 private:
  std::string name;
};

MPI_Count count_of(const MPI_Status& status, MPI_Datatype type) {
  MPI_Count count = -5;
  MPIX_Get_count_x(&status, type, &count);
  return count;
}

using Transfer = std::function<int(MPI_File, MPI_Offset, void*, MPI_Count, MPI_Datatype, MPI_Status*)>;
using Start = int (*)(MPI_File, void*, MPI_Count, MPI_Datatype, MPI_Request*);
using StartWrite = int (*)(MPI_File, const void*, MPI_Count, MPI_Datatype, MPI_Request*);

int waited(int code, MPI_Request* request, MPI_Status* status) {
  return code == MPI_SUCCESS ? MPI_Wait(request, status) : code;
}

struct Form {
  const char* name;
  // Where the items begin is given by offset, by the individual pointer, or by the shared one.
  enum { At, Individual, Shared, Ordered } pointer;
  Transfer write, read;
};

template <class Write, class Read>
Form pointer_form(const char* name, decltype(Form::Individual) pointer, Write write, Read read) {
  return {name, pointer,
          [write](MPI_File fh, MPI_Offset, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
            return write(fh, x, n, t, s);
          },
          [read](MPI_File fh, MPI_Offset, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
            return read(fh, x, n, t, s);
          }};
}

Form nonblocking(const char* name, decltype(Form::Individual) pointer, StartWrite write, Start read) {
  return {name, pointer,
          [write](MPI_File fh, MPI_Offset, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
            MPI_Request r;
            return waited(write(fh, x, n, t, &r), &r, s);
          },
          [read](MPI_File fh, MPI_Offset, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
            MPI_Request r;
            return waited(read(fh, x, n, t, &r), &r, s);
          }};
}

std::vector<Form> forms() {
  std::vector<Form> all;
  all.push_back({"at", Form::At, MPIX_File_write_at_x, MPIX_File_read_at_x});
  all.push_back({"at_all", Form::At, MPIX_File_write_at_all_x, MPIX_File_read_at_all_x});
  all.push_back({"at_all split", Form::At,
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   const int code = MPIX_File_write_at_all_begin_x(fh, o, x, n, t);
                   return code == MPI_SUCCESS ? MPI_File_write_at_all_end(fh, x, s) : code;
                 },
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   const int code = MPIX_File_read_at_all_begin_x(fh, o, x, n, t);
                   return code == MPI_SUCCESS ? MPI_File_read_at_all_end(fh, x, s) : code;
                 }});
  all.push_back({"iat", Form::At,
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   MPI_Request r;
                   return waited(MPIX_File_iwrite_at_x(fh, o, x, n, t, &r), &r, s);
                 },
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   MPI_Request r;
                   return waited(MPIX_File_iread_at_x(fh, o, x, n, t, &r), &r, s);
                 }});
  all.push_back({"iat_all", Form::At,
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   MPI_Request r;
                   return waited(MPIX_File_iwrite_at_all_x(fh, o, x, n, t, &r), &r, s);
                 },
                 [](MPI_File fh, MPI_Offset o, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                   MPI_Request r;
                   return waited(MPIX_File_iread_at_all_x(fh, o, x, n, t, &r), &r, s);
                 }});
  all.push_back(pointer_form("pointer", Form::Individual, MPIX_File_write_x, MPIX_File_read_x));
  all.push_back(pointer_form("all", Form::Individual, MPIX_File_write_all_x, MPIX_File_read_all_x));
  all.push_back(pointer_form("all split", Form::Individual,
                             [](MPI_File fh, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                               const int code = MPIX_File_write_all_begin_x(fh, x, n, t);
                               return code == MPI_SUCCESS ? MPI_File_write_all_end(fh, x, s) : code;
                             },
                             [](MPI_File fh, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                               const int code = MPIX_File_read_all_begin_x(fh, x, n, t);
                               return code == MPI_SUCCESS ? MPI_File_read_all_end(fh, x, s) : code;
                             }));
  all.push_back(nonblocking("ipointer", Form::Individual, MPIX_File_iwrite_x, MPIX_File_iread_x));
  all.push_back(nonblocking("iall", Form::Individual, MPIX_File_iwrite_all_x, MPIX_File_iread_all_x));
  all.push_back(pointer_form("ordered", Form::Ordered, MPIX_File_write_ordered_x, MPIX_File_read_ordered_x));
  all.push_back(pointer_form("ordered split", Form::Ordered,
                             [](MPI_File fh, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                               const int code = MPIX_File_write_ordered_begin_x(fh, x, n, t);
                               return code == MPI_SUCCESS ? MPI_File_write_ordered_end(fh, x, s) : code;
                             },
                             [](MPI_File fh, void* x, MPI_Count n, MPI_Datatype t, MPI_Status* s) {
                               const int code = MPIX_File_read_ordered_begin_x(fh, x, n, t);
                               return code == MPI_SUCCESS ? MPI_File_read_ordered_end(fh, x, s) : code;
                             }));
  all.push_back(pointer_form("shared", Form::Shared, MPIX_File_write_shared_x, MPIX_File_read_shared_x));
  all.push_back(nonblocking("ishared", Form::Shared, MPIX_File_iwrite_shared_x, MPIX_File_iread_shared_x));
  return all;
}

}  // namespace

TEST_CASE("test_large_files") {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Datatype gaps, part;
  MPI_Type_vector(2, 1, 3, MPI_INT, &part);
  MPI_Type_create_resized(part, 0, 20, &gaps);
  MPI_Type_commit(&gaps);
  MPI_Type_free(&part);
  for (const auto& form : forms())
    for (MPI_Datatype type : {MPI_DOUBLE, gaps})
      for (int n : {0, limit(), 2 * limit() + 1}) {
        MPI_Aint lower = 0, extent = 0;
        MPI_Type_get_extent(type, &lower, &extent);
        // Behind a header of 24 bytes, in a view of doubles: each rank's items, 8 bytes each.
        File file;
        char representation[] = "native";
        MPI_File_set_view(file.fh, 24, MPI_DOUBLE, MPI_DOUBLE, representation, MPI_INFO_NULL);
        const MPI_Offset begin = static_cast<MPI_Offset>(rank) * n;
        auto rewind = [&] {
          MPI_Barrier(MPI_COMM_WORLD);
          if (form.pointer == Form::Individual) MPI_File_seek(file.fh, begin, MPI_SEEK_SET);
          if (form.pointer == Form::Shared || form.pointer == Form::Ordered) MPI_File_seek_shared(file.fh, 0, MPI_SEEK_SET);
          MPI_Barrier(MPI_COMM_WORLD);
        };
        // With the shared pointer, the ranks take turns.
        auto in_turn = [&](const std::function<void()>& transfer) {
          if (form.pointer != Form::Shared) return transfer();
          for (int turn = 0; turn < size; turn++) {
            if (turn == rank) transfer();
            MPI_Barrier(MPI_COMM_WORLD);
          }
        };
        Bytes data = pattern(extent * n, rank), back = pattern(extent * n, 90), wanted = back;
        MPI_Status status;
        rewind();
        in_turn([&] {
          CHECK(form.write(file.fh, begin, data.data(), n, type, &status) == MPI_SUCCESS);
          CHECK_MESSAGE(count_of(status, type) == n, form.name, " write");
        });
        MPI_File_sync(file.fh);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_File_read_at(file.fh, begin, wanted.data(), n, type, MPI_STATUS_IGNORE);
        Bytes direct = pattern(extent * n, 90);
        MPI_Sendrecv(data.data(), n, type, 0, 1, direct.data(), n, type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        CHECK_MESSAGE(same(wanted, direct), form.name, " write of ", n);
        rewind();
        in_turn([&] {
          CHECK(form.read(file.fh, begin, back.data(), n, type, &status) == MPI_SUCCESS);
          CHECK_MESSAGE(count_of(status, type) == n, form.name, " read");
        });
        CHECK_MESSAGE(same(back, wanted), form.name, " read of ", n);
        if (form.pointer == Form::Individual) {
          MPI_Offset position = 0;
          MPI_File_get_position(file.fh, &position);
          CHECK_MESSAGE(position == begin + n, form.name);
        }
        MPI_Barrier(MPI_COMM_WORLD);
      }
  MPI_Type_free(&gaps);
}
