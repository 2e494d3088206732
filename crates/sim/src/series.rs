//! Links in series: where all packets of one link enter the next, and no others do, nothing can interfere on their way. They cross all of
//! these links with one entry in the agenda, that of the last link. The links before it are looked at when that is woken, and hand over each
//! packet at its own time. What comes out is the same, packet by packet.

use crate::agenda::{Due, Rank};
use crate::world::{Element, ElementId, Observer, World};
use seamline_net::First;
use seamline_wire::{Input, Instant, Machine, Port};

/// A link of a series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Its number among links.
    pub(crate) link: u32,
    /// Its number among elements.
    pub(crate) place: u32,
}

/// Where a link stands in its series.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// The link before it.
    before: Option<Member>,
    /// The last link, where it is another.
    last: Option<Member>,
}

/// The elements at the other ends of an element's wires; routers are looked through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Neighbors {
    None,
    One(usize),
    Several,
}

impl Neighbors {
    /// Add others; whether that changes anything.
    fn join(&mut self, others: Neighbors) -> bool {
        let joined = match (*self, others) {
            (Neighbors::None, some) | (some, Neighbors::None) => some,
            (some, same) if some == same => some,
            _ => Neighbors::Several,
        };
        std::mem::replace(self, joined) != joined
    }
}

impl<M: Machine, O: Observer> World<M, O> {
    /// Find the links that are in series, by the wires that there are now. Everything that is due has happened.
    pub(crate) fn find_series(&mut self) {
        self.dissolve_series();
        let next = self.next_in_series();
        let mut is_first: Vec<bool> = next.iter().map(Option::is_some).collect();
        next.iter().flatten().for_each(|place| is_first[*place] = false);
        for first in (0..next.len()).filter(|place| is_first[*place]) {
            let places = std::iter::successors(Some(first), |place| next[*place]);
            let members: Vec<Member> = places.filter_map(|place| self.member(place)).collect();
            self.join_in_series(&members);
        }
        (0..self.slots.len()).for_each(|place| self.rearm(ElementId(place as u32)));
    }

    fn dissolve_series(&mut self) {
        self.positions = vec![Position::default(); self.links.len()];
        self.series.clear();
        for slot in &mut self.slots {
            if let Element::LinkInSeries(n) = slot.element {
                slot.element = Element::Link(n);
            }
        }
    }

    fn join_in_series(&mut self, members: &[Member]) {
        let Some((&last, earlier)) = members.split_last() else { return };
        earlier.iter().for_each(|member| self.positions[member.link as usize].last = Some(last));
        for pair in members.windows(2) {
            self.positions[pair[1].link as usize].before = Some(pair[0]);
        }
        for member in members {
            self.slots[member.place as usize].element = Element::LinkInSeries(member.link);
        }
        self.series.push(last);
    }

    fn member(&self, place: usize) -> Option<Member> {
        match self.slots[place].element {
            Element::Link(link) => Some(Member { link, place: place as u32 }),
            _ => None,
        }
    }

    /// By place: the link that takes in all packets of the link there, and no others.
    fn next_in_series(&self) -> Vec<Option<usize>> {
        let (sources, targets) = self.neighbors();
        let is_constant =
            |place: usize| self.member(place).is_some_and(|it| self.links[it.link as usize].is_constant());
        let next = |place: usize| match targets[place] {
            Neighbors::One(next) if sources[next] == Neighbors::One(place) && next != place => Some(next),
            _ => None,
        };
        let next = |place| next(place).filter(|next| is_constant(place) && is_constant(*next));
        (0..self.slots.len()).map(next).collect()
    }

    /// By place: from where packets come, and where they go to.
    fn neighbors(&self) -> (Vec<Neighbors>, Vec<Neighbors>) {
        let mut sources = vec![Neighbors::None; self.slots.len()];
        let mut targets = sources.clone();
        let mut is_settled = false;
        let beyond = |place: usize, of_routers: &[Neighbors]| match self.slots[place].element {
            Element::Router(_) => of_routers[place],
            _ => Neighbors::One(place),
        };
        while !is_settled {
            is_settled = true;
            for from in 0..self.slots.len() {
                for port in 0..self.joints[from].ports() {
                    let Some(wire) = self.wire(from, Port(port)) else { continue };
                    let to = wire.to.place();
                    let (source, target) = (beyond(from, &sources), beyond(to, &targets));
                    is_settled &= !sources[to].join(source) & !targets[from].join(target);
                }
            }
        }
        (sources, targets)
    }

    /// A packet enters a link in series.
    pub(crate) fn enter_series(&mut self, link: u32, place: usize, input: Input) {
        self.catch_up(link, self.now);
        self.links[link as usize].step(self.now, input, &mut self.outbox);
        let last = self.positions[link as usize].last.map_or(place, |last| last.place as usize);
        // Packets that are further on come out earlier, and the entry is theirs.
        if !self.agenda.is_armed(last) {
            self.arm_series(link, place);
        }
    }

    /// The last link of a series is woken; an earlier one waits for that.
    pub(crate) fn wake_in_series(&mut self, at: Instant, place: usize, link: u32) {
        if self.positions[link as usize].last.is_none() {
            self.catch_up(link, at);
            self.wake_link(at, place, link, |world| world.first_in_series(link).map(Due::from));
        }
    }

    /// Look at the wake time of a series again.
    pub(crate) fn arm_series(&mut self, link: u32, place: usize) {
        let last = self.positions[link as usize].last.unwrap_or(Member { link, place: place as u32 });
        if let Some(first) = self.first_in_series(last.link) {
            self.agenda.arm(last.place as usize, Rank::Delivery, first.into());
        }
    }

    /// The packet that comes out of a link next, if none is lost on the way there.
    fn first_in_series(&self, link: u32) -> Option<First> {
        let here = &self.links[link as usize];
        here.first().or_else(|| {
            let before = self.positions[link as usize].before?;
            here.first_after(self.first_in_series(before.link)?)
        })
    }

    /// Hand over what has reached the far ends of the links before this one.
    fn catch_up(&mut self, link: u32, now: Instant) {
        let Some(before) = self.positions[link as usize].before else { return };
        self.catch_up(before.link, now);
        while let Some((at, packet)) = self.links[before.link as usize].hand_over_late(now, &mut self.outbox)
        {
            match self.way(before.place as usize, Port(0), &packet) {
                Some(wire) => {
                    let input = Input::Packet(wire.port, packet);
                    self.links[link as usize].step(at, input, &mut self.outbox);
                }
                None => self.lose(before.place as usize, Port(0), packet),
            }
        }
    }

    /// Let all links catch up with the clock.
    pub(crate) fn catch_up_all(&mut self) {
        for n in 0..self.series.len() {
            self.catch_up(self.series[n].link, self.now);
        }
    }
}

impl From<First> for Due {
    fn from(first: First) -> Due {
        Due { at: first.at, since: first.since }
    }
}
