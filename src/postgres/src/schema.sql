-- Tables of quire, version 1. `place` is empty, or the name of a part of the storage.
create table quire_schema (version integer not null);
insert into quire_schema values (1);

-- `version` is a random number of the write.
create table quire_records (
    place text not null,
    kind text not null,
    name text not null,
    version bigint not null,
    bytes bytea not null,
    primary key (place, kind, name)
);

-- A lease without an end is of a process, which renews it.
create table quire_leases (
    place text not null,
    name text not null,
    number bigint not null,
    ends timestamptz,
    renewed timestamptz not null,
    primary key (place, name)
);

-- `stored` is when it was put or touched last.
create table quire_objects (
    place text not null,
    digest bytea not null,
    size bigint not null,
    stored timestamptz not null,
    bytes bytea not null,
    primary key (place, digest)
);
-- They come compressed.
alter table quire_objects alter column bytes set storage external;
