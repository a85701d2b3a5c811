//! The table of cron jobs.

use sprag_rest::{Column, age};
use sprag_value::{Time, Value};

use super::cron_job;
use crate::columns::{containers, selector, text};

/// As upstream's `printers.printCronJob`.
pub(super) fn columns() -> Vec<Column> {
    let mut columns = vec![
        text("Schedule", "Schedule in cron format.", |object| cron_job(object).spec().schedule().into()),
        text("Timezone", "Time zone of the schedule.", |object| {
            cron_job(object).spec().time_zone().unwrap_or("<none>").into()
        }),
        Column {
            kind: "boolean".into(),
            ..text("Suspend", "Whether no further jobs are started.", |object| {
                match cron_job(object).spec().suspend() {
                    None => "<unset>".into(),
                    Some(true) => "True".into(),
                    Some(false) => "False".into(),
                }
            })
        },
        Column {
            kind: "integer".into(),
            ..text("Active", "Number of running jobs.", |object| {
                i64::try_from(cron_job(object).status().active().len()).unwrap_or(i64::MAX).into()
            })
        },
        Column {
            description: "Time at which a job was last scheduled.".into(),
            ..Column::computed("Last Schedule", |object: &Value, now: Time| {
                let time = cron_job(object).status().last_schedule_time();
                time.map_or("<none>".into(), |time| age(time, now)).into()
            })
        },
        Column::age(),
    ];
    columns.extend(containers().into_iter().chain([selector()]).map(of_template));
    columns
}

/// A column about the template of jobs, which has a spec as a job does.
fn of_template(column: Column) -> Column {
    let source = column.clone();
    let cell = move |object: &Value, now: Time| {
        source.cell(object.lookup(&["spec", "jobTemplate"]).unwrap_or(&Value::Null), now)
    };
    Column { cell: Column::computed("", cell).cell, ..column }
}
