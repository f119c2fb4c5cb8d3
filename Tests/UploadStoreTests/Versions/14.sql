-- What version 14 left behind: a limit on the bandwidth, a run that is open, one that has ended, the digest of a file, a file that its server has yet to finish with, a file that may have arrived, a file that was made for the upload, a queue that a person has stopped, an upload that can go on, a file of each state, one with two attempts and edited since,
-- and one that was pushed.
INSERT INTO item (id, uuid, position, listed, revision, target, path, device, inode, modified, size,
  field, name, type, type_source, type_is_certain, state, failure, added) VALUES
  (1, x'3F2504E04F8941D39A0C0305E82C3301', 1, 1, 1, 'nas', CAST('/tmp/a.txt' AS BLOB), 1, 2, 3, 4,
    NULL, 'a.txt', 'text/plain', 'by extension .txt', 1, 'waiting', NULL, 1000),
  (2, x'3F2504E04F8941D39A0C0305E82C3302', 2, 1, 1, 'nas', CAST('/tmp/b.txt' AS BLOB), 1, 3, 3, 4,
    'photo', 'b.txt', 'text/plain', 'by extension .txt', 1, 'failed', '{"refused":{}}', 1000),
  (3, x'3F2504E04F8941D39A0C0305E82C3303', 3, 1, 1, 'nas', x'2f746d702fff2e747874', 1, 4, 3, 4,
    NULL, 'c.txt', 'text/plain', 'by extension .txt', 1, 'done', NULL, 1000),
  (4, x'3F2504E04F8941D39A0C0305E82C3304', 4, 1, 1, 'nas', CAST('/tmp/d.txt' AS BLOB), NULL, NULL, NULL, 0,
    NULL, 'd.txt', 'text/plain', '', 0, 'paused', NULL, 1000);
INSERT INTO attempt (item, number, began, ended, bytes, status, outcome, message, reply, url) VALUES
  (2, 1, 1000, 1001, 4, 503, 'http-503', 'busy', '', NULL),
  (2, 2, 1002, 1003, 4, 413, 'http-413', 'too large', 'no', NULL),
  (3, 1, 1000, 1001, 4, 201, 'done', NULL, 'ok', 'http://nas/3');
INSERT INTO pushed (id, target, path, device, inode, modified, size, name, type, number, began, ended, bytes, status,
  outcome, reply, reply_is_cut, url) VALUES
  (5, 'nas', CAST('/tmp/e.txt' AS BLOB), 1, 5, 3, 4, NULL, 'text/plain', 1, 1000, 1001, 4, 201, 'done', 'ok', 0,
    'http://nas/5');
UPDATE sqlite_sequence SET seq = 5;
UPDATE attempt SET sent_to = 'elsewhere', sent_as = 'old.txt', sent_type = 'text/x-old' WHERE item = 2;
UPDATE item SET folder = '2026/', name_is_chosen = 1 WHERE id = 2;
UPDATE attempt SET start = 2 WHERE item = 2 AND number = 2;
UPDATE item SET resume_point = '{"url":"http:\/\/nas\/files\/1","target":"nas","identity":{"device":1,"inode":2,"size":4,"modified":3},"offset":2,"start":2}'
  WHERE id = 1;
UPDATE item SET content_type = 'application/pdf' WHERE id = 2;
UPDATE attempt SET deletion_url = 'http://nas/delete/3' WHERE item = 3;
INSERT INTO resume_server VALUES ('http://nas/files', '{"tus":{"_0":{"maxSize":5,"extensions":["creation"],"isOfOtherVersion":false}}}', 1000);
UPDATE queue SET stopped = 1;
UPDATE attempt SET sent_as = 'c.up', sent_type = 'text/x-made', sent_size = 9 WHERE item = 3;
INSERT INTO attempt (item, number, began, ended, outcome) VALUES (1, 1, 1000, 1001, 'outcome-unknown');
UPDATE item SET state = 'handed over', processing = '{"receipt":{"status":202,"reply":{"text":"","isCut":false},"attempts":1,"seconds":1,"bytes":0},"url":"http://nas/tasks/1","since":0}'
  WHERE id = 4;
UPDATE attempt SET pieces = '{"count":3,"resumed":1,"sent":2}' WHERE item = 3;
INSERT INTO run VALUES ('nas', '3F2504E0-4F89-41D3-9A0C-0305E82C3301', '{"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","phase":"open","values":{"id":"7"},"isFromAway":false,"hasFiles":true}');
UPDATE item SET run = '3F2504E0-4F89-41D3-9A0C-0305E82C3301' WHERE id = 2;
INSERT INTO run_end (target, ended, event, message) VALUES ('nas', 1000, 'closed', 'closed (id: 7)');
INSERT INTO file_digest VALUES (1, 2, 'sha-1', 4, 3, 5, 'a9993e364706816aba3e25717850c26c9cd0d89d', 1e12);
UPDATE queue SET rate_limit = 700000;
