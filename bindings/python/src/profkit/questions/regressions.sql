-- The typical step by folder, against the folder that was recorded before
-- A folder is a version: what stands in it was recorded with the same programs. Typical is the median of all steps in it.
with recorded as (
  select uri, rtrim(uri, replace(uri, '/', '')) as folder, min(origin_unix_ns) as origin_ns
  from files where file is not null group by uri),
each as (
  select folder, origin_ns, recorded.uri as uri, end_ps - start_ps as step_ps
  from steps join recorded on recorded.uri = steps.uri where steps.file is not null),
placed as (
  select folder, origin_ns, uri, step_ps, row_number() over (partition by folder order by step_ps) as place,
         count(*) over (partition by folder) as steps
  from each),
typical as (
  select folder, max(steps) as steps, avg(step_ps) as typical_ps
  from placed where 2 * place between steps and steps + 2 group by folder),
counted as (
  select folder, min(origin_ns) as first_ns, count(distinct uri) as captures from each group by folder)
select folder, captures, steps, typical_ps / 1e9 as step_ms,
       typical_ps / lag(typical_ps) over (order by first_ns nulls last, folder) - 1 as slower
from typical join counted using (folder)
order by first_ns nulls last, folder
