//! Shares of what all users have together. One user gets a part of it, so that others find some, whatever that one holds and
//! for however long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of known users from which on those that hold nothing are looked for.
const FEW: usize = 64;

/// A number of units that users share.
pub(crate) struct Shares {
    most: u32,
    of_one: u32,
    all: Arc<Semaphore>,
    users: Mutex<Users>,
}

/// The users that hold units or wait for some.
struct Users {
    free: HashMap<String, Weak<Semaphore>>,
    /// Number of known users from which on they are looked through again.
    look_at: usize,
}

/// Units that one user holds until this is dropped.
pub(crate) struct Share {
    _of_user: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

impl Shares {
    /// Units for all, and the maximum of them for one user.
    pub(crate) fn new(most: u32, of_one: u32) -> Shares {
        let free = HashMap::new();
        let all = Arc::new(Semaphore::new(most as usize));
        Shares { most, of_one, all, users: Mutex::new(Users { free, look_at: FEW }) }
    }

    /// The most that one user gets, also for a request that asks for more.
    pub(crate) fn of_one(&self) -> u32 {
        self.of_one
    }

    /// Units for a user, if they are free.
    pub(crate) fn try_take(&self, user: &str, units: u32) -> Option<Share> {
        let (of_user, of_all) = self.parts(units);
        let of_user = self.user(user).try_acquire_many_owned(of_user).ok()?;
        let of_all = self.all.clone().try_acquire_many_owned(of_all).ok()?;
        Some(Share { _of_user: of_user, _of_all: of_all })
    }

    /// Waits for units for a user. Who waits for others of the same user keeps nothing from anybody else.
    pub(crate) async fn take(&self, user: &str, units: u32) -> Option<Share> {
        let (of_user, of_all) = self.parts(units);
        // The semaphores are never closed.
        let of_user = self.user(user).acquire_many_owned(of_user).await.ok()?;
        let of_all = self.all.clone().acquire_many_owned(of_all).await.ok()?;
        Some(Share { _of_user: of_user, _of_all: of_all })
    }

    fn parts(&self, units: u32) -> (u32, u32) {
        (units.min(self.of_one), units.min(self.most))
    }

    fn user(&self, name: &str) -> Arc<Semaphore> {
        let mut users = self.users();
        if let Some(known) = users.free.get(name).and_then(Weak::upgrade) {
            return known;
        }
        if users.free.len() >= users.look_at {
            users.free.retain(|_, free| free.strong_count() > 0);
            users.look_at = FEW.max(users.free.len() * 2);
        }
        let free = Arc::new(Semaphore::new(self.of_one as usize));
        users.free.insert(name.to_owned(), Arc::downgrade(&free));
        free
    }

    fn users(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn one_user_leaves_something_to_others() {
        let shares = Shares::new(8, 6);
        let held: Vec<Share> = (0..6).filter_map(|_| shares.try_take("eve", 1)).collect();
        assert_eq!(held.len(), 6);
        assert!(shares.try_take("eve", 1).is_none());
        assert!(shares.take("eve", 1).now_or_never().is_none());
        let other = shares.try_take("bob", 2);
        assert!(other.is_some());
        assert!(shares.try_take("amy", 1).is_none(), "nothing is left");
        drop(held);
        assert!(shares.try_take("amy", 6).is_some());
    }

    #[test]
    fn a_request_for_more_than_there_is_gets_all_of_it() {
        let shares = Shares::new(8, 6);
        let all = shares.try_take("eve", 100);
        assert!(all.is_some());
        assert!(shares.try_take("bob", 1).is_none());
        drop(all);
        assert!(shares.try_take("bob", 1).is_some());
    }

    #[test]
    fn who_waits_for_the_own_share_keeps_nothing_from_others() {
        let shares = Shares::new(8, 6);
        let held = shares.try_take("eve", 6);
        let mut waiting = Box::pin(shares.take("eve", 2));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(shares.try_take("bob", 2).is_some());
        drop(held);
        assert!(waiting.now_or_never().flatten().is_some());
    }

    #[test]
    fn users_that_hold_nothing_are_forgotten() {
        let shares = Shares::new(8, 6);
        let held = shares.try_take("eve", 6);
        for number in 0..FEW * 10 {
            assert!(shares.try_take(&format!("user{number}"), 1).is_some());
        }
        assert!(shares.users().free.len() <= FEW + 1);
        assert!(shares.try_take("eve", 1).is_none(), "who holds something is known");
        drop(held);
    }
}
