//! What each region of a program costs, forward and in sweeps. A companion of the tape, made when a profile is first asked for,
//! so nothing of this runs before. The borders of regions are events, at which a sweep goes from one region to another.
//!
//! All that is recorded, and all time, is charged to the innermost region. In a sweep that is the one in which the statements
//! were recorded; what a callback records in a sweep counts for the region of its event.
#![forbid(unsafe_code)]

use super::Tape;
use super::companions::Companion;
use super::dependence::Dependence;
use super::event::Event;
use super::no_tape::count_wanting_regions;
use super::position::Position;
use super::sweep::Sweep;
use crate::clock;
use crate::error::{Code, Error, Result};
use crate::profile::{Numbers, Profile};
use crate::tape::HEADER_BYTES;
use crate::trace::{self, Kind, Link};
use std::ffi::CString;
use std::time::Instant;

/// What stands outside of all regions.
const OUTSIDE: usize = 0;
const OUTSIDE_NAME: &str = "(outside)";

/// The event between two regions.
struct Border;

impl Event for Border {
    const NAME: &'static str = "region";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (event, now) = (sweep.event_index(), sweep.tape().position());
        sweep.companion::<Regions>().pass(event, &now)
    }

    fn depend(&mut self, _on: &mut Dependence<'_, '_>) -> Result<()> {
        Ok(())
    }
}

struct Region {
    within: usize,
    name: String,
    numbers: Numbers,
}

/// A region that is open, or a sweep that is under way in one.
struct Open {
    region: usize,
    sweeping: bool,
    /// The event at which it began.
    began: u32,
    /// It is a source line, in which nothing else can be open.
    line: bool,
    /// For a trace: when it began, or a sweep came to this region; and when the sweep began.
    since: u64,
    swept_since: u64,
}

impl Open {
    fn new(region: usize, sweeping: bool, began: u32, line: bool) -> Self {
        let now = if trace::is_on() { clock::now() } else { 0 };
        Self { region, sweeping, began, line, since: now, swept_since: now }
    }
}

#[derive(Default)]
pub(super) struct Regions {
    on: bool,
    regions: Vec<Region>,
    /// The events between regions, ascending, and the region below each.
    borders: Vec<(u32, usize)>,
    /// From the outermost to the innermost.
    open: Vec<Open>,
    /// Up to where what is recorded has been charged.
    charged: Position,
    clock: Option<Instant>,
}

/// Tells a trace of the time since `open` came to its region.
fn note(regions: &[Region], open: &Open) {
    if trace::is_on() && open.region != OUTSIDE {
        let kind = if open.sweeping { Kind::RegionSwept } else { Kind::Region };
        let name = &regions[open.region].name;
        trace::add_span(kind, name, open.since, clock::now(), Link::NONE);
    }
}

fn as_float(n: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // counts below 2^53
    let float = n as f64;
    float
}

impl Regions {
    fn start(&mut self, now: &Position) {
        if !self.on {
            count_wanting_regions(true);
            self.open.clear();
            self.open.push(Open::new(OUTSIDE, false, 0, false));
        }
        if self.regions.is_empty() {
            let name = OUTSIDE_NAME.to_owned();
            self.regions.push(Region { within: OUTSIDE, name, numbers: Numbers::default() });
        }
        self.regions.iter_mut().for_each(|region| region.numbers = Numbers::default());
        (self.on, self.charged, self.clock) = (true, *now, Some(Instant::now()));
    }

    fn stop(&mut self) {
        if std::mem::take(&mut self.on) {
            count_wanting_regions(false);
        }
    }

    fn innermost(&self) -> usize {
        self.open.last().map_or(OUTSIDE, |open| open.region)
    }

    /// Charges what has been recorded, and the time, since the last call.
    fn charge(&mut self, now: &Position) {
        let Some(open) = self.open.last().filter(|_| self.on) else { return };
        let numbers = &mut self.regions[open.region].numbers;
        let since = |now: u64, before: u64| as_float(now.saturating_sub(before));
        let before = std::mem::replace(&mut self.charged, *now);
        let statements = since(now.statement.into(), before.statement.into());
        let events = since(now.event.into(), before.event.into());
        numbers.statements += statements;
        numbers.events += events;
        numbers.bytes += statements
            + 12.0 * since(now.argument, before.argument)
            + as_float(HEADER_BYTES as u64) * events
            + since(now.payload, before.payload);
        let time = Instant::now();
        let seconds = self.clock.replace(time).map_or(0.0, |before| (time - before).as_secs_f64());
        if open.sweeping {
            numbers.sweep_seconds += seconds;
        } else {
            numbers.recording_seconds += seconds;
        }
    }

