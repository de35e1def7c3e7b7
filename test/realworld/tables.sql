-- What a data base does, in short: tables, indices, joins, windows, recursion, triggers, transactions, texts, JSON.
create table town(id integer primary key, name text not null, people integer, area real);
create table road(a integer references town, b integer references town, km real, primary key(a, b)) without rowid;
create index town_by_people on town(people desc, name);
create table log(at integer primary key, what text);
create trigger grown after update of people on town when new.people > old.people
  begin insert into log(what) values (printf('%s %+d', new.name, new.people - old.people)); end;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
  insert into town select i, 'town' || (i * 7919 % 2003), i * i % 9973, i / 7.0 from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1999)
  insert into road select i, i + 1, abs(i * 31 % 97) + 0.5 from n;
select count(*), sum(people), round(avg(area), 3), min(name), max(name) from town;
select t.name, count(*), round(total(r.km), 1) from town t join road r on t.id in (r.a, r.b) group by t.id order by 3 desc, 1 limit 5;
select name, people, rank() over w, sum(people) over (order by people rows 3 preceding) from town where people > 9900
  window w as (order by people desc) order by people, name limit 8;
with recursive way(at, far) as (select 1, 0.0 union all select b, far + km from way join road on a = at where far < 300)
  select max(at), round(max(far), 1) from way;
begin; update town set people = people + 10 where id % 100 = 0; savepoint s; delete from town where id > 1000; rollback to s; commit;
select count(*), min(what), max(what) from log;
select group_concat(upper(substr(name, -3)), '/') from (select name from town where name glob 'town19[0-9]' order by name limit 6);
select json_extract(json_group_array(json_object('n', name, 'p', people)), '$[2].n') from town where id < 6;
select hex(zeroblob(4)), quote(x'00ff'), typeof(1e300 * 1e10), 7 / 2, -7 % 3, 1 << 40, like('%own1%', 'town12'), strftime('%Y-%m-%d', 86400 * 366, 'unixepoch');
create view big as select * from town where people > 9000; select count(*) from big natural join town;
alter table town add column note text default 'none'; drop index town_by_people; select count(distinct note) from town; vacuum;
pragma integrity_check;
