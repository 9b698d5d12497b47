-- Devices that work longer in a step than others of their run, which wait for them
-- A run is what stands in one folder plugins/profile/RUN, else one capture. Typical is the median.
with each as (
  select coalesce(run, case when instr(uri, 'plugins/profile/') > 0 then
           substr(uri, 1, instr(uri, 'plugins/profile/') + 14
                  + instr(substr(uri, instr(uri, 'plugins/profile/') + 16) || '/', '/')) end, uri) as run,
         host, device_name, busy_ps - comm_exposed_ps as work_ps
  from steps where file is not null),
placed as (
  select run, host, device_name, work_ps, row_number() over (partition by run, host, device_name order by work_ps) as place,
         count(*) over (partition by run, host, device_name) as steps
  from each),
one as (
  select run, host, device_name, max(steps) as steps, avg(work_ps) as typical_ps
  from placed where 2 * place between steps and steps + 2 group by run, host, device_name),
placed_of_run as (
  select run, typical_ps, row_number() over (partition by run order by typical_ps) as place, count(*) over (partition by run) as devices
  from one),
usual as (
  select run, avg(typical_ps) as run_ps from placed_of_run where 2 * place between devices and devices + 2 group by run)
select run, host, device_name, steps, typical_ps / 1e9 as work_ms, typical_ps / run_ps - 1 as slower
from one join usual using (run) where typical_ps > run_ps
order by slower desc, run, host, device_name
