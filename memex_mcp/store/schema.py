"""The tables, as numbered steps that are never edited once released.

Times are milliseconds since 1970, lists are JSON arrays, ``owner`` is the scope owner
(``global``, ``w:<workspace>``, ``s:<workspace>:<session>``).
"""

FIRST = """
CREATE TABLE workspace(
  id TEXT PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session(
  workspace_id TEXT NOT NULL, id TEXT NOT NULL, client TEXT NOT NULL,
  first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting(
  owner TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE record(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  family TEXT,
  scope TEXT NOT NULL CHECK (scope IN ('session', 'workspace', 'global')),
  workspace_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  use_when TEXT NOT NULL,
  tags TEXT NOT NULL,
  aliases TEXT NOT NULL,
  questions TEXT NOT NULL,
  entities TEXT NOT NULL,
  author TEXT NOT NULL,
  surface TEXT NOT NULL,
  client TEXT NOT NULL,
  trust TEXT NOT NULL,
  status TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  salience REAL NOT NULL CHECK (salience BETWEEN 0 AND 1),
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  observations INTEGER NOT NULL,
  opened_count INTEGER NOT NULL,
  last_opened_at INTEGER,
  source TEXT NOT NULL,
  source_version TEXT NOT NULL,
  branch TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  observed_at INTEGER NOT NULL,
  valid_from INTEGER,
  valid_to INTEGER,
  expires_at INTEGER,
  superseded_by TEXT,
  version INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  token_method TEXT NOT NULL,
  tier TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  value_key TEXT NOT NULL,
  dedupe_key TEXT,
  UNIQUE (owner, dedupe_key)
) STRICT;
CREATE INDEX record_by_value ON record(value_key);
CREATE INDEX record_by_owner ON record(owner, status, id);
CREATE INDEX record_by_session ON record(workspace_id, session_id, observed_at);

CREATE TABLE tally(
  owner TEXT NOT NULL, status TEXT NOT NULL, tier TEXT NOT NULL, records INTEGER NOT NULL,
  PRIMARY KEY (owner, status, tier)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER tally_in AFTER INSERT ON record BEGIN
  INSERT INTO tally VALUES (new.owner, new.status, new.tier, 1)
  ON CONFLICT DO UPDATE SET records = records + 1;
END;
CREATE TRIGGER tally_out AFTER DELETE ON record BEGIN
  UPDATE tally SET records = records - 1
  WHERE owner = old.owner AND status = old.status AND tier = old.tier;
END;
CREATE TRIGGER tally_moved AFTER UPDATE OF owner, status, tier ON record
WHEN (old.owner, old.status, old.tier) <> (new.owner, new.status, new.tier) BEGIN
  UPDATE tally SET records = records - 1
  WHERE owner = old.owner AND status = old.status AND tier = old.tier;
  INSERT INTO tally VALUES (new.owner, new.status, new.tier, 1)
  ON CONFLICT DO UPDATE SET records = records + 1;
END;

CREATE TABLE body(
  record_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  start INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (record_n, start)
) STRICT;

CREATE TABLE revision(
  record_id TEXT NOT NULL, version INTEGER NOT NULL,
  began_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
  owner TEXT NOT NULL, fields TEXT NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (record_id, version)
) STRICT;
CREATE INDEX revision_by_owner ON revision(owner, began_at, ended_at);

CREATE TABLE source_ref(
  record_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  PRIMARY KEY (record_n, source_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE link(
  from_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  to_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  relation TEXT NOT NULL, weight REAL NOT NULL,
  PRIMARY KEY (from_n, to_n, relation)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_by_target ON link(to_n);

CREATE TABLE chunk(
  n INTEGER PRIMARY KEY,
  record_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  start INTEGER NOT NULL, stop INTEGER NOT NULL
) STRICT;
CREATE INDEX chunk_by_record ON chunk(record_n);

CREATE VIRTUAL TABLE card_index USING fts5(
  title, card, asked, content='', tokenize='unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE body_index USING fts5(
  terms, content='', tokenize='unicode61 remove_diacritics 0'
);
CREATE VIRTUAL TABLE card_vocab USING fts5vocab(card_index, row);
CREATE VIRTUAL TABLE body_vocab USING fts5vocab(body_index, row);

CREATE TABLE tombstone(
  value_key TEXT PRIMARY KEY, owner TEXT NOT NULL, record_id TEXT, reason TEXT NOT NULL,
  surface TEXT NOT NULL, client TEXT NOT NULL, at INTEGER NOT NULL,
  refused INTEGER NOT NULL DEFAULT 0, lifted_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE audit(
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL, surface TEXT NOT NULL, client TEXT NOT NULL, human INTEGER NOT NULL,
  workspace_id TEXT NOT NULL, session_id TEXT NOT NULL,
  action TEXT NOT NULL, record_id TEXT, before_hash TEXT, after_hash TEXT, reason TEXT NOT NULL,
  previous TEXT NOT NULL, hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_is_append_only_u BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_is_append_only_d BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;

CREATE TABLE mirror_queue(
  record_id TEXT PRIMARY KEY, queued_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mirror_file(
  record_id TEXT PRIMARY KEY, path TEXT NOT NULL, sha256 TEXT NOT NULL, version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""

# A vector belongs to the text of a chunk, under a number that is the beginning of its hash.
# The last chunk with that text takes the vector along; ``vector_state`` is another number after
# every change, so that what was read once is known to be current.
SECOND = """
CREATE TABLE vector_model(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, dimensions INTEGER NOT NULL,
  mean REAL, deviation REAL,
  UNIQUE (name, dimensions)
) STRICT;

