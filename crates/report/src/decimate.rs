//! Fewer points, the same picture.

/// Thins out a column of samples as they come: within each bucket of time the first, the last, the
/// smallest and the largest value of each column stay, so that a line through them covers the same pixels
/// as long as a pixel is not narrower than a bucket (Jugel et al., M4, VLDB 2014).
#[derive(Clone, Debug)]
pub struct Thinner<const COLUMNS: usize> {
    bucket_s: f64,
    /// The bucket being filled.
    bucket: u64,
    /// How many samples came.
    seen: u64,
    ends: Option<(Numbered<COLUMNS>, Numbered<COLUMNS>)>,
    extremes: [Option<(Numbered<COLUMNS>, Numbered<COLUMNS>)>; COLUMNS],
    kept: Vec<Sample<COLUMNS>>,
}

/// A sample and its index: several may share a time.
type Numbered<const COLUMNS: usize> = (u64, Sample<COLUMNS>);

/// A time and the values at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<const COLUMNS: usize> {
    /// When.
    pub time_s: f64,
    /// What.
    pub values: [f64; COLUMNS],
}

impl<const COLUMNS: usize> Thinner<COLUMNS> {
    /// With buckets of this many seconds.
    pub fn new(bucket_s: f64) -> Self {
        Thinner { bucket_s, bucket: 0, seen: 0, ends: None, extremes: [None; COLUMNS], kept: Vec::new() }
    }

    /// Take in a sample, not earlier than the one before.
    pub fn push(&mut self, sample: Sample<COLUMNS>) {
        let bucket = (sample.time_s / self.bucket_s) as u64;
        if bucket != self.bucket {
            self.close();
            self.bucket = bucket;
        }
        let numbered = (self.seen, sample);
        self.seen += 1;
        self.ends.get_or_insert((numbered, numbered)).1 = numbered;
        for (column, extremes) in self.extremes.iter_mut().enumerate() {
            let (least, most) = extremes.get_or_insert((numbered, numbered));
            if sample.values[column] < least.1.values[column] {
                *least = numbered;
            }
            if sample.values[column] > most.1.values[column] {
                *most = numbered;
            }
        }
    }

    /// What stays, in the order of time.
    pub fn finish(mut self) -> Vec<Sample<COLUMNS>> {
        self.close();
        self.kept
    }

    fn close(&mut self) {
        let marks = self.ends.take().into_iter().chain(self.extremes.iter_mut().filter_map(Option::take));
        let mut bucket: Vec<Numbered<COLUMNS>> = marks.flat_map(|(one, other)| [one, other]).collect();
        bucket.sort_by_key(|(place, _)| *place);
        bucket.dedup_by_key(|(place, _)| *place);
        for (_, sample) in bucket {
            self.keep(sample);
        }
    }

    /// Values that stay as they are need their beginning and their end only.
    fn keep(&mut self, sample: Sample<COLUMNS>) {
        match self.kept.as_mut_slice() {
            [.., before, last] if before.values == last.values && last.values == sample.values => {
                *last = sample;
            }
            _ => self.kept.push(sample),
        }
    }
}
