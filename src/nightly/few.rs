//! A list that is nearly always short, kept in place; only a longer one is allocated.

/// Up to `N` values in place, the others after them.
#[derive(Debug, Clone)]
pub(super) struct Few<T, const N: usize> {
    first: [Option<T>; N],
    more: Box<[T]>,
}

impl<T, const N: usize> Few<T, N> {
    /// The values in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().flatten().chain(&self.more)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.first.iter().flatten().count() + self.more.len()
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    /// The first value.
    pub(super) fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// Adds a value at the end.
    pub(super) fn push(&mut self, value: T) {
        if let Some(place) = self.first.iter_mut().find(|place| place.is_none()) {
            *place = Some(value);
        } else {
            let mut more = std::mem::take(&mut self.more).into_vec();
            more.push(value);
            self.more = more.into_boxed_slice();
        }
    }
}

impl<T, const N: usize> Default for Few<T, N> {
    fn default() -> Self {
        Self { first: std::array::from_fn(|_| None), more: Box::default() }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Eq, const N: usize> Eq for Few<T, N> {}

impl<T, const N: usize> FromIterator<T> for Few<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut values = values.into_iter();
        let first = std::array::from_fn(|_| values.next());
        Self { first, more: values.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_what_it_was_made_of_whatever_its_length() {
        for length in 0..6 {
            let made: Few<u8, 2> = (0..length).collect();
            let mut pushed = Few::<u8, 2>::default();
            (0..length).for_each(|value| pushed.push(value));
            assert_eq!(made, pushed);
            assert_eq!(made.iter().copied().collect::<Vec<u8>>(), (0..length).collect::<Vec<u8>>());
            assert_eq!(made.len(), usize::from(length));
            assert_eq!(made.is_empty(), length == 0);
        }
    }
}