CREATE TABLE vector(
  model_id INTEGER NOT NULL REFERENCES vector_model(id) ON DELETE CASCADE,
  content INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (model_id, content)
) STRICT;

CREATE TABLE chunk_vector(
  chunk_n INTEGER NOT NULL REFERENCES chunk(n) ON DELETE CASCADE,
  model_id INTEGER NOT NULL, content INTEGER NOT NULL,
  PRIMARY KEY (chunk_n, model_id),
  FOREIGN KEY (model_id, content) REFERENCES vector(model_id, content)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunk_vector_by_content ON chunk_vector(model_id, content);

CREATE TABLE vector_state(token INTEGER NOT NULL) STRICT;
INSERT INTO vector_state VALUES (random());
CREATE TRIGGER chunk_vector_in AFTER INSERT ON chunk_vector BEGIN
  UPDATE vector_state SET token = random();
END;
CREATE TRIGGER chunk_vector_out AFTER DELETE ON chunk_vector BEGIN
  DELETE FROM vector WHERE model_id = old.model_id AND content = old.content
  AND NOT EXISTS (
    SELECT 1 FROM chunk_vector AS c WHERE c.model_id = old.model_id AND c.content = old.content
  );
  UPDATE vector_state SET token = random();
END;
"""

# What a record names, and which records that ties together: both follow from the records, so
# a store that has some is indexed anew to have them.
THIRD = """
CREATE TABLE mention(
  owner TEXT NOT NULL, name TEXT NOT NULL,
  record_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  PRIMARY KEY (owner, name, record_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_by_record ON mention(record_n);

CREATE TABLE association(
  low_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  high_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  relation TEXT NOT NULL, weight REAL NOT NULL,
  PRIMARY KEY (low_n, high_n), CHECK (low_n < high_n)
) STRICT, WITHOUT ROWID;
CREATE INDEX association_by_high ON association(high_n);

UPDATE meta SET value = '' WHERE key = 'analyzer_version' AND EXISTS (SELECT 1 FROM record);
"""

# Lines of transcripts lie with the record that they became; their hashes tell which are known.
# The ledger says how far a transcript was read and what became of each of its turns.
FOURTH = """
CREATE TABLE event(
  record_n INTEGER NOT NULL REFERENCES record(n) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  role TEXT NOT NULL, type TEXT NOT NULL, at INTEGER,
  start INTEGER NOT NULL, stop INTEGER NOT NULL,
  sha256 TEXT NOT NULL, masked INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY (record_n, seq)
) STRICT;
CREATE INDEX event_by_line ON event(sha256);

CREATE TABLE capture_source(
  key TEXT PRIMARY KEY,
  client TEXT NOT NULL, session_id TEXT NOT NULL, part TEXT NOT NULL,
  workspace_id TEXT NOT NULL, path TEXT NOT NULL,
  stop INTEGER NOT NULL, head_sha256 TEXT NOT NULL, size INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX capture_source_by_path ON capture_source(path);

CREATE TABLE capture_turn(
  source_key TEXT NOT NULL, turn_key TEXT NOT NULL,
  start INTEGER NOT NULL, stop INTEGER NOT NULL,
  status TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (source_key, turn_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE recall_seen(
  workspace_id TEXT NOT NULL, session_id TEXT NOT NULL, record_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, session_id, record_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE switch_log(
  n INTEGER PRIMARY KEY,
  owner TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
CREATE INDEX switch_log_by_owner ON switch_log(owner, key, n);
"""

# What hooks put into the context of a session, since it began or was compacted; and which
# records end by themselves, of which there are few.
FIFTH = """
CREATE INDEX record_by_end ON record(expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE injected(
  workspace_id TEXT NOT NULL, session_id TEXT NOT NULL,
  tokens INTEGER NOT NULL, blocks INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, session_id)
) STRICT, WITHOUT ROWID;
"""

MIGRATIONS: tuple[str, ...] = (FIRST, SECOND, THIRD, FOURTH, FIFTH)
"""Step ``n`` takes schema version ``n - 1`` to ``n``.  ``meta`` exists before the first step."""
