"""Schema of the catalog: every table and index, in one place, and the number of their shape."""

from __future__ import annotations

import re

from engram.language.tokens import ANALYSIS

#: raise the number whenever a table or the meaning of a column changes: older catalogs are rebuilt
SCHEMA = f"20, analysis {ANALYSIS}"

TABLES = """
create table meta(key text primary key, value text) without rowid;
create table files(
  path text primary key, size int, mtime_ns int, ctime_ns int, sha text, id text, problem text,
  meaning text, stem text
) without rowid;
create index files_stem on files(stem) where stem != id;
create table file_names(path text, id text, primary key(path, id)) without rowid;
create table foreign_links(name text, path text, primary key(name, path)) without rowid;
create index foreign_links_path on foreign_links(path);
create table memories(
  place integer primary key, number int unique, id text unique, path text, status text,
  category text, created text, project text, space text, slot text, hash text, importance real,
  expires text, valid_until text,
  session text, forgotten int, audience text, record text, settled int, successors text,
  confidence real, terms int, body text
);
create index memories_meant on memories(
  place, status, number, audience, project, space, record
);
create index memories_hash on memories(hash);
create index memories_standing on memories(
  status, audience, project, space, category, importance, created, expires, valid_until, record,
  confidence, settled, session, number
);
create table called(name text, id text, primary key(name, id)) without rowid;
create index called_id on called(id);
create table words(term text, block int, members blob, primary key(term, block)) without rowid;
create index memories_created on memories(created, id);
create index memories_slot on memories(slot) where slot != '';
create index memories_due on memories(expires)
  where expires != '' and status in ('active', 'needs-review');
create index memories_aged on memories(importance, created)
  where status = 'active' and created != '';
create index memories_promised on memories(created)
  where category = 'commitment' and status = 'active';
create index memories_recorded on memories(record, created)
  where record != '' and status in ('active', 'needs-review');
create index memories_retired on memories(created) where status = 'retired';
create index memories_of_session on memories(session, status) where space = 'session';
create index memories_sessions on memories(session) where record = 'session';
create index memories_named on memories(
  id, status, created, category, importance, settled, successors
);
create index memories_withheld on memories(audience) where audience = 'nobody';
create index memories_forgotten on memories(id) where forgotten;
create table mentions(entity text, place int, primary key(entity, place)) without rowid;
create index mentions_place on mentions(place);
create table pointers(target text, source text, primary key(target, source)) without rowid;
create index pointers_source on pointers(source);
create table sources(link text, id text, primary key(link, id)) without rowid;
create index sources_id on sources(id);

create table accesses(id text primary key, count int, last text, days int) without rowid;
create table access_log(size int, tail text, skipped int);
create table givens(start integer primary key, length int, session text);
create index givens_session on givens(session, start);
create table items(
  store text, kind text, number int, id text, n int, tick int, session text,
  primary key(store, kind, number)
) without rowid;
create index items_id on items(id);
create index items_session on items(session, tick) where session != '';
create table unnumbered(memory text primary key, store text, kind text) without rowid;

create table transactions(
  n integer primary key, time text, kind text, batch text, changes int, left_alone text,
  undoes text, tick int, policy text
);
create table events(n int, name text, subject text, details text);
create index events_subject on events(subject);
create index events_n on events(n);

create table tags(tag text, id text, primary key(tag, id)) without rowid;

create table boxes(
  id text primary key, path text, session text, project text, created text, sealed text,
  trace text, body text
) without rowid;
create index boxes_sealed on boxes(sealed);
create index boxes_trace on boxes(trace) where trace != '';
create table members(memory text, box text, primary key(memory, box)) without rowid;
create index members_box on members(box);
create table unboxed(memory text primary key) without rowid;
create table entities(
  id text primary key, path text, type text, name text, merged_into text, body text
) without rowid;
create table summaries(
  id text primary key, path text, status text, project text, space text, last text, body text
) without rowid;
create table summary_sources(source text, summary text, primary key(source, summary)) without rowid;
create index summary_sources_summary on summary_sources(summary);

create table topics(term text primary key, held int, weight int) without rowid;

create table traces(id text primary key, entry text) without rowid;

create table turns(
  seq integer primary key, message text, link text, transcript text, source text, role text,
  time text, project text, title text, signal text, batch text, segment text, offset int,
  length int, state int, prior int, opening int, speaker int, tick int
);
create index turns_message on turns(message);
create index turns_link on turns(link);
create index turns_pending on turns(transcript) where state = 0;
create index turns_transcript on turns(transcript, seq);
create index turns_segment on turns(segment, offset);
create index turns_project on turns(project) where project != '';
create index turns_batch on turns(batch) where batch != '';
create index turns_opening on turns(opening) where opening != 0;
create table hidden(link text primary key) without rowid;
create table closings(
  transcript text, n int, last int, memory text, primary key(transcript, n)
) without rowid;
create table untitled(transcript text primary key) without rowid;
create table attempts(
  transcript text primary key, attempts int, retry_at text, reason text
) without rowid;
"""
#: the tables that a sound catalog has
NAMES = frozenset(re.findall(r"create table (\w+)", TABLES))
