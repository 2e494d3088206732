//! The mobile node's side of its binding at one correspondent: the return routability procedure and the registration that
//! it authorizes (RFC 6275 sections 11.6 and 11.7.2).

use crate::protocol::{Action, Actions};
use crate::update_list::{LIFETIME_UNIT_S, LONGEST_WAIT};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, CorrespondentUpdate, Ipv6Control,
    Test, TestInit,
};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// How long a token may be used (MAX_TOKEN_LIFETIME, RFC 6275 section 12).
const TOKEN_LIFETIME: Duration = Duration::from_secs(210);

/// What all correspondents of a node share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared {
    pub(crate) home_address: NodeId,
    /// The requested lifetime in seconds.
    pub(crate) lifetime_s: u16,
    /// The timeout for the first answer; it doubles with each retransmission.
    pub(crate) retransmission: Duration,
}

/// A message that is retransmitted until it is answered.
#[derive(Clone, Copy, Debug)]
struct Pending<T> {
    message: T,
    send_again_at: Instant,
    timeout: Duration,
}

impl<T> Pending<T> {
    fn first(now: Instant, message: T, timeout: Duration) -> Self {
        Pending { message, send_again_at: now + timeout, timeout }
    }
    /// The same once more, after twice the time (RFC 6275 section 11.8).
    fn again(&self, now: Instant, message: T, shared: &Shared) -> Self {
        Pending::first(now, message, (self.timeout * 2).min(LONGEST_WAIT.max(shared.retransmission)))
    }
}

/// A keygen token.
#[derive(Clone, Copy, Debug)]
struct Token {
    nonce_index: u16,
    value: u64,
    until: Instant,
}

impl Token {
    fn received(now: Instant, test: &Test) -> Self {
        Token { nonce_index: test.nonce_index, value: test.token, until: now + TOKEN_LIFETIME }
    }
}

/// An address test: home or care-of.
#[derive(Debug, Default)]
struct AddressTest {
    /// With the cookie that the answer must repeat.
    pending: Option<Pending<u64>>,
    token: Option<Token>,
}

impl AddressTest {
    /// Whether this is the answer; if so, keep its token.
    fn answered(&mut self, now: Instant, test: &Test) -> bool {
        let is_answer = self.pending.is_some_and(|pending| pending.message == test.cookie);
        if is_answer {
            self.pending = None;
            self.token = Some(Token::received(now, test));
        }
        is_answer
    }
    fn forget_expired(&mut self, now: Instant) {
        self.token = self.token.filter(|token| now < token.until);
    }
}

/// The binding at the correspondent.
#[derive(Clone, Copy, Debug)]
struct Bound {
    care_of_address: NodeId,
    refresh_at: Instant,
    until: Instant,
}

/// The state of one correspondent.
#[derive(Debug)]
pub(crate) struct Correspondence {
    pub(crate) correspondent: NodeId,
    shared: Shared,
    /// Where the node is; its home address at home.
    care_of_address: NodeId,
    /// Whether the home agent has accepted this care-of address: the update waits for that (RFC 6275 section 11.7.2).
    home_agent_knows: bool,
    home: AddressTest,
    care_of: AddressTest,
    update: Option<Pending<CorrespondentUpdate>>,
    bound: Option<Bound>,
    sequence: u16,
    /// The cookie of the last test; the RFC draws them at random, here it suffices that they differ.
    cookie: u64,
}

impl Correspondence {
    /// No binding yet, and none asked for.
    pub(crate) fn new(correspondent: NodeId, shared: Shared, care_of_address: NodeId) -> Self {
        Correspondence {
            correspondent,
            shared,
            care_of_address,
            home_agent_knows: true,
            home: AddressTest::default(),
            care_of: AddressTest::default(),
            update: None,
            bound: None,
            sequence: 0,
            cookie: 0,
        }
    }

