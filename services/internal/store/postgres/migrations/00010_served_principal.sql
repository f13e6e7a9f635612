-- +goose Up
-- When somebody was last shown anything: what a session's start tells as news
-- is what changed since.
create index served_principal on served (tenant, principal, served_at desc);

-- +goose Down
drop index served_principal;
