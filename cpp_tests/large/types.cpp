// Datatypes of large counts against those of plain MPI: same bytes moved, same bounds.
#include "large/support.hpp"

#include <algorithm>

using namespace large;

namespace {

// Both types describe the same bytes in the same order, and repeat alike.
void equal(const std::string& what, MPI_Datatype wanted, MPI_Datatype got, int items = 2) {
  MPI_Aint lower[2], extent[2], true_lower[2], true_extent[2];
  MPI_Count size[2];
  MPI_Datatype both[] = {wanted, got};
  for (int i = 0; i < 2; i++) {
    MPI_Type_commit(&both[i]);
    MPI_Type_get_extent(both[i], &lower[i], &extent[i]);
    MPI_Type_get_true_extent(both[i], &true_lower[i], &true_extent[i]);
    MPI_Type_size_x(both[i], &size[i]);
  }
  CHECK_MESSAGE(size[0] == size[1], what);
  if (size[0] == 0) {  // the bounds of nothing differ by library
    MPI_Type_free(&both[0]);
    MPI_Type_free(&both[1]);
    return;
  }
  CHECK_MESSAGE(lower[0] == lower[1], what);
  CHECK_MESSAGE(extent[0] == extent[1], what);
  CHECK_MESSAGE(true_lower[0] == true_lower[1], what);
  CHECK_MESSAGE(true_extent[0] == true_extent[1], what);
  const MPI_Aint before = std::max<MPI_Aint>(0, -true_lower[0]) + 64;
  const MPI_Aint reach = before + std::abs(extent[0]) * items + true_lower[0] + true_extent[0] + 64;
  const auto bytes = static_cast<int>(size[0]) * items;
  const Bytes memory = pattern(reach, 4);
  Bytes packed[2];
  for (int i = 0; i < 2; i++) {
    packed[i].resize(static_cast<std::size_t>(bytes) + 1);
    MPI_Sendrecv(memory.data() + before, items, both[i], 0, 1, packed[i].data(), bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&both[i]);
  }
  CHECK_MESSAGE(same(packed[0], packed[1]), what);
}

}  // namespace

TEST_CASE("test_large_type_contiguous") {
  Kinds kinds;
  for (const auto& kind : kinds.all)
    for (int n : counts()) {
      MPI_Datatype wanted, got, base;
      MPI_Count count = -1;
      MPI_Type_contiguous(n, kind.type, &wanted);
      CHECK(MPIX_Type_contiguous_x(n, kind.type, &got) == MPI_SUCCESS);
      CHECK(BigMPI_Decode_contiguous_x(got, &count, &base) == MPI_SUCCESS);
      CHECK(count == n);
      CHECK(base == kind.type);
      equal("contiguous " + kind.name, wanted, got);
    }
}

TEST_CASE("test_large_type_vectors") {
  Kinds kinds;
  for (const auto& kind : kinds.all)
    for (int n : {0, 1, limit(), 2 * limit() + 1})
      for (int length : {0, 2, limit() + 1})
        for (int stride : {length + 2, -(length + 1), 1}) {
          if (limit() > 500 && n >= limit() && length > limit()) continue;  // millions of items
          MPI_Datatype wanted, got;
          MPI_Type_vector(n, length, stride, kind.type, &wanted);
          CHECK(MPIX_Type_vector_x(n, length, stride, kind.type, &got) == MPI_SUCCESS);
          if (stride > 0) {
            equal("vector " + kind.name, wanted, got);
          } else {
            MPI_Aint lower[2], extent[2];
            MPI_Type_get_extent(wanted, &lower[0], &extent[0]);
            MPI_Type_get_extent(got, &lower[1], &extent[1]);
            if (n * length > 0) {
              CHECK(lower[0] == lower[1]);
              CHECK(extent[0] == extent[1]);
            }
            MPI_Type_free(&wanted);
            MPI_Type_free(&got);
          }
          // A multiple of every alignment: otherwise MPI may round the extent up, and the MPIs differ in that.
          const MPI_Aint bytes = kind.extent * length + 8;
          MPI_Type_create_hvector(n, length, bytes, kind.type, &wanted);
          CHECK(MPIX_Type_create_hvector_x(n, length, bytes, kind.type, &got) == MPI_SUCCESS);
          equal("hvector " + kind.name, wanted, got);
        }
}

