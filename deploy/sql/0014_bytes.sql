-- Bytes that were fetched on an outlet's account: its feeds, and what they listed.
ALTER TABLE crawler_data.ledger ADD COLUMN brought_bytes bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN crawler_data.ledger.brought_bytes IS 'Bytes of answers to what was asked for on account of the outlet''s feeds: them and what they listed.';