    /// The care-of address to send packets from directly; `None` when they take the tunnel to the home agent (RFC 6275
    /// section 11.3.1).
    pub(crate) fn direct_from(&self) -> Option<NodeId> {
        let bound = self.bound?;
        let is_current = bound.care_of_address == self.care_of_address && !self.is_home();
        is_current.then_some(bound.care_of_address)
    }
    /// Whether the correspondent may send packets to another address than the current one.
    pub(crate) fn is_behind(&self) -> bool {
        self.bound.is_some_and(|bound| bound.care_of_address != self.care_of_address)
    }
    fn is_home(&self) -> bool {
        self.care_of_address == self.shared.home_address
    }

    /// The node has moved to this address, which the home agent has not confirmed.
    pub(crate) fn moved_to(&mut self, now: Instant, care_of_address: NodeId, actions: &mut Actions) {
        self.care_of_address = care_of_address;
        self.home_agent_knows = false;
        self.care_of = AddressTest::default();
        self.begin(now, actions);
    }
    /// The home agent has confirmed the current address.
    pub(crate) fn home_agent_confirmed(&mut self, now: Instant, actions: &mut Actions) {
        self.home_agent_knows = true;
        self.try_update(now, actions);
    }

    /// Begin a registration with the current address. A token that is still good is used again (RFC 6275 section 5.2.7).
    pub(crate) fn begin(&mut self, now: Instant, actions: &mut Actions) {
        self.update = None;
        self.home.forget_expired(now);
        self.care_of.forget_expired(now);
        let timeout = self.shared.retransmission;
        if self.home.token.is_none() {
            let cookie = self.send_home_test(actions);
            self.home.pending = Some(Pending::first(now, cookie, timeout));
        }
        if self.care_of.token.is_none() && !self.is_home() {
            let cookie = self.send_care_of_test(actions);
            self.care_of.pending = Some(Pending::first(now, cookie, timeout));
        }
        self.try_update(now, actions);
    }

    /// Through the tunnel to the home agent.
    fn send_home_test(&mut self, actions: &mut Actions) -> u64 {
        let cookie = self.next_cookie();
        self.send(self.shared.home_address, Ipv6Control::HomeTestInit(TestInit { cookie }), actions);
        cookie
    }
    fn send_care_of_test(&mut self, actions: &mut Actions) -> u64 {
        let cookie = self.next_cookie();
        self.send(self.care_of_address, Ipv6Control::CareOfTestInit(TestInit { cookie }), actions);
        cookie
    }
    fn send(&self, from: NodeId, message: Ipv6Control, actions: &mut Actions) {
        actions.push(Action::Send { from, to: self.correspondent, message: Control::Ipv6(message) });
    }
    fn next_cookie(&mut self) -> u64 {
        self.cookie += 1;
        u64::from(self.correspondent.0) << 32 | self.cookie
    }

    pub(crate) fn on_home_test(&mut self, now: Instant, test: &Test, actions: &mut Actions) {
        if self.home.answered(now, test) {
            self.try_update(now, actions);
        }
    }
    pub(crate) fn on_care_of_test(&mut self, now: Instant, test: &Test, actions: &mut Actions) {
        if self.care_of.answered(now, test) {
            self.try_update(now, actions);
        }
    }

    /// Send the update if nothing is missing.
    fn try_update(&mut self, now: Instant, actions: &mut Actions) {
        if self.update.is_some() || !self.home_agent_knows {
            return;
        }
        if let Some(message) = self.next_update() {
            self.update = Some(Pending::first(now, message, self.shared.retransmission));
            self.send(self.care_of_address, Ipv6Control::CorrespondentUpdate(message), actions);
        }
    }

    /// An update with the tokens; `None` while one is missing, and when there is nothing to delete.
    fn next_update(&mut self) -> Option<CorrespondentUpdate> {
        let home = self.home.token?;
        let care_of = if self.is_home() { None } else { Some(self.care_of.token?) };
        let lifetime_units = match care_of {
            Some(_) => self.shared.lifetime_s.div_ceil(LIFETIME_UNIT_S),
            None => 0,
        };
        self.sequence = self.sequence.wrapping_add(1);
        let update = BindingUpdate {
            sequence: self.sequence,
            flags: BindingFlags::ACKNOWLEDGE,
            lifetime_units,
            home_address: self.shared.home_address,
            care_of_address: self.care_of_address,
        };
        Some(CorrespondentUpdate {
            update,
            home_nonce_index: home.nonce_index,
            care_of_nonce_index: care_of.map_or(0, |token| token.nonce_index),
            authenticator: CorrespondentUpdate::authenticate(
                home.value,
                care_of.map_or(0, |token| token.value),
            ),
        })
    }

