//! Slots and paths at once.

use super::{Attached, Core, Demand, Given};
use crate::allocation::Admission;
use crate::pod::Part;

/// The side of a rack: where its packets leave, or where they arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Up,
    Down,
}

/// Who is free in which slot, and every path of the batch.
///
/// Sources are hosts, then core switches plane by plane; destinations are hosts, then pods.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WithCores {
    attached: Attached,
    hosts: u16,
    racks: Vec<u32>,
    /// For each source and destination, the slots in which it is free. A pod is always.
    sources: Vec<u64>,
    destinations: Vec<u64>,
    /// For each slot and rack, its free uplinks, and its free downlinks.
    up: Vec<u64>,
    down: Vec<u64>,
    /// For each slot, rack and plane that is not free, the number of the transfer that takes it.
    up_taken: Vec<u16>,
    down_taken: Vec<u16>,
    /// For each slot and plane, the core switches to which nothing is sent yet.
    cores: Vec<u64>,
    /// For each pod and plane, the core switches that take packets for it, and those of each plane that take any.
    ports: Vec<u64>,
    whole: Vec<u64>,
    /// For each pod, with which core switch to try first: one after the other, so that they are used alike.
    turns: Vec<u32>,
    /// For each slot, what is given.
    given: Vec<Vec<Given>>,
    /// For each rack, the planes to which its uplink works, and from which its downlink does; and which hosts work.
    works_up: Vec<u64>,
    works_down: Vec<u64>,
    hosts_work: Vec<bool>,
    /// For each plane, the core switches to which its link works, those from which it does, and those that work themselves.
    works_to_core: Vec<u64>,
    works_from_core: Vec<u64>,
    cores_work: Vec<u64>,
    /// Whether a packet has changed planes lately, or a core switch opened again.
    moved: bool,
}

impl WithCores {
    /// All free, for batches of this many slots.
    pub fn new(attached: &Attached, batch: u32) -> WithCores {
        let (pod, slots) = (attached.pod(), batch as usize);
        let (racks, planes) = (pod.racks() as usize, pod.uplinks() as usize);
        let hosts = usize::from(pod.hosts());
        let all = u64::MAX >> (64 - attached.cores_per_plane);
        let mut admission = WithCores {
            hosts: pod.hosts(),
            racks: (0..pod.hosts()).map(|host| pod.rack(host)).collect(),
            sources: vec![0; hosts + planes * attached.cores_per_plane as usize],
            destinations: vec![0; hosts + usize::from(attached.pods)],
            up: vec![0; slots * racks],
            down: vec![0; slots * racks],
            up_taken: vec![0; slots * racks * planes],
            down_taken: vec![0; slots * racks * planes],
            cores: vec![0; slots * planes],
            ports: vec![all; usize::from(attached.pods) * planes],
            whole: vec![all; planes],
            turns: vec![0; attached.pods.into()],
            given: vec![Vec::with_capacity(2 * hosts); slots],
            works_up: vec![u64::MAX >> (64 - pod.uplinks()); racks],
            works_down: vec![u64::MAX >> (64 - pod.uplinks()); racks],
            hosts_work: vec![true; hosts],
            works_to_core: vec![all; planes],
            works_from_core: vec![all; planes],
            cores_work: vec![all; planes],
            moved: false,
            attached: attached.clone(),
        };
        admission.clear();
        admission
    }

    /// How many sources and destinations there are.
    pub fn participants(&self) -> (u16, u16) {
        let count = |list: &Vec<u64>| u16::try_from(list.len()).expect("they are numbered in 16 bits");
        (count(&self.sources), count(&self.destinations))
    }

    /// How many pods there are.
    pub fn pods(&self) -> u16 {
        self.attached.pods
    }

    /// The numbers of a demand's ends.
    ///
    /// # Panics
    /// If there is no such host, core switch or pod.
    pub fn ends(&self, demand: Demand) -> (u16, u16) {
        let host = |host: u16| {
            assert!(host < self.hosts, "no host {host}");
            host
        };
        match demand {
            Demand::Within { source, destination } => (host(source), host(destination)),
            Demand::Out { source, pod } => {
                assert!(pod < self.attached.pods, "no pod {pod}");
                (host(source), self.hosts + pod)
            }
            Demand::In { core, destination } => (self.hosts + self.number(core), host(destination)),
        }
    }

    /// What is given in a slot of the batch.
    pub fn given(&self, slot: u32) -> &[Given] {
        &self.given[slot as usize]
    }

