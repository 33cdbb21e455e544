// admpi: profiles: what each region of a program costs on the tape and in sweeps.
//
//   tape.set_profile(true);
//   { admpi::region r("advection"); ... }   // to the end of the scope; regions nest
//   tape.reverse();
//   std::cout << tape.profile();            // the ten dearest regions
#ifndef ADMPI_PROFILE_HPP
#define ADMPI_PROFILE_HPP

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "admpi/error.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A number on several ranks: least, mean, most. In a profile of one rank all three are the same.
using profile_spread = admpi_profile_spread;

/// What was done in a region, without the regions inside it.
struct profile_row {
  std::string region;          ///< its name, behind those that it is in: "step/advection"
  profile_spread count;        ///< how often it was entered
  profile_spread statements;   ///< statements recorded; what is recorded again counts again
  profile_spread events;       ///< events recorded: messages, operations on matrices and the like
  profile_spread bytes;        ///< bytes recorded, without adjoints
  profile_spread recording_seconds;  ///< the time spent outside of sweeps
  profile_spread sweep_seconds;      ///< the time that sweeps spent on what was recorded there
};

/// What a tape did, by region. See tape_ref::profile.
class profile {
 public:
  explicit profile(admpi_tape *tape) {
    admpi_profile *made = nullptr;
    detail::check(admpi_tape_profile(tape, &made));
    handle_ = std::shared_ptr<admpi_profile>(made, admpi_profile_free);
    read();
  }

#if ADMPI_HAVE_MPI
  /// Makes it that of all ranks, on rank 0 of comm; on the others it is empty afterwards. Collective over comm.
  void gather(MPI_Comm comm) {
    detail::check(admpi_profile_gather(handle_.get(), comm));
    read();
  }
#endif

  /// Of how many ranks it is; 0 where another rank has gathered it.
  std::int64_t ranks() const noexcept { return ranks_; }
  /// In the order in which the regions were entered first.
  const std::vector<profile_row> &rows() const & noexcept { return rows_; }
  std::vector<profile_row> rows() && { return std::move(rows_); }
  /// The table of the regions whose sweeps take the longest; 0 means all regions.
  std::string table(std::int64_t most = 10) const {
    const char *text = nullptr;
    detail::check(admpi_profile_table(handle_.get(), most, &text));
    return text;
  }

 private:
  void read() {
    std::int64_t n = 0;
    detail::check(admpi_profile_size(handle_.get(), &ranks_, &n));
    rows_.clear();
    for (std::int64_t i = 0; i < n; ++i) {
      admpi_profile_row row;
      detail::check(admpi_profile_read(handle_.get(), i, &row));
      rows_.push_back({row.region, row.count, row.statements, row.events, row.bytes, row.recording_seconds, row.sweep_seconds});
    }
  }

  std::shared_ptr<admpi_profile> handle_;
  std::int64_t ranks_ = 0;
  std::vector<profile_row> rows_;
};

inline std::ostream &operator<<(std::ostream &out, const profile &of) { return out << of.table(); }

/// A region of the program, from here to the end of the scope: a profile of the tape that is current now counts it. The tape
/// must outlive it. Without a profile it costs one load.
class region {
 public:
  /// The name must live as long as the region.
  explicit region(const char *name) : name_(name) {
    if (admpi_detail_regions == 0) return;
    tape_ = admpi_tls_tape;
    if (tape_->next_id == 0) tape_ = nullptr;  // what stands for no tape
    if (tape_ != nullptr) detail::check(admpi_tape_region_begin(tape_, name_));
  }
  region(const region &) = delete;
  region &operator=(const region &) = delete;

  /// If it cannot end here, because another one inside is open, the next sweep fails.
  ~region() {
    if (tape_ == nullptr) return;
    const int status = admpi_tape_region_end(tape_, name_);
    if (status != ADMPI_SUCCESS) admpi_detail_tape_fail(tape_, status);
  }

 private:
  const char *name_;
  admpi_tape *tape_ = nullptr;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
