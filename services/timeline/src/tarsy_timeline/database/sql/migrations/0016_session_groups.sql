-- Whether a session with these labels is in one of the groups: a list of objects, each with the values that count of
-- the labels that it names.
create function in_session_groups(groups jsonb, alert_type text, cluster text, namespace text, workload text)
returns boolean language sql immutable parallel safe
return exists (
    select from jsonb_array_elements(groups) g
    where (not g ? 'alert_type' or g -> 'alert_type' ? alert_type)
      and (not g ? 'cluster' or g -> 'cluster' ? cluster)
      and (not g ? 'namespace' or g -> 'namespace' ? namespace)
      and (not g ? 'workload' or g -> 'workload' ? workload)
);
