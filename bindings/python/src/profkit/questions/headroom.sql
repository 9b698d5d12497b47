-- How much of its memory each device used at most
select run, host, name, max(occupancy_peak_bytes) as peak_bytes, max(capacity_bytes) as capacity_bytes,
       max(occupancy_peak_bytes * 100.0 / nullif(capacity_bytes, 0)) as used_percent, count(distinct uri) as captures
from allocators where file is not null
group by run, host, name order by used_percent desc nulls last, run, host, name