    /// RFC 6275 section 11.7.3. Returns whether the binding is in force.
    pub(crate) fn on_acknowledgement(
        &mut self,
        now: Instant,
        answer: &BindingAcknowledgement,
        actions: &mut Actions,
    ) -> bool {
        let Some(asked) = self.update.map(|pending| pending.message.update) else { return false };
        if answer.care_of_address != asked.care_of_address {
            return false;
        }
        let status = answer.status;
        if status == BindingStatus::SEQUENCE_OUT_OF_WINDOW {
            self.sequence = answer.sequence;
            actions.push(Action::BindingRefused { status });
            self.update = None;
            self.try_update(now, actions);
            return false;
        }
        if answer.sequence != asked.sequence {
            return false;
        }
        if !status.is_accepted() {
            actions.push(Action::BindingRefused { status });
            self.on_refusal(now, status, actions);
            return false;
        }
        self.update = None;
        let granted = Duration::from_secs(u64::from(LIFETIME_UNIT_S))
            * u64::from(answer.lifetime_units.min(asked.lifetime_units));
        self.bound = (!granted.is_zero()).then(|| Bound {
            care_of_address: asked.care_of_address,
            refresh_at: now + granted / 2,
            until: now + granted,
        });
        true
    }

    /// A token that the correspondent no longer accepts is replaced; after any other refusal the node waits for its timer.
    fn on_refusal(&mut self, now: Instant, status: BindingStatus, actions: &mut Actions) {
        let both = status == BindingStatus::EXPIRED_NONCES;
        let home = both || status == BindingStatus::EXPIRED_HOME_NONCE_INDEX;
        let care_of = both || status == BindingStatus::EXPIRED_CARE_OF_NONCE_INDEX;
        self.home.token = self.home.token.filter(|_| !home);
        self.care_of.token = self.care_of.token.filter(|_| !care_of);
        if home || care_of {
            self.begin(now, actions);
        }
    }

    pub(crate) fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        let is_due = |at: Instant| at <= now;
        self.bound = self.bound.filter(|bound| !is_due(bound.until));
        if let Some(pending) = self.home.pending.filter(|pending| is_due(pending.send_again_at)) {
            let cookie = self.send_home_test(actions);
            self.home.pending = Some(pending.again(now, cookie, &self.shared));
        }
        if let Some(pending) = self.care_of.pending.filter(|pending| is_due(pending.send_again_at)) {
            let cookie = self.send_care_of_test(actions);
            self.care_of.pending = Some(pending.again(now, cookie, &self.shared));
        }
        if let Some(pending) = self.update.filter(|pending| is_due(pending.send_again_at)) {
            self.update_again(now, pending, actions);
        }
        if let Some(bound) = &mut self.bound
            && is_due(bound.refresh_at)
        {
            // Once: what follows is retransmitted by itself.
            bound.refresh_at = bound.until;
            self.begin(now, actions);
        }
    }

    fn update_again(&mut self, now: Instant, pending: Pending<CorrespondentUpdate>, actions: &mut Actions) {
        self.home.forget_expired(now);
        self.care_of.forget_expired(now);
        match self.next_update() {
            Some(message) => {
                self.update = Some(pending.again(now, message, &self.shared));
                self.send(self.care_of_address, Ipv6Control::CorrespondentUpdate(message), actions);
            }
            None => self.begin(now, actions),
        }
    }

    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let tests = [&self.home, &self.care_of].map(|test| Some(test.pending?.send_again_at));
        let update = self.update.map(|pending| pending.send_again_at);
        let bound = self.bound.map(|bound| bound.refresh_at.min(bound.until));
        tests.into_iter().chain([update, bound]).flatten().min()
    }
}
