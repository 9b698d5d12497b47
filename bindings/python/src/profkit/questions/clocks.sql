-- Hosts whose clock may be off: when their steps end, against the other hosts of their run
-- A run is what stands in one folder. Hosts that communicate end a step nearly together. Of each host the median over the steps that all
-- hosts have; runs without collectives, and captures without a time of day, are left out.
with origins as (
  select uri, min(origin_unix_ns) as origin_ns from files where file is not null group by uri),
talking as (
  select distinct uri from collectives where file is not null),
each as (
  select rtrim(rtrim(uri, replace(uri, '/', '')), '/') as run,
         coalesce(host, uri) as host, step_id, uri, end_ps
  from steps where file is not null),
begun as (
  select run, min(origin_ns) as first_ns, count(distinct host) as hosts
  from each join origins using (uri) join talking using (uri) where origin_ns is not null group by run),
ends as (
  select run, host, step_id, max((origin_ns - first_ns) / 1e6 + end_ps / 1e9) as end_ms
  from each join origins using (uri) join begun using (run) where hosts > 1 group by run, host, step_id),
placed as (
  select run, host, step_id, end_ms, row_number() over (partition by run, step_id order by end_ms) as place,
         count(*) over (partition by run, step_id) as hosts
  from ends),
usual as (
  select run, step_id, avg(end_ms) as usual_ms, max(hosts) as hosts
  from placed where 2 * place between hosts and hosts + 2 group by run, step_id),
offsets as (
  select run, host, end_ms - usual_ms as off_ms
  from ends join usual using (run, step_id) join begun using (run) where usual.hosts = begun.hosts),
placed_of_host as (
  select run, host, off_ms, row_number() over (partition by run, host order by off_ms) as place,
         count(*) over (partition by run, host) as steps
  from offsets)
select run, host, max(steps) as steps, avg(off_ms) as off_ms
from placed_of_host where 2 * place between steps and steps + 2 group by run, host
order by abs(avg(off_ms)) desc, run, host
