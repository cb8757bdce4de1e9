//! A month of the outlets of seeds/feeds.txt, as prolific as outlets are known to be: nothing of any is held
//! back. `scripts/prove-budgets` prints the table.

use std::collections::BTreeMap;

use super::*;

const SEEDS: &str = include_str!("../../../../seeds/feeds.txt");

/// Articles a day that outlets are known to bring, of working days where these are told apart: by counts of
/// their feeds over a week (Press Gazette, "At 1,500 stories per day, Mail Online is UK's most prolific news
/// website"), and by what they say themselves (The Atlantic, 26 May 2016, "How Many Stories Do Newspapers
/// Publish Per Day?"; the Post's number has its agencies' stories).
const KNOWN: [(&str, u32); 4] = [
    ("dailymail.co.uk", 1_640),
    ("mirror.co.uk", 981),
    ("washingtonpost.com", 1_200),
    ("nytimes.com", 250),
];
/// As many as the most prolific of these: of an outlet whose number nobody has told.
const MOST: u32 = 1_640;
/// A news sitemap lists at most so many, of the last two days (Google, "News sitemaps"): so many are there
/// at the first poll.
const LISTED: u32 = 1_000;
/// Bytes of a page: the mean of today's news pages is 290 kB, and one in twenty has more than this.
const PAGE: i64 = 610_000;
/// Bytes of a feed, polled so many times a day and never unchanged.
const FEED: i64 = 500_000;
const POLLS: u32 = 288;

/// What became of an outlet's month.
#[derive(Default)]
struct Month {
    feeds: usize,
    /// A usual working day's entries, and the most of a day.
    usual: u32,
    most: u32,
    /// Entries that were taken and held back, and days whose bytes were used up.
    taken: u64,
    beyond: u64,
    used_up: u32,
    /// Bytes of the largest day, and how many it might have had.
    bytes: i64,
    allowed: i64,
}

/// Weekends have half as many; on the twentieth day something happens that doubles them.
fn entries(usual: u32, day: i64) -> u32 {
    let weekend = if day % 7 >= 5 { 2 } else { 1 };
    let event = if day == 20 { 2 } else { 1 };
    usual * event / weekend
}

fn month(usual: u32, feeds: usize) -> Month {
    let mut month = Month { feeds, usual, ..Month::default() };
    let mut budgets = vec![Budget::default(); feeds];
    let (mut days, mut spent) = (Vec::<i64>::new(), Vec::<i64>::new());
    for day in 1..=30 {
        let week: i64 = days.iter().rev().take(7).sum();
        let backlog = if day == 1 { LISTED * feeds as u32 } else { 0 };
        let new = entries(usual, day) + backlog;
        let (mut today, mut left) = (0, new);
        for poll in 0..POLLS {
            for budget in &mut budgets {
                *budget = on_day(*budget, day * DAY);
                // What is there at the first poll comes at once, the rest through the day.
                let first = if day == 1 && poll == 0 { LISTED } else { 0 };
                let part = left.min(first + new.div_ceil(POLLS)) as usize;
                let room = room(Kind::Own, today, week, i64::from(new));
                let (took, beyond) = take(&mut budget.own, Kind::Own, part, room);
                left -= part as u32;
                today += took as i64;
                month.taken += took as u64;
                month.beyond += u64::from(beyond);
            }
        }
        assert_eq!(left, 0);
        let bytes_today = today * PAGE + i64::from(POLLS) * FEED * feeds as i64;
        let week: i64 = spent.iter().rev().take(7).sum();
        let over = used_up(bytes_today, || Ok::<_, ()>(week)).unwrap();
        month.used_up += u32::from(over);
        if bytes_today > month.bytes {
            (month.bytes, month.allowed) = (bytes_today, bytes(week));
        }
        month.most = month.most.max(new);
        days.push(today);
        spent.push(bytes_today);
    }
    month
}

#[test]
fn nothing_of_the_seed_lists_outlets_is_held_back() {
    let mut outlets: BTreeMap<&str, usize> = BTreeMap::new();
    for line in SEEDS.lines().filter(|line| line.starts_with("http")) {
        let host = line.split('/').nth(2).unwrap();
        let known = KNOWN.iter().find(|(name, _)| host.ends_with(name));
        *outlets.entry(known.map_or(host, |(name, _)| name)).or_default() += 1;
    }
    assert!(outlets.len() > 200, "{}", outlets.len());
    println!(
        "\n|outlets|feeds of each|entries a day|most of a day|taken|held back|MiB of the largest day|of|"
    );
    println!("|--|--:|--:|--:|--:|--:|--:|--:|");
    let mut like: BTreeMap<(usize, u32), Vec<&str>> = BTreeMap::new();
    for (name, feeds) in outlets {
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        like.entry((feeds, known.map_or(MOST, |(_, n)| *n))).or_default().push(name);
    }
    for ((feeds, usual), names) in like {
        let month = month(usual, feeds);
        let of = if names.len() < 4 { names.join(", ") } else { names.len().to_string() };
        println!(
            "|{of}|{}|{}|{}|{}|{}|{}|{}|",
            month.feeds,
            month.usual,
            month.most,
            month.taken,
            month.beyond,
            month.bytes >> 20,
            month.allowed >> 20
        );
        assert_eq!((month.beyond, month.used_up), (0, 0), "{names:?}");
    }
}
