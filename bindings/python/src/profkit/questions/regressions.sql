-- The typical step by folder, against the folder that was recorded before
-- A folder is a version: what stands in it was recorded with the same programs. Only captures of one format, model and kind of device are
-- compared. Typical is the median of all steps in a folder.
with recorded as (
  select uri, rtrim(rtrim(uri, replace(uri, '/', '')), '/') as folder, min(family) as family, min(origin_unix_ns) as origin_ns
  from files where file is not null group by uri),
named as (
  select uri, max(case when name = 'device' then value end) as device,
         coalesce(max(case when name = 'model' then value end), max(case when name = 'model_class' then value end),
                  max(case when name = 'family' then value end)) as model
  from facts where file is not null group by uri),
held as (
  select uri, min(accelerator) as accelerator from devices where file is not null group by uri),
kinds as (
  select recorded.uri as uri, folder, family, origin_ns, coalesce(model, '') as model, coalesce(named.device, accelerator, '') as device
  from recorded left join named on named.uri = recorded.uri left join held on held.uri = recorded.uri),
each as (
  select folder, family, model, kinds.device as device, origin_ns, kinds.uri as uri, end_ps - start_ps as step_ps
  from steps join kinds on kinds.uri = steps.uri where steps.file is not null),
placed as (
  select folder, family, model, device, step_ps, row_number() over (partition by folder, family, model, device order by step_ps) as place,
         count(*) over (partition by folder, family, model, device) as steps
  from each),
typical as (
  select folder, family, model, device, max(steps) as steps, avg(step_ps) / 1e9 as step_ms
  from placed where 2 * place between steps and steps + 2 group by folder, family, model, device),
counted as (
  select folder, family, model, device, min(origin_ns) as first_ns, count(distinct uri) as captures
  from each group by folder, family, model, device),
ordered as (
  select folder, lag(folder) over (partition by family, model, device order by first_ns nulls last, folder) as before, model, device,
         captures, steps, lag(step_ms) over (partition by family, model, device order by first_ns nulls last, folder) as before_ms, step_ms, first_ns
  from typical join counted using (folder, family, model, device))
select folder, before, device, model, captures, steps, before_ms, step_ms, 100 * (step_ms / before_ms - 1) as slower_percent
from ordered where before is not null
order by first_ns nulls last, folder, device, model
