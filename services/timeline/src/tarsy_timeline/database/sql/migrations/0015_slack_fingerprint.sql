-- Text of the Slack message that told of the alert. Sessions of older versions have none.
alter table sessions add column slack_message_fingerprint text;
