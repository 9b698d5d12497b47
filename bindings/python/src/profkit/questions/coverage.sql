-- What captures there are, and how many of them cannot be read, or not to the end
select coalesce(family, 'cannot be read') as family, count(distinct captures.uri) as captures, cast(sum(encoded_bytes) as bigint) as bytes,
       count(distinct wrong.uri) as errors
from captures left join files on files.uri = captures.uri and files.file is not null
     left join (select distinct uri from errors) as wrong on wrong.uri = captures.uri
group by coalesce(family, 'cannot be read') order by captures desc, family
