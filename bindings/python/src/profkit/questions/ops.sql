-- The costliest ops
select name, category, sum(self_ps / 1e12) as seconds, cast(sum(count) as bigint) as runs, count(distinct uri) as captures
from ops where file is not null
group by name, category order by seconds desc, name, category limit 50