    /// Something works from the next batch on, or does not.
    pub fn set_works(&mut self, part: Part, works: bool) {
        match part {
            Part::Host(host) => self.hosts_work[usize::from(host)] = works,
            Part::FromRack(rack, plane) => set(&mut self.works_up[rack as usize], plane, works),
            Part::ToRack(rack, plane) => set(&mut self.works_down[rack as usize], plane, works),
            Part::ToCore(plane, core) => set(&mut self.works_to_core[usize::from(plane)], core, works),
            Part::FromCore(plane, core) => set(&mut self.works_from_core[usize::from(plane)], core, works),
            Part::Core(plane, core) => set(&mut self.cores_work[usize::from(plane)], core, works),
        }
    }

    /// Whether a rack's link works on this side of a plane; racks are counted through all slots.
    fn works(&self, side: Side, rack: usize, plane: u32) -> bool {
        let of = match side {
            Side::Up => &self.works_up,
            Side::Down => &self.works_down,
        };
        of[rack % of.len()] & 1 << plane != 0
    }

    /// Whether nothing may be sent to a core switch, from now on ([`InterPod::close_core`](super::InterPod::close_core)).
    ///
    /// # Panics
    /// If there is no such core switch.
    pub fn close_core(&mut self, core: Core, closed: bool) {
        self.number(core);
        let open = &mut self.whole[usize::from(core.plane)];
        self.moved |= !closed && *open & 1 << core.number == 0;
        set(open, core.number, !closed);
    }

    /// Whether nothing may be sent to a core switch for a pod, from now on ([`InterPod::close_port`](super::InterPod::close_port)).
    ///
    /// # Panics
    /// If there is no such core switch or pod.
    pub fn close_port(&mut self, core: Core, pod: u16, closed: bool) {
        self.number(core);
        let place = usize::from(pod) * self.planes() + usize::from(core.plane);
        let open = &mut self.ports[place];
        self.moved |= !closed && *open & 1 << core.number == 0;
        set(open, core.number, !closed);
    }

    fn number(&self, core: Core) -> u16 {
        let per_plane = self.attached.cores_per_plane;
        let (plane, number) = (u32::from(core.plane), u32::from(core.number));
        assert!(plane < self.attached.pod.uplinks() && number < per_plane, "no core switch {number} in plane {plane}");
        (plane * per_plane + number) as u16
    }

    fn planes(&self) -> usize {
        self.attached.pod.uplinks() as usize
    }

    fn demand(&self, source: u16, destination: u16) -> Demand {
        if let Some(core) = source.checked_sub(self.hosts) {
            let per_plane = self.attached.cores_per_plane as u16;
            let core = Core { plane: (core / per_plane) as u8, number: (core % per_plane) as u8 };
            return Demand::In { core, destination };
        }
        match destination.checked_sub(self.hosts) {
            Some(pod) => Demand::Out { source, pod },
            None => Demand::Within { source, destination },
        }
    }

    fn rack(&self, slot: u32, host: u16) -> usize {
        slot as usize * self.attached.pod.racks() as usize + self.racks[usize::from(host)] as usize
    }

    fn free(&mut self, side: Side, rack: usize) -> &mut u64 {
        match side {
            Side::Up => &mut self.up[rack],
            Side::Down => &mut self.down[rack],
        }
    }

    fn taken(&mut self, side: Side, rack: usize, plane: u32) -> &mut u16 {
        let place = rack * self.planes() + plane as usize;
        match side {
            Side::Up => &mut self.up_taken[place],
            Side::Down => &mut self.down_taken[place],
        }
    }

    /// The core switches of a plane that can take a packet for a pod in a slot.
    fn open_cores(&self, slot: u32, pod: u16, plane: u32) -> u64 {
        let planes = self.planes();
        self.cores[slot as usize * planes + plane as usize]
            & self.ports[usize::from(pod) * planes + plane as usize]
            & self.whole[plane as usize]
    }