TEST_CASE("test_large_type_blocks") {
  Kinds kinds;
  for (const auto& kind : kinds.all)
    for (int n : {0, 1, 3, limit() + 2}) {
      std::vector<int> lengths, starts;
      int at = 0;
      for (int i = 0; i < n; i++) {
        lengths.push_back(i % 3 == 1 ? 0 : i % 3 == 0 ? limit() + 1 + i % 2 : 2);
        starts.push_back(at + 1);
        at += lengths.back() + 2;
      }
      std::reverse(starts.begin(), starts.end());  // in no order; lengths differ, so blocks may overlap: read only
      const std::vector<MPI_Count> large_lengths(lengths.begin(), lengths.end()), large_starts(starts.begin(), starts.end());
      std::vector<MPI_Aint> bytes;
      for (int start : starts) bytes.push_back(start * kind.extent + 3);
      MPI_Datatype wanted, got;
      MPI_Type_indexed(n, lengths.data(), starts.data(), kind.type, &wanted);
      CHECK(MPIX_Type_indexed_x(n, large_lengths.data(), large_starts.data(), kind.type, &got) == MPI_SUCCESS);
      equal("indexed " + kind.name, wanted, got);
      MPI_Type_create_hindexed(n, lengths.data(), bytes.data(), kind.type, &wanted);
      CHECK(MPIX_Type_create_hindexed_x(n, large_lengths.data(), bytes.data(), kind.type, &got) == MPI_SUCCESS);
      equal("hindexed " + kind.name, wanted, got);
      const int length = limit() + 1;
      MPI_Type_create_indexed_block(n, length, starts.data(), kind.type, &wanted);
      CHECK(MPIX_Type_create_indexed_block_x(n, length, large_starts.data(), kind.type, &got) == MPI_SUCCESS);
      equal("indexed_block " + kind.name, wanted, got);
      MPI_Type_create_hindexed_block(n, length, bytes.data(), kind.type, &wanted);
      CHECK(MPIX_Type_create_hindexed_block_x(n, length, bytes.data(), kind.type, &got) == MPI_SUCCESS);
      equal("hindexed_block " + kind.name, wanted, got);
    }
}

