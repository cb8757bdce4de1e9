-- A role that may read the views of schema crawler and nothing else. Run it once, as the owner:
--   psql "$DATABASE" -v password="'…'" -f reader.sql
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'crawler_reader') THEN
        CREATE ROLE crawler_reader LOGIN;
    END IF;
END $$;
\if :{?password}
ALTER ROLE crawler_reader PASSWORD :password;
\endif
ALTER ROLE crawler_reader SET default_transaction_read_only = on;
ALTER ROLE crawler_reader SET search_path = crawler;
ALTER ROLE crawler_reader SET statement_timeout = '5min';
GRANT USAGE ON SCHEMA crawler TO crawler_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA crawler TO crawler_reader;
ALTER DEFAULT PRIVILEGES IN SCHEMA crawler GRANT SELECT ON TABLES TO crawler_reader;
GRANT USAGE ON SCHEMA crawler_data TO crawler_reader;
GRANT EXECUTE ON FUNCTION crawler_data.instant(bigint) TO crawler_reader;