    /// A plane for a demand in a slot; others may have to change theirs.
    fn place(&mut self, slot: u32, demand: Demand) -> Option<u32> {
        match demand {
            Demand::Within { source, destination } => {
                let (from, to) = (self.rack(slot, source), self.rack(slot, destination));
                let (up, down) = (self.up[from], self.down[to]);
                if up & down != 0 {
                    return Some((up & down).trailing_zeros());
                }
                // Pairs of one that is free above and one that is free below.
                for plane in bits(up) {
                    for other in bits(down) {
                        if self.swap(slot, Side::Down, to, plane, other) {
                            return Some(plane);
                        }
                        if self.swap(slot, Side::Up, from, other, plane) {
                            return Some(other);
                        }
                    }
                }
                None
            }
            Demand::Out { source, pod } => {
                let from = self.rack(slot, source);
                let planes = self.attached.pod.uplinks();
                let up = self.up[from];
                let first = self.turns[usize::from(pod)] % planes;
                let in_turn = |map: u64| bits(map & (u64::MAX << first)).chain(bits(map & !(u64::MAX << first)));
                if let Some(plane) = in_turn(up).find(|&plane| self.open_cores(slot, pod, plane) != 0) {
                    return Some(plane);
                }
                for plane in bits(!up & (u64::MAX >> (64 - planes))) {
                    if self.open_cores(slot, pod, plane) == 0 {
                        continue;
                    }
                    for other in bits(up) {
                        if self.swap(slot, Side::Up, from, plane, other) {
                            // The last one to change planes may have taken the only core switch.
                            if self.open_cores(slot, pod, plane) != 0 {
                                return Some(plane);
                            }
                            break;
                        }
                    }
                }
                None
            }
            Demand::In { core, destination } => {
                let (to, plane) = (self.rack(slot, destination), u32::from(core.plane));
                let down = self.down[to];
                let is_free = down & 1 << plane != 0;
                (is_free || bits(down).any(|other| self.swap(slot, Side::Down, to, plane, other))).then_some(plane)
            }
        }
    }

    /// Makes a plane free on one side of a rack that has `other` free there: swaps the two along the path that begins there, unless it meets a packet that
    /// cannot change planes. Then nothing is changed.
    fn swap(&mut self, slot: u32, side: Side, rack: usize, plane: u32, other: u32) -> bool {
        if !self.can_swap(slot, side, rack, plane, other) {
            return false;
        }
        self.moved = true;
        let (mut side, mut rack, mut from, mut to) = (side, rack, plane, other);
        let mut moving = *self.taken(side, rack, from);
        *self.free(side, rack) |= 1 << from;
        *self.free(side, rack) &= !(1 << to);
        *self.taken(side, rack, to) = moving;
        loop {
            self.given[slot as usize][usize::from(moving)].plane = to as u8;
            let Some((far, far_rack)) = self.far_end(slot, side, moving) else {
                self.change_core(slot, moving, from, to);
                return true;
            };
            (side, rack) = (far, far_rack);
            let next = *self.taken(side, rack, to);
            let ends_here = *self.free(side, rack) & 1 << to != 0;
            *self.taken(side, rack, to) = moving;
            if ends_here {
                *self.free(side, rack) &= !(1 << to);
                *self.free(side, rack) |= 1 << from;
                return true;
            }
            *self.taken(side, rack, from) = next;
            (moving, from, to) = (next, to, from);
        }
    }

    fn can_swap(&mut self, slot: u32, side: Side, rack: usize, plane: u32, other: u32) -> bool {
        let (mut side, mut rack, mut from, mut to) = (side, rack, plane, other);
        loop {
            // What is not free without anybody having taken it is broken.
            if !self.works(side, rack, from) {
                return false;
            }
            let moving = *self.taken(side, rack, from);
            match self.given[slot as usize][usize::from(moving)].demand {
                Demand::In { .. } => return false,
                Demand::Out { pod, .. } => return self.open_cores(slot, pod, to) != 0,
                Demand::Within { .. } => {}
            }
            let Some((far, far_rack)) = self.far_end(slot, side, moving) else { return false };
            (side, rack) = (far, far_rack);
            if *self.free(side, rack) & 1 << to != 0 {
                return true;
            }
            (from, to) = (to, from);
        }
    }

    /// The other rack of a packet within the pod.
    fn far_end(&self, slot: u32, side: Side, number: u16) -> Option<(Side, usize)> {
        match self.given[slot as usize][usize::from(number)].demand {
            Demand::Within { source, destination } => Some(match side {
                Side::Up => (Side::Down, self.rack(slot, destination)),
                Side::Down => (Side::Up, self.rack(slot, source)),
            }),
            Demand::Out { .. } | Demand::In { .. } => None,
        }
    }

