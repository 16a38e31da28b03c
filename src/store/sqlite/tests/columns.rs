//! The statements that are made from column lists, against the schema.

use crate::store::columns::{
    ARRIVALS, BY_DAY, BY_FIGURES, DAYS, ERASED_DAYS, IMPORTED_REQUESTS, OFFERED_TOOLS,
    RESTATEMENTS, SOURCE_HOURS, SOURCES, insert_into,
};
use crate::store::sqlite::day_file::{self, Part};
use crate::store::sqlite::{database, read_attempts};

#[test]
fn every_statement_fits_the_migrated_schema() {
    let folder = tempfile::tempdir().unwrap();
    let main = database::open_or_make(&folder.path().join("main.sqlite"), &database::MAIN).unwrap();
    let all = [
        DAYS,
        ERASED_DAYS,
        RESTATEMENTS,
        ARRIVALS,
        SOURCES,
        SOURCE_HOURS,
        IMPORTED_REQUESTS,
        OFFERED_TOOLS,
    ];
    for table in all.iter().chain(BY_DAY).chain(BY_FIGURES) {
        main.prepare(&table.insert()).unwrap();
        main.prepare(&table.select("")).unwrap();
        let columns: Vec<String> = main
            .prepare(&format!("SELECT name FROM pragma_table_info('{}')", table.name))
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut written: Vec<&str> = table.columns.to_vec();
        let mut found: Vec<&str> = columns.iter().map(String::as_str).collect();
        written.sort_unstable();
        found.sort_unstable();
        assert_eq!(written, found, "{}", table.name);
    }
    let day = database::open_or_make(&folder.path().join("day.sqlite"), &database::DAY).unwrap();
    day.prepare(&insert_into("batches", day_file::BATCHES)).unwrap();
    for select in [day_file::HEADS, day_file::BLOB, read_attempts::ATTEMPTS] {
        day.prepare(select).unwrap();
    }
    for part in [Part::Head, Part::Whole, Part::Tail] {
        day.prepare(part.query()).unwrap();
    }
}
