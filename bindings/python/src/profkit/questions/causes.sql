-- Why devices did not compute, the costliest cause first
-- Of each gap its first cause counts; of communication and copies that no compute hides, that they are so, or that ranks wait in them. What
-- is in steps stands first: these are the causes that a report names. What is not known comes last, with the gaps too short to be listed.
-- Per cent are of the time of the devices in steps, or outside of them.
with each as (
  select in_steps, case "use" when 'idle' then coalesce(nullif(cause, 'unexplained'), 'unknown')
                    when 'exposed_communication' then coalesce(cause, 'exposed_comm')
                    when 'exposed_copies' then 'exposed_copy' end as why, sum(time_ps / 1e12) as seconds,
         sum(case when certainty = 'proved' then time_ps / 1e12 else 0 end) as proved, sum(gaps) as listed, count(distinct uri) as found_in
  from device_time where file is not null group by 1, 2),
placed as (
  select in_steps, why, seconds, proved, listed, found_in, sum(seconds) over (partition by in_steps) as whole from each)
select why as cause, case when in_steps then 'steps' else 'no step' end as during, seconds, 100 * seconds / whole as percent,
       100 * proved / whole as proved_percent, cast(listed as bigint) as gaps, found_in as captures
from placed where why is not null
order by during = 'steps' desc, cause = 'unknown', seconds desc, cause
