//! Shows the longest event of every device, with its stats: `longest_events CAPTURE`.

use profkit::{LineKind, PlaneKind, Profile, Value};
use std::process::ExitCode;

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::None => String::new(),
        Value::Double(number) => number.to_string(),
        Value::Uint64(number) => number.to_string(),
        Value::Int64(number) => number.to_string(),
        Value::Text(text) => text.chars().take(60).collect(),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        _ => "?".into(),
    }
}

fn show(path: &str) -> profkit::Result<()> {
    let profile = Profile::open(path)?;
    for plane in profile.planes().filter(|plane| plane.kind() == PlaneKind::Device) {
        let mut longest = None;
        for line in plane.lines() {
            if !matches!(line.kind(), LineKind::Ops | LineKind::Stream) {
                continue;
            }
            for event in line.events() {
                let event = event?;
                if longest.map_or(0, |known: profkit::Event<'_>| known.duration_ps()) < event.duration_ps() {
                    longest = Some(event);
                }
            }
        }
        if let Some(event) = longest {
            let name: String = plane.name_of(&event).chars().take(60).collect();
            println!("{}: {name}\n  {} ns", plane.name(), event.duration_ps() / 1000);
            for stat in plane.stats_of(&event) {
                let stat = stat?;
                println!("  {} = {}", stat.name(), shown(&stat.value()));
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let path = if let Some(path) = std::env::args().nth(1) {
        path
    } else {
        eprintln!("usage: longest_events CAPTURE");
        return ExitCode::from(2);
    };
    match show(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}\n{}", why.hint());
            ExitCode::FAILURE
        }
    }
}