TEST_CASE("test_large_type_struct") {
  // A structure pads its extent; so does the one with large blocks.
  const int lengths[] = {limit() + 1, 2, 1};
  const MPI_Count large_lengths[] = {limit() + 1, 2, 1};
  const MPI_Aint starts[] = {0, 8 * (limit() + 1), 8 * (limit() + 1) + 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
  MPI_Datatype wanted, got;
  MPI_Type_create_struct(3, lengths, starts, types, &wanted);
  CHECK(MPIX_Type_create_struct_x(3, large_lengths, starts, types, &got) == MPI_SUCCESS);
  equal("struct", wanted, got);
}

TEST_CASE("test_large_type_arrays") {
  Kinds kinds;
  const int l = limit() > 100 ? 9 : limit();
  for (const auto& kind : kinds.all) {
    if (kind.name == "odd") continue;  // begins behind its address: MPI's subarrays of it differ by library
    for (int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
      const int sizes[] = {l + 3, 4, 2 * l + 1}, parts[] = {l + 1, 2, l + 2}, starts[] = {1, 2, 3};
      const MPI_Count large_sizes[] = {l + 3, 4, 2 * l + 1}, large_parts[] = {l + 1, 2, l + 2}, large_starts[] = {1, 2, 3};
      MPI_Datatype wanted, got;
      MPI_Type_create_subarray(3, sizes, parts, starts, order, kind.type, &wanted);
      CHECK(MPIX_Type_create_subarray_x(3, large_sizes, large_parts, large_starts, order, kind.type, &got) ==
            MPI_SUCCESS);
      equal("subarray " + kind.name, wanted, got);
      const int kinds_of[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
      const int lengths[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 1, 3};
      const MPI_Count large_lengths[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, 2};
      for (int rank = 0; rank < 6; rank++) {
        MPI_Type_create_darray(6, rank, 3, sizes, kinds_of, lengths, grid, order, kind.type, &wanted);
        CHECK(MPIX_Type_create_darray_x(6, rank, 3, large_sizes, kinds_of, large_lengths, grid, order, kind.type,
                                        &got) == MPI_SUCCESS);
        equal("darray " + kind.name, wanted, got);
      }
    }
  }
}

TEST_CASE("test_large_type_names_of_mpi_4") {
  // Most are other names. The rest takes displacements as counts, and the blocks of a darray as ints.
  const MPI_Count two[] = {2, 1}, places[] = {3, 0}, sizes[] = {4, 5}, starts[] = {1, 2}, bytes[] = {67, 3};
  const MPI_Aint addresses[] = {67, 3};
  const MPI_Datatype of = MPI_DOUBLE, types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype type, other;
  const auto both = [&](const char* name, int code, int code_of_other) {
    CHECK((code == MPI_SUCCESS && code_of_other == MPI_SUCCESS));
    equal(name, other, type);
  };
  both("contiguous", AMPI_Type_contiguous_c(3, of, &type), MPI_Type_contiguous(3, of, &other));
  both("vector", AMPI_Type_vector_c(3, 2, 4, of, &type), MPI_Type_vector(3, 2, 4, of, &other));
  both("hvector", AMPI_Type_create_hvector_c(3, 2, 40, of, &type), MPI_Type_create_hvector(3, 2, 40, of, &other));
  both("indexed", AMPI_Type_indexed_c(2, two, places, of, &type), MPIX_Type_indexed_x(2, two, places, of, &other));
  both("indexed_block", AMPI_Type_create_indexed_block_c(2, 2, places, of, &type), MPIX_Type_create_indexed_block_x(2, 2, places, of, &other));
  both("resized", AMPI_Type_create_resized_c(of, 0, 24, &type), MPI_Type_create_resized(of, 0, 24, &other));
  both("subarray", AMPI_Type_create_subarray_c(2, sizes, two, starts, MPI_ORDER_C, of, &type),
       MPIX_Type_create_subarray_x(2, sizes, two, starts, MPI_ORDER_C, of, &other));
  both("hindexed", AMPI_Type_create_hindexed_c(2, two, bytes, of, &type), MPIX_Type_create_hindexed_x(2, two, addresses, of, &other));
  both("hindexed_block", AMPI_Type_create_hindexed_block_c(2, 2, bytes, of, &type),
       MPIX_Type_create_hindexed_block_x(2, 2, addresses, of, &other));
  both("struct", AMPI_Type_create_struct_c(2, two, bytes, types, &type), MPIX_Type_create_struct_x(2, two, addresses, types, &other));
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[] = {2, 1}, blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  const MPI_Count large_blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  both("darray", AMPI_Type_create_darray_c(2, 1, 2, sizes, kinds, blocks, grid, MPI_ORDER_C, of, &type),
       MPIX_Type_create_darray_x(2, 1, 2, sizes, kinds, large_blocks, grid, MPI_ORDER_C, of, &other));

  CHECK(AMPI_Type_vector_c(3, 2, 4, of, &type) == MPI_SUCCESS);
  MPI_Count size = 0, lower = -1, extent = 0;
  CHECK((AMPI_Type_size_c(type, &size) == MPI_SUCCESS && size == 48));
  CHECK((AMPI_Type_get_extent_c(type, &lower, &extent) == MPI_SUCCESS && lower == 0 && extent == 80));
  CHECK((AMPI_Type_get_true_extent_c(type, &lower, &extent) == MPI_SUCCESS && lower == 0 && extent == 80));
  MPI_Type_free(&type);
}

TEST_CASE("test_large_type_bounds_of_huge_counts") {
  // Sizes that nobody can allocate, and bounds that fit no type.
  MPI_Count count = MPI_Count{1} << 40, size = 0, back = 0;
  MPI_Aint lower = 0, extent = 0;
  MPI_Datatype type, base;
  CHECK(MPIX_Type_contiguous_x(count, MPI_DOUBLE, &type) == MPI_SUCCESS);
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent(type, &lower, &extent);
  CHECK(size == 8 * count);
  CHECK(extent == 8 * count);
  BigMPI_Decode_contiguous_x(type, &back, &base);
  CHECK(back == count);
  CHECK(base == MPI_DOUBLE);
  MPI_Type_free(&type);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPIX_Type_contiguous_x(MPI_Count{1} << 61, MPI_DOUBLE, &type) != MPI_SUCCESS);
  CHECK(MPIX_Type_contiguous_x(-1, MPI_DOUBLE, &type) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("test_large_type_of_many_blocks") {
  // Dealt out one by one: as many blocks as a third of the items, but only a few types.
  const MPI_Count items = MPI_Count{3} << 32, one = 1;
  const int kind = MPI_DISTRIBUTE_CYCLIC, ranks = 3;
  MPI_Datatype type;
  MPI_Count size = 0;
  MPI_Aint lower = 0, extent = 0;
  CHECK(MPIX_Type_create_darray_x(3, 1, 1, &items, &kind, &one, &ranks, MPI_ORDER_C, MPI_INT, &type) == MPI_SUCCESS);
  MPI_Type_size_x(type, &size);
  CHECK(size == items / 3 * 4);
  MPI_Type_get_extent(type, &lower, &extent);
  CHECK(extent == items * 4);
  MPI_Type_get_true_extent(type, &lower, &extent);
  CHECK(lower == 4);
  CHECK(extent == (items - 2) * 4);
  MPI_Type_free(&type);
}

TEST_CASE("test_large_type_arguments") {
  const MPI_Count sizes[] = {9, 9}, parts[] = {3, 8}, starts[] = {0, 2};
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, grid[] = {1, 2}, negative[] = {-1, -2};
  const MPI_Count lengths[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype type;
  auto says = [](int code, const char* what) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
    return std::string(text).find(what) != std::string::npos;
  };
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(says(MPIX_Type_create_subarray_x(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type), "array_of_starts = 2"));
  CHECK(says(MPIX_Type_create_subarray_x(2, sizes, starts, starts, 4711, MPI_INT, &type), "order = 4711"));
  CHECK(says(MPIX_Type_create_darray_x(2, 0, 2, sizes, kinds, lengths, grid, MPI_ORDER_C, MPI_INT, &type),
             "array_of_psizes"));
  CHECK(says(MPIX_Type_create_darray_x(2, 0, 2, sizes, kinds, lengths, negative, MPI_ORDER_C, MPI_INT, &type),
             "array_of_psizes"));
  CHECK(says(MPIX_Type_contiguous_x(-1, MPI_INT, &type), "count = -1"));
  CHECK(says(MPIX_Type_contiguous_x(9, MPI_DATATYPE_NULL, &type), "MPI_DATATYPE_NULL"));
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
