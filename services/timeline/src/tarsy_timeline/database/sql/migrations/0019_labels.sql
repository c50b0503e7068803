-- Sessions of before have no labels that senders chose: their events do not say them.
alter table sessions add column labels text[] not null default '{}';

-- Labels of a session, as an index has them: `team=shop`. Those that the sender chose are in `labels` so already.
create function session_labels(alert_type text, cluster text, namespace text, workload text, labels text[])
returns text[] language sql immutable parallel safe
return array_remove(
    array['alert_type=' || alert_type, 'cluster=' || cluster, 'namespace=' || namespace, 'workload=' || workload], null
) || labels;
create index sessions_by_label on sessions
using gin (session_labels(alert_type, cluster, namespace, workload, labels));
