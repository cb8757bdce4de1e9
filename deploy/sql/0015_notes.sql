-- Notes that people pin to days.

CREATE TABLE crawler_data.notes (
    id text COLLATE "C" PRIMARY KEY,
    record json NOT NULL
);
COMMENT ON TABLE crawler_data.notes IS 'What people noted at days, such as a press release: beside the numbers, which it does not change.';
