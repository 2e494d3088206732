//! Taking back the cut of a recovery that turns out to have been spurious: [`crate::recovery::SpuriousDetection`].

use super::*;

impl Sender {
    /// Recovery is about to cut the window, and may turn out to be spurious.
    pub(super) fn keep_window(&mut self) {
        if self.spurious.as_mut().is_some_and(|spurious| spurious.begin(&self.view)) {
            self.control.keep();
        }
    }
    /// The window is another one for other reasons than losses.
    pub(super) fn forget_kept_window(&mut self) {
        if let Some(spurious) = &mut self.spurious {
            spurious.forget();
        }
    }

    pub(super) fn note_sent_again(&mut self, from: Offset, to: Offset, exit: &Exit<'_>) {
        let clock = exit.header.timestamps.map(|clock| clock.value(self.view.now));
        if let Some(spurious) = &mut self.spurious {
            spurious.note_sent_again(from, to, clock, &self.view);
        }
    }

    /// Take the cut back if an acknowledgment, which is taken in already, settles that it was needless.
    pub(super) fn undo_if_spurious(&mut self, previous: Offset, segment: &Segment, exit: &mut Exit<'_>) {
        let duplicate = self.reported_duplicate(segment, exit.header.sack);
        let Some(spurious) = self.spurious.as_mut().filter(|spurious| spurious.is_open()) else { return };
        let times = segment.timestamps.filter(|times| exit.header.timestamps.is_some() && times.echo != 0);
        let evidence = Evidence { previous, echo: times.map(|times| times.echo), duplicate };
        let Some(before) = spurious.judge(&evidence, &self.view) else { return };
        self.statistics.undone_cuts += 1;
        let port = exit.header.local.port;
        exit.out.event(|| Event::CutUndone { port });
        self.commands.push(Command::RestoreWindow(before));
        self.recovery.on_spurious(&self.view, &mut self.commands);
        self.apply_all(None, None, exit);
    }

    pub(super) fn restore_window(&mut self, before: Window) {
        self.view.window = self.control.restore(before, &self.view);
        self.note_window_progress(self.view.now);
    }

    fn reported_duplicate(&self, segment: &Segment, negotiated: bool) -> Option<(Offset, Offset)> {
        let reports = negotiated && segment.sack.reports_duplicate(segment.acknowledgment);
        let block = segment.sack.as_slice().first().filter(|_| reports)?;
        let (left, right) = (self.offset(block.left)?, self.offset(block.right)?);
        (left < right && right <= self.view.highest_sent).then_some((left, right))
    }
}
