-- Runs whose collectives are slow although nobody is waited for
-- The shortest execution of a collective on any device of a run is without waiting; against the median of all runs that have the same
-- collective on as many devices.
with each as (
  select coalesce(run, case when instr(uri, 'plugins/profile/') > 0 then
           substr(uri, 1, instr(uri, 'plugins/profile/') + 14
                  + instr(substr(uri, instr(uri, 'plugins/profile/') + 16) || '/', '/')) end, uri) as run,
         host, device_name, uri, name, category, min_ps
  from collectives where file is not null and min_ps > 0 and not is_half),
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
select run, max(placed.hosts) as hosts, count(*) as collectives, max(usual.runs) as runs_compared, avg(fastest_ps / usual_ps) - 1 as slower
from placed join usual on placed.name = usual.name and placed.devices = usual.devices
     and coalesce(placed.category, '') = coalesce(usual.category, '')
where usual.runs > 1
group by run order by slower desc, run
