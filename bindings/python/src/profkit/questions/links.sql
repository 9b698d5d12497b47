-- Runs whose collectives are slow although nobody is waited for
-- A run is what stands in one folder. The shortest execution of a collective on any device of a run is without waiting; against the
-- median of all runs that have the same collective on as many devices.
with recorded as (
  select distinct uri, rtrim(rtrim(uri, replace(uri, '/', '')), '/') as folder from files where file is not null),
shared as (
  select folder from recorded group by folder having count(*) > 1),
runs as (
  select recorded.uri as uri, coalesce(shared.folder, recorded.uri) as run
  from recorded left join shared on shared.folder = recorded.folder),
each as (
  select runs.run as run, host, device_name, name, category, min_ps
  from collectives join runs on runs.uri = collectives.uri where collectives.file is not null and min_ps > 0 and not is_half),
fastest as (
  select run, name, category, min(min_ps) as fastest_ps, count(*) as devices, count(distinct host) as hosts
  from each group by run, name, category),
placed as (
  select run, name, category, fastest_ps, devices, hosts,
         row_number() over (partition by name, category, devices order by fastest_ps) as place,
         count(*) over (partition by name, category, devices) as runs
  from fastest),
usual as (
  select name, category, devices, max(runs) as runs, avg(fastest_ps) as usual_ps
  from placed where 2 * place between runs and runs + 2 group by name, category, devices)
select run, max(placed.hosts) as hosts, count(*) as collectives, max(usual.runs) as runs_compared,
       100 * (avg(fastest_ps / usual_ps) - 1) as slower_percent
from placed join usual on placed.name = usual.name and placed.devices = usual.devices
     and coalesce(placed.category, '') = coalesce(usual.category, '')
where usual.runs > 1
group by run order by slower_percent desc, run
