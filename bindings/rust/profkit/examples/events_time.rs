//! The Rust time per event: `events_time CAPTURE ROUNDS` prints the best ns per event, the number of events and the sum
//! of their durations, once by the iterator and once by batches.

use profkit::{Events, Profile};

/// CPU time of this thread: the wall clock tells what else the machine does.
fn now_ns() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux kernel with schedstat");
    told.split(' ').next().and_then(|first| first.parse().ok()).expect("run time in ns")
}

fn measure(profile: &Profile<'_>, rounds: u32, mut read: impl FnMut(Events<'_>, &mut u64, &mut i64)) {
    let mut best = f64::INFINITY;
    let (mut count, mut sum) = (0, 0);
    for _ in 0..rounds {
        let begin = now_ns();
        count = 0;
        sum = 0;
        for plane in profile.planes() {
            for line in plane.lines() {
                read(line.events(), &mut count, &mut sum);
            }
        }
        best = best.min((now_ns() - begin) / count as f64);
    }
    println!("{best:.3} {count} {sum}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let profile = Profile::open(&arguments[1]).expect("a capture");
    let rounds = arguments[2].parse().expect("a number of rounds");
    measure(&profile, rounds, |events, count, sum| {
        for event in events {
            *sum += event.expect("an intact event").duration_ps();
            *count += 1;
        }
    });
    measure(&profile, rounds, |mut events, count, sum| {
        while let Some(batch) = events.next_batch() {
            let batch = batch.expect("intact events");
            *sum += batch.iter().map(profkit::Event::duration_ps).sum::<i64>();
            *count += batch.len() as u64;
        }
    });
}
