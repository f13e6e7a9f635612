-- What no worker needs, no worker may do: register a principal or raise what one may
-- claim, and erase bodies of the audit log. winnow_operator may, the role of the command
-- line; it is a member of winnow_app.

-- +goose Up
revoke insert, update on principals from winnow_app;
grant insert, update on principals to winnow_operator;
revoke execute on function winnow_audit_erase(text) from winnow_app;
grant execute on function winnow_audit_erase(text) to winnow_operator;

-- +goose Down
grant execute on function winnow_audit_erase(text) to winnow_app;
revoke execute on function winnow_audit_erase(text) from winnow_operator;
revoke insert, update on principals from winnow_operator;
grant insert on principals to winnow_app;
grant update (highest, name, service, speaks_for, permissions) on principals to winnow_app;