    /// The region of this name in the innermost one.
    fn inner(&mut self, name: &str) -> usize {
        let within = self.innermost();
        let is = |region: &Region| region.within == within && region.name == name;
        // The first is nobody's inner region.
        if let Some(at) = self.regions[1..].iter().position(is) {
            return at + 1;
        }
        let (name, numbers) = (name.to_owned(), Numbers::default());
        self.regions.push(Region { within, name, numbers });
        self.regions.len() - 1
    }

    /// A sweep passes a border.
    fn pass(&mut self, event: u32, now: &Position) -> Result<()> {
        if !self.on {
            return Ok(());
        }
        self.charge(now);
        self.left_none_open()?;
        if let Ok(at) = self.borders.binary_search_by_key(&event, |&(event, _)| event)
            && let Some(sweep) = self.open.last_mut()
        {
            let below = self.borders[at].1;
            note(&self.regions, sweep);
            (sweep.region, sweep.since) = (below, if trace::is_on() { clock::now() } else { 0 });
        }
        Ok(())
    }

    /// What is open ends.
    fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            note(&self.regions, &open);
            if open.sweeping && trace::is_on() {
                trace::add_span(Kind::Sweep, "reverse", open.swept_since, clock::now(), Link::NONE);
            }
        }
    }

    /// An error, and it is closed, where a callback of the innermost sweep has left a region open.
    fn left_none_open(&mut self) -> Result<()> {
        let sweep = self.open.iter().rposition(|open| open.sweeping).unwrap_or(0);
        let Some(left) = self.open.get(sweep + 1) else { return Ok(()) };
        let name = &self.regions[left.region].name;
        let text = format!("reverse: a callback left the region \"{name}\" open");
        self.open.truncate(sweep + 1);
        Err(Error::new(Code::Nest, text))
    }

    /// The name of a region, behind those that it is in.
    fn path(&self, mut region: usize) -> CString {
        let mut names = vec![&self.regions[region].name[..]];
        while self.regions[region].within != OUTSIDE {
            region = self.regions[region].within;
            names.push(&self.regions[region].name);
        }
        names.reverse();
        CString::new(names.join("/")).unwrap_or_default()
    }

    fn profile(&self) -> Profile {
        let used = |&at: &usize| self.regions[at].numbers != Numbers::default();
        let row = |at: usize| (self.path(at), self.regions[at].numbers);
        Profile::new((0..self.regions.len()).filter(used).map(row))
    }
}

impl Drop for Regions {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Companion for Regions {
    fn recorded(&mut self, top: &Position) {
        self.charge(top);
    }

    fn begin(
        &mut self,
        from: &Position,
        _to: &Position,
        _base: &Position,
        _whole: bool,
        _seeded: bool,
    ) -> Result<()> {
        if self.on {
            let above = self.borders.partition_point(|&(event, _)| event < from.event);
            let region = self.borders.get(above).map_or(self.innermost(), |&(_, below)| below);
            self.open.push(Open::new(region, true, from.event, false));
        }
        Ok(())
    }

    fn withdraw(&mut self) {
        if self.on {
            self.open.pop();
        }
    }

    fn end(&mut self, _bottom: bool) -> Result<()> {
        if !self.on {
            return Ok(());
        }
        let ended = self.left_none_open();
        self.close();
        ended
    }

    /// A region ends with the nest in which it began. One that is open when the whole tape is reset stays open.
    fn forget(&mut self, position: &Position) {
        let kept = self.borders.partition_point(|&(event, _)| event < position.event);
        self.borders.truncate(kept);
        let bottom = position.same_place(&Position::BOTTOM);
        let sweep = self.open.iter().rposition(|open| open.sweeping).unwrap_or(0);
        while let Some(open) = self.open.get_mut(sweep + 1..).and_then(<[Open]>::last_mut)
            && open.began >= position.event
        {
            if bottom {
                break;
            }
            self.close();
        }
        if bottom {
            self.open.iter_mut().for_each(|open| open.began = 0);
        }
        self.charged = *position;
    }
}

impl Tape {
    /// Begins a profile, which forgets an earlier one, or ends it; then it can still be read.
    pub fn set_profile(&mut self, on: bool) -> Result<()> {
        self.not_in_sweep("set_profile")?;
        let now = self.position();
        let regions = self.companion::<Regions>();
        if on {
            regions.start(&now);
        } else {
            regions.charge(&now);
            regions.stop();
        }
        Ok(())
    }

