-- Tokens of the HTTP interface: every server of the database knows the same.

CREATE TABLE crawler_data.tokens (
    id text COLLATE "C" PRIMARY KEY,
    record json NOT NULL,
    used bigint
) WITH (fillfactor = 70);
COMMENT ON TABLE crawler_data.tokens IS 'Who may ask over HTTP: names, scopes and hashes of secrets; sessions of browsers.';
COMMENT ON COLUMN crawler_data.tokens.used IS 'When it was used last, to the minute.';

-- Of what was forgotten the key stays, not the address.
UPDATE crawler_data.urls SET record = jsonb_set(record::jsonb, '{canonical}', '""')::json
    WHERE outcome = 'forgotten';
