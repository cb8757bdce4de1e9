-- What pages printed, for the memories of their outlets (docs/extraction.md).

CREATE TABLE crawler_data.printed (
    outlet text COLLATE "C" NOT NULL,
    day date NOT NULL,
    article uuid NOT NULL,
    printed bytea NOT NULL,
    PRIMARY KEY (outlet, day, article)
);
ALTER TABLE crawler_data.printed ALTER printed SET STORAGE EXTERNAL;
COMMENT ON TABLE crawler_data.printed IS 'Fingerprints of the texts of pages: of an outlet''s latest, and of the last weeks.';
COMMENT ON COLUMN crawler_data.printed.day IS 'UTC day on which the page was read.';
CREATE INDEX printed_article ON crawler_data.printed (article);