    /// A packet for another pod goes to a core switch of another plane.
    fn change_core(&mut self, slot: u32, number: u16, from: u32, to: u32) {
        let Given { demand, core, .. } = self.given[slot as usize][usize::from(number)];
        let Demand::Out { pod, .. } = demand else { return };
        let begin = slot as usize * self.planes();
        set(&mut self.cores[begin + from as usize], core.unwrap_or(0), true);
        let core = self.take_core(slot, pod, to);
        self.given[slot as usize][usize::from(number)].core = Some(core);
    }

    /// A core switch of a plane, one after the other.
    fn take_core(&mut self, slot: u32, pod: u16, plane: u32) -> u8 {
        let open = self.open_cores(slot, pod, plane);
        let (turn, planes) = (self.turns[usize::from(pod)], self.attached.pod.uplinks());
        let first = turn / planes % self.attached.cores_per_plane;
        let later = open & (u64::MAX << first);
        let core = (if later == 0 { open } else { later }).trailing_zeros() as u8;
        self.turns[usize::from(pod)] = turn.wrapping_add(1);
        let begin = slot as usize * self.planes();
        set(&mut self.cores[begin + plane as usize], core, false);
        core
    }
}

impl Admission for WithCores {
    fn clear(&mut self) {
        self.sources.fill(u64::MAX);
        self.destinations.fill(u64::MAX);
        for (host, _) in self.hosts_work.iter().enumerate().filter(|(_, works)| !**works) {
            self.sources[host] = 0;
            self.destinations[host] = 0;
        }
        for up in self.up.chunks_exact_mut(self.works_up.len()) {
            up.copy_from_slice(&self.works_up);
        }
        for down in self.down.chunks_exact_mut(self.works_down.len()) {
            down.copy_from_slice(&self.works_down);
        }
        for cores in self.cores.chunks_exact_mut(self.works_to_core.len()) {
            for (free, (to, work)) in cores.iter_mut().zip(self.works_to_core.iter().zip(&self.cores_work)) {
                *free = to & work;
            }
        }
        for (source, core) in self.sources[usize::from(self.hosts)..].iter_mut().zip(0..) {
            let (plane, number) = (core / self.attached.cores_per_plane, core % self.attached.cores_per_plane);
            let works = self.works_from_core[plane as usize] & self.cores_work[plane as usize];
            if works & 1 << number == 0 {
                *source = 0;
            }
        }
        self.given.iter_mut().for_each(Vec::clear);
    }

    fn candidates(&self, source: u16, destination: u16, open: u64) -> u64 {
        open & self.sources[usize::from(source)] & self.destinations[usize::from(destination)]
    }

    fn has_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    fn admit(&mut self, source: u16, destination: u16, candidates: u64) -> Option<u32> {
        let demand = self.demand(source, destination);
        if let Demand::Out { pod, .. } = demand {
            let ports = &self.ports[usize::from(pod) * self.planes()..][..self.planes()];
            if ports.iter().zip(&self.whole).all(|(port, whole)| port & whole == 0) {
                return None;
            }
        }
        for slot in bits(candidates) {
            let Some(plane) = self.place(slot, demand) else { continue };
            let number = u16::try_from(self.given[slot as usize].len()).expect("no more than hosts and core switches");
            let take = |admission: &mut WithCores, side, host| {
                let rack = admission.rack(slot, host);
                *admission.free(side, rack) &= !(1 << plane);
                *admission.taken(side, rack, plane) = number;
            };
            let core = match demand {
                Demand::Within { source, destination } => {
                    take(self, Side::Up, source);
                    take(self, Side::Down, destination);
                    None
                }
                Demand::Out { source, pod } => {
                    take(self, Side::Up, source);
                    Some(self.take_core(slot, pod, plane))
                }
                Demand::In { core, destination } => {
                    take(self, Side::Down, destination);
                    Some(core.number)
                }
            };
            self.given[slot as usize].push(Given { demand, plane: plane as u8, core });
            self.sources[usize::from(source)] &= !(1 << slot);
            if destination < self.hosts {
                self.destinations[usize::from(destination)] &= !(1 << slot);
            }
            return Some(slot);
        }
        None
    }
}

/// The numbers of the bits that are set, upwards.
fn bits(mut map: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (map != 0).then(|| map.trailing_zeros())?;
        map &= map - 1;
        Some(bit)
    })
}

fn set(map: &mut u64, bit: u8, value: bool) {
    if value {
        *map |= 1 << bit;
    } else {
        *map &= !(1 << bit);
    }
}
