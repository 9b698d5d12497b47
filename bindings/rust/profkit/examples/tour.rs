//! Six things with profkit in Rust; see examples/tour/README.md. Usage: tour CAPTURE MERGED

use profkit::{BubbleOptions, CellValue, Correction, DocumentOptions, MemoryOptions, MergeOptions, Profile, TableKind};
use profkit::{Result, TableOptions};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&arguments[1]).expect("CAPTURE is a file");
    let profile = Profile::from_bytes(&bytes, &arguments[1])?;
    let table = |kind| profile.table(kind, DocumentOptions::default(), TableOptions::default());

    println!("{} devices", table(TableKind::Devices)?.advance(1000)?);

    let mut busiest = (0, String::new());
    for row in table(TableKind::Ops)?.rows(["self_ps", "display_name"]) {
        if let [Some(CellValue::Int64(self_ps)), Some(CellValue::Text(name))] = row? {
            if self_ps > busiest.0 {
                busiest = (self_ps, name);
            }
        }
    }
    println!("busiest op: {}, {} ps", busiest.1, busiest.0);

    let bubbles = profile.bubbles(BubbleOptions::default())?;
    let mut longest = None;
    for gap in bubbles.gaps() {
        let gap = gap?;
        if longest.as_ref().map_or(true, |known: &profkit::Bubble| gap.duration_ps() > known.duration_ps()) {
            longest = Some(gap);
        }
    }
    if let Some(gap) = longest {
        println!("longest gap: {} ps before {}, cause {}", gap.duration_ps(), gap.after, gap.cause);
    }

    let mut peak_bytes = 0;
    for buffer in profile.memory(MemoryOptions::default())?.live_buffers() {
        peak_bytes += buffer?.size_bytes;
    }
    println!("memory at the peak: {peak_bytes} bytes");

    let merge = MergeOptions::new([&arguments[1]]).correction(Correction::None).keep_going(true);
    println!("merged {} events", merge.run(&arguments[2])?.nodes().next().map_or(0, |node| node.events));
    Ok(())
}
