-- Devices that work at least 1 % longer in a step than others of their run, which wait for them
-- A run is what stands in one folder and was recorded at most ten minutes apart. Only captures of one format, model and kind of device are
-- compared. Typical is the median.
with recorded as (
  select uri, rtrim(rtrim(uri, replace(uri, '/', '')), '/') as folder, min(family) as family, coalesce(min(origin_unix_ns), 0) as origin_ns
  from files where file is not null group by uri),
named as (
  select uri, max(case when name = 'device' then value end) as device,
         coalesce(max(case when name = 'model' then value end), max(case when name = 'model_class' then value end),
                  max(case when name = 'family' then value end)) as model
  from facts where file is not null group by uri),
held as (
  select uri, min(accelerator) as accelerator from devices where file is not null group by uri),
shared as (
  select folder from recorded group by folder having count(*) > 1),
kinds as (
  select recorded.uri as uri, coalesce(shared.folder, recorded.uri) as run, origin_ns / 1e9 as origin_s,
         family || ' ' || coalesce(model, '') || ' ' || coalesce(named.device, accelerator, '') as kind
  from recorded left join shared on shared.folder = recorded.folder left join named on named.uri = recorded.uri
       left join held on held.uri = recorded.uri),
each as (
  select kinds.uri as uri, kinds.run as run, kind, host, device_name, busy_ps - comm_exposed_ps as work_ps,
         origin_s + start_ps / 1e12 as begin_s, origin_s + end_ps / 1e12 as end_s
  from steps join kinds on kinds.uri = steps.uri where steps.file is not null),
lasting as (
  select uri, run, kind, min(begin_s) as begin_s, max(end_s) as end_s from each group by uri, run, kind),
apart as (
  select uri, run, kind, begin_s, case when begin_s > 600 + max(end_s) over (
           partition by run, kind order by begin_s, uri rows between unbounded preceding and 1 preceding) then 1 else 0 end as begins
  from lasting),
together as (
  select uri, kind || ' ' || sum(begins) over (partition by run, kind order by begin_s, uri rows unbounded preceding) as kind from apart),
placed as (
  select run, together.kind as kind, host, device_name, work_ps,
         row_number() over (partition by run, together.kind, host, device_name order by work_ps) as place,
         count(*) over (partition by run, together.kind, host, device_name) as steps
  from each join together on together.uri = each.uri),
one as (
  select run, kind, host, device_name, max(steps) as steps, avg(work_ps) as typical_ps
  from placed where 2 * place between steps and steps + 2 group by run, kind, host, device_name),
placed_of_run as (
  select run, kind, typical_ps, row_number() over (partition by run, kind order by typical_ps) as place,
         count(*) over (partition by run, kind) as devices
  from one),
usual as (
  select run, kind, avg(typical_ps) as run_ps from placed_of_run where 2 * place between devices and devices + 2 group by run, kind)
select run, host, device_name, steps, typical_ps / 1e9 as work_ms, 100 * (typical_ps / run_ps - 1) as slower_percent
from one join usual using (run, kind) where typical_ps >= 1.01 * run_ps
order by slower_percent desc, run, host, device_name
