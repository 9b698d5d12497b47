-- Where the time of devices went
select "use", sum(time_ps / 1e12) as seconds, 100 * sum(time_ps / 1e12) / sum(sum(time_ps / 1e12)) over () as percent,
       count(distinct uri) as captures
from device_time where file is not null
group by "use" order by seconds desc, "use"
