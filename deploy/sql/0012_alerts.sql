-- Alerts: each with its rule, how far it has come and what it told, in one row.

CREATE TABLE crawler_data.alerts (
    name text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);
COMMENT ON TABLE crawler_data.alerts IS 'When somebody wants to be told, what was told, and what of it is still to be sent.';
