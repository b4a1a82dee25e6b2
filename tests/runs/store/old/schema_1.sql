-- A store of shape 1, as `sqlite3 runs.db .dump` writes it. Never changed: later shapes must still read it.
BEGIN TRANSACTION;
CREATE TABLE runs (
            seq INTEGER PRIMARY KEY AUTOINCREMENT,
            run_id TEXT NOT NULL UNIQUE,
            owner TEXT NOT NULL,
            agent TEXT NOT NULL,
            arguments TEXT NOT NULL,
            run_key TEXT,
            started_by TEXT NOT NULL,
            resumable INTEGER NOT NULL,
            needs_environment INTEGER NOT NULL,
            ttl_ms BIGINT,
            status TEXT NOT NULL,
            reason TEXT,
            message TEXT NOT NULL,
            result TEXT,
            questions TEXT NOT NULL,
            answers TEXT NOT NULL,
            asked INTEGER NOT NULL,
            created_at DOUBLE PRECISION NOT NULL,
            updated_at DOUBLE PRECISION NOT NULL,
            revision INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            worker TEXT,
            child TEXT,
            lease_until DOUBLE PRECISION
        );
INSERT INTO "runs" VALUES(1,'00000000000000000000000000000000000000000001','me','agent','{"n":1,"text":"ü 😀"}',NULL,'',0,0,NULL,'completed',NULL,'done','{"ok":true,"list":[1,2.5,null]}','[]','{}',0,1767225600.0,1767225600.0,3,1,1,'home 11 boot/1',NULL,NULL);
INSERT INTO "runs" VALUES(2,'00000000000000000000000000000000000000000002','me','agent','{"n":2}','old key','',0,0,NULL,'cancelled','cancelled','cancelled by request',NULL,'[]','{}',0,1767225600.0,1767225600.0,1,1,0,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(3,'00000000000000000000000000000000000000000003','me','agent','{}',NULL,'',0,0,NULL,'failed','rejected','rejected before it began','{"ok":false}','[]','{}',0,1767225600.0,1767225600.0,0,1,0,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(4,'00000000000000000000000000000000000000000004','me','agent','{"n":4}',NULL,'',1,0,NULL,'input_required',NULL,'started',NULL,'[{"key":"q2","message":"which?","schema":{"type":"string"}}]','{"q1":{"value":3}}',2,1767225600.0,1767225600.0,4,1,0,'home 11 boot/1','21 boot/3',NULL);
INSERT INTO "runs" VALUES(5,'00000000000000000000000000000000000000000005','me','agent','{"n":5}',NULL,'',0,0,NULL,'failed','interrupted','interrupted: signal 9. Last heard: started',NULL,'[]','{}',0,1767225600.0,1767225600.0,2,1,0,'home 11 boot/1',NULL,NULL);
INSERT INTO "runs" VALUES(6,'00000000000000000000000000000000000000000006','me','agent','{"n":6}',NULL,'',0,1,NULL,'working',NULL,'queued',NULL,'[]','{}',0,1767225600.0,1767225600.0,0,1,0,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(7,'00000000000000000000000000000000000000000007','me','agent','{"n":7}','key','mark',0,0,3600000,'working',NULL,'queued',NULL,'[]','{}',0,1767225600.0,1767225600.0,0,1,0,NULL,NULL,NULL);
INSERT INTO "runs" VALUES(8,'00000000000000000000000000000000000000000008','you','agent','{"n":8}',NULL,'',0,0,NULL,'working',NULL,'queued',NULL,'[]','{}',0,1767225600.0,1767225600.0,0,1,0,NULL,NULL,NULL);
CREATE TABLE saved (run_id TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (run_id, name));
INSERT INTO "saved" VALUES('00000000000000000000000000000000000000000001','part','{"score":1}');
INSERT INTO "saved" VALUES('00000000000000000000000000000000000000000004','part','[1]');
CREATE UNIQUE INDEX runs_by_key ON runs (owner, run_key) WHERE run_key IS NOT NULL;
CREATE INDEX runs_by_owner ON runs (owner, seq);
CREATE INDEX runs_live ON runs (seq) WHERE status IN ('working', 'input_required');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('runs',8);
COMMIT;
PRAGMA user_version = 1;
