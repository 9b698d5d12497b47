-- Why devices waited, the costliest cause first
-- Of each gap its first cause counts.
select cause, certainty, sum(time_ps / 1e12) as seconds, cast(sum(gaps) as bigint) as gaps, count(distinct uri) as captures
from device_time where file is not null and cause is not null
group by cause, certainty order by seconds desc, cause, certainty