    /// Whether regions are told apart.
    pub fn is_profiled(&mut self) -> bool {
        self.companions.find::<Regions>().is_some_and(|regions| regions.on)
    }

    /// What the regions have cost so far.
    pub fn profile(&mut self) -> Result<Profile> {
        let now = self.position();
        let Some(regions) = self.companions.find::<Regions>().filter(|r| !r.regions.is_empty())
        else {
            let text = "profile: the tape has none; call admpi_tape_set_profile before the program records";
            return Err(Error::new(Code::Argument, text));
        };
        regions.charge(&now);
        Ok(regions.profile())
    }

    /// A region begins in the innermost one.
    pub fn begin_region(&mut self, name: &str) -> Result<()> {
        self.end_line()?;
        self.begin(name, false)
    }

    fn begin(&mut self, name: &str, line: bool) -> Result<()> {
        if !self.is_profiled() {
            return Ok(());
        }
        let began = self.border()?;
        let regions = self.companion::<Regions>();
        let region = regions.inner(name);
        regions.regions[region].numbers.count += 1.0;
        regions.open.push(Open::new(region, false, began, line));
        Ok(())
    }

    /// A call begins in this line, which is a region until it ends.
    pub fn begin_line(&mut self, line: &str) -> Result<()> {
        self.end_line()?;
        self.begin(line, true)
    }

    /// Ends the region of a line, also of a call that was left by an exception.
    pub fn end_line(&mut self) -> Result<()> {
        let is_line = |regions: &mut Regions| regions.open.last().is_some_and(|open| open.line);
        if self.companions.find::<Regions>().is_some_and(is_line) { self.leave() } else { Ok(()) }
    }

    /// The innermost region, which has this name, ends.
    pub fn end_region(&mut self, name: &str) -> Result<()> {
        if !self.is_profiled() {
            return Ok(());
        }
        self.end_line()?;
        let base = if self.nests.is_empty() { 0 } else { self.base().event };
        self.companion::<Regions>().check_end(name, base)?;
        self.leave()
    }

    fn leave(&mut self) -> Result<()> {
        let bordered = self.border();
        self.companion::<Regions>().close();
        bordered.map(|_| ())
    }

    /// Records that the innermost region is about to change, if anything was recorded in it. Tells at which event.
    fn border(&mut self) -> Result<u32> {
        let now = self.position();
        // What others have marked stays as it is.
        let floor = self.sweeps.last().map_or(0, |sweep| sweep.top.event).max(self.base().event);
        let regions = self.companion::<Regions>();
        regions.charge(&now);
        let (below, last) = (regions.innermost(), regions.borders.last().copied());
        if let Some((event, _)) = last
            && event >= floor
            && event + 1 == now.event
        {
            let header = self.header(event);
            if (header.statement, header.payload) == (now.statement, now.payload)
                && header.id == now.id
            {
                return Ok(event);
            }
        }
        let mut event = 0;
        self.record(0, |_, index| {
            event = index;
            Border
        })?;
        let now = self.position();
        let regions = self.companion::<Regions>();
        regions.borders.push((event, below));
        regions.charged = now;
        Ok(event)
    }
}

impl Regions {
    /// An error unless the region that ends is the innermost open one, and began in the innermost nest.
    fn check_end(&self, name: &str, base: u32) -> Result<()> {
        let refused = |why: String| {
            Err(Error::new(Code::Nest, format!("region_end: name = \"{name}\": {why}")))
        };
        let open = match self.open.last() {
            Some(open) if !open.sweeping && open.region != OUTSIDE => open,
            _ => {
                return refused(
                    "no region is open; it ended with the nest in which it began, or began before the profile or outside the callback"
                        .to_owned(),
                );
            }
        };
        let innermost = &self.regions[open.region].name;
        if innermost != name {
            return refused(format!("the innermost open region is \"{innermost}\""));
        }
        if open.began < base {
            return refused(
                "it began outside the nest that is open; recover the nest before".to_owned(),
            );
        }
        Ok(())
    }
}
