-- Whom the ranks of a run wait for in collectives
-- A run is what stands in one folder. Who comes last to a call is judged by how long it takes on each rank, as `validate` does.
select uri as run, who as last, times_last, judged as of_calls, not_judged, waited_for_ps / 1e9 as waited_for_ms,
       waited_ps / 1e9 as all_waited_ms
from waits where waited_ps > 0 or not_judged > 0
order by coalesce(waited_for_ps, 0) desc, uri
