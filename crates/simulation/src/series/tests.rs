use super::*;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_ipc::reader::StreamReader;
use std::io::Cursor;

/// Samples a series that counts 1 an interval of the first length, until `end`; its rows.
fn sampled(told: Option<Span>, duration: Time, end: Time, over: Over) -> Vec<(u64, f64)> {
    let mut series = Series::create(&Destination::Memory, told, duration).unwrap();
    let names: [Arc<str>; 3] = ["it".into(), "all".into(), "B".into()];
    let mut now = Time::ZERO;
    while now + series.interval() <= end {
        now += series.interval();
        let value = match over {
            Over::Instant => now.as_ps() as f64,
            Over::Mean => 7.0,
            Over::Sum => series.weight() as f64,
        };
        series.push(now, names.each_ref(), over, value).unwrap();
        series.end_sample(now);
    }
    let bytes = series.close().unwrap().kept.unwrap();
    let mut rows = Vec::new();
    for batch in StreamReader::try_new(Cursor::new(bytes), None).unwrap() {
        let batch = batch.unwrap();
        let (times, values) =
            (batch["time_ps"].as_primitive::<UInt64Type>(), batch["value"].as_primitive::<Float64Type>());
        rows.extend((0..batch.num_rows()).map(|row| (times.value(row), values.value(row))));
    }
    rows
}

const MS: u64 = 1_000_000_000;

#[test]
fn what_was_simulated_is_covered_evenly_however_soon_the_run_ends() {
    // Of 200 ms that were asked for.
    for end in [MS / 20, MS, 6 * MS + MS / 3, 100 * MS, 200 * MS] {
        for over in [Over::Instant, Over::Mean, Over::Sum] {
            let rows = sampled(None, Time::from_ps(200 * MS), Time::from_ps(end), over);
            assert!((128..256).contains(&rows.len()), "{} samples until {end}", rows.len());
            let interval = rows[0].0;
            assert!((1..).zip(&rows).all(|(number, (time, _))| *time == number * interval), "evenly spaced");
            assert!(end - rows[rows.len() - 1].0 < interval, "up to the end");
            let first = interval / 100_000; // the first interval is 100 ns
            let right = |(time, value): &(u64, f64)| match over {
                Over::Instant => *value == *time as f64,
                Over::Mean => *value == 7.0,
                Over::Sum => *value == first as f64,
            };
            assert!(rows.iter().all(right), "{over:?}: {:?}", &rows[..3]);
        }
    }
}

#[test]
fn who_says_how_often_gets_that() {
    let rows = sampled(Some(Span::from_us(1)), Time::from_ps(200 * MS), Time::from_ps(MS), Over::Mean);
    assert_eq!(rows.len(), 1000);
}

#[test]
fn short_runs_are_sampled_as_well() {
    assert_eq!(first(Time::from_ps(200)), Span::from_ps(1));
    assert_eq!(first(Time::from_ps(1)), Span::from_ps(1));
    assert_eq!(first(Time::from_ps(10 * MS)), Span::from_ns(100));
    assert_eq!(first(Time::from_ps(10_000 * MS)), Span::from_us(1));
}

#[test]
fn a_run_that_is_killed_has_the_samples_of_its_last_save_and_one_that_ends_has_no_trace_of_it() {
    let folder = std::env::temp_dir().join(format!("gossamer-series-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let run = |destination: &Destination, saves: bool| {
        let mut series = Series::create(destination, None, Time::from_ps(200 * MS)).unwrap();
        let names: [Arc<str>; 3] = ["it".into(), "all".into(), "B".into()];
        let mut now = Time::ZERO;
        for number in 1..2000 {
            now += series.interval();
            series.push(now, names.each_ref(), Over::Mean, 0.0).unwrap();
            series.end_sample(now);
            if saves && number % 100 == 0 {
                series.save().unwrap();
                let tail = std::fs::File::open(folder.join("series.arrow.tail")).unwrap();
                let last = StreamReader::try_new(tail, None).unwrap().map_while(Result::ok).last().unwrap();
                let times = last["time_ps"].as_primitive::<UInt64Type>();
                let newest = times.value(last.num_rows() - 1);
                assert!(now.as_ps() - newest < series.interval().as_ps(), "save {number}: {newest} of {now}");
            }
        }
        series.close().unwrap().digest
    };
    let unwatched = run(&Destination::Memory, false);
    assert_eq!(run(&Destination::Folder(folder.clone()), true), unwatched);
    assert!(!folder.join("series.arrow.tail").exists());
    std::fs::remove_dir_all(folder).unwrap();
}
